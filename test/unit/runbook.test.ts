import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TripReason } from '#core/breaker.ts';
import { FINDINGS } from '#core/finding.ts';

const runbook = readFileSync(new URL('../../infra/RUNBOOK.md', import.meta.url), 'utf8');
const sections = new Set([...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchor(title)));

/** As GitHub makes it of a heading. */
function anchor(title = ''): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

const TRIPS: Record<TripReason, true> = {
  RECORDS_FAILING: true,
  OTHER_RECEIPT: true,
  NO_RECEIPTS: true,
  SENT_WITHOUT_RECEIPT: true,
};

describe('the runbook', () => {
  it('has a section for every finding', () => {
    for (const [code, { runbook: section }] of Object.entries(FINDINGS)) {
      expect(sections.has(section), `${code}: ${section}`).toBe(true);
    }
  });

  it('says what every trip of the breaker means', () => {
    for (const reason of Object.keys(TRIPS)) expect(runbook).toContain(`\`${reason}\``);
  });

  it('links only sections that it has', () => {
    const links = [...runbook.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, name]) => name);
    expect(links.filter((name) => !sections.has(name ?? ''))).toEqual([]);
  });
});
