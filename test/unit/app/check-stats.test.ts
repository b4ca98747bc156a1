import { describe, expect, it } from 'vitest';
import { type CheckDeps, checkStats } from '#app/check-stats.ts';
import { STATS_DOCUMENT } from '#core/stats-history.ts';
import { HandClock } from '#test/support/hand-clock.ts';
import { aClaimedRow, finished } from '#test/support/ledger-rows.ts';
import { MemoryControls } from '#test/support/memory-controls.ts';
import { codesOf, THRESHOLDS } from '#test/support/stats-signals.ts';

const FIGURES = {
  available_count: 0,
  in_flight_count: 0,
  delayed_count: 0,
  dlq_count: 0,
  oldest_message_age_seconds: 0,
};

function depsWith(change: Partial<CheckDeps> = {}): CheckDeps {
  return {
    queue: { stats: async () => ({ kind: 'stats', figures: FIGURES }) },
    deadLetters: { stats: async () => ({ kind: 'stats', figures: FIGURES }) },
    account: { balance: async () => ({ kind: 'balance', figures: { balance_usd: 50 } }) },
    ledger: { unresolved: async () => ({ kind: 'page', rows: [] }) },
    controls: new MemoryControls(),
    clock: new HandClock(),
    ...change,
  };
}

describe('a check', () => {
  it('of a person who only looks changes nothing', async () => {
    const controls = new MemoryControls();
    await checkStats(depsWith({ controls }), THRESHOLDS, { remember: false });
    expect(await controls.read(STATS_DOCUMENT)).toEqual({ kind: 'absent' });
    await checkStats(depsWith({ controls }), THRESHOLDS, { remember: true });
    expect(await controls.read(STATS_DOCUMENT)).toMatchObject({ kind: 'document', version: 1 });
  });

  it('counts unresolved rows page by page, and stops where the number only says "many"', async () => {
    let pages = 0;
    const row = finished(aClaimedRow(), 'UNKNOWN');
    const { signals } = await checkStats(
      depsWith({
        ledger: {
          unresolved: async ({ limit }) => {
            pages += 1;
            return { kind: 'page', rows: Array.from({ length: limit }, () => row), cursor: 'more' };
          },
        },
      }),
      THRESHOLDS,
      { remember: true },
    );
    expect(pages).toBe(5);
    expect(signals.unresolved).toMatchObject({ rows: 500, parked: 0, complete: false });
  });

  it('rows that this release cannot read are counted all the same', async () => {
    const ledger: CheckDeps['ledger'] = {
      unresolved: async () => ({ kind: 'page', rows: [], unreadable: [aClaimedRow().sendKey] }),
    };
    const { signals } = await checkStats(depsWith({ ledger }), THRESHOLDS, { remember: true });
    expect(signals.unresolved?.rows).toBe(1);
  });

  it('starts its memory afresh where another release has left its own', async () => {
    const controls = new MemoryControls();
    await controls.write(STATS_DOCUMENT, { format: 'stats/9' }, 0);
    await checkStats(depsWith({ controls }), THRESHOLDS, { remember: true });
    expect(await controls.read(STATS_DOCUMENT)).toMatchObject({ value: { format: 'stats/1' } });
  });

  it('takes the larger word on dead letters, and a missing dead-letter queue for none', async () => {
    const dead = { ...FIGURES, available_count: 3 };
    const own = await checkStats(
      depsWith({ deadLetters: { stats: async () => ({ kind: 'stats', figures: dead }) } }),
      THRESHOLDS,
      { remember: false },
    );
    expect(own.signals.deadLetters).toBe(3);
    const missing = await checkStats(
      depsWith({
        deadLetters: { stats: async () => ({ kind: 'failed', code: 'QUEUE_NOT_FOUND' }) },
      }),
      THRESHOLDS,
      { remember: false },
    );
    expect(missing.signals.deadLetters).toBe(0);
    expect(missing.findings).toEqual([]);
  });

  it('an account that is not found is a source that failed, not a queue that is missing', async () => {
    const { findings } = await checkStats(
      depsWith({ account: { balance: async () => ({ kind: 'failed', code: 'HTTP_404' }) } }),
      THRESHOLDS,
      { remember: false },
    );
    expect(codesOf(findings)).toEqual(['STATS_INVALID:HTTP_404']);
  });
});
