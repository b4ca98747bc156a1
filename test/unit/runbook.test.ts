import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { TripReason } from '#core/breaker.ts';

const TRIPS: Record<TripReason, true> = {
  RECORDS_FAILING: true,
  OTHER_RECEIPT: true,
  NO_RECEIPTS: true,
  SENT_WITHOUT_RECEIPT: true,
};

it('the runbook says what to do after every trip of the breaker', () => {
  const runbook = readFileSync(new URL('../../infra/RUNBOOK.md', import.meta.url), 'utf8');
  for (const reason of Object.keys(TRIPS)) expect(runbook).toContain(`| \`${reason}\` |`);
});
