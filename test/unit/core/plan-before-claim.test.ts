import { describe, expect, test } from 'vitest';
import { hopDelaySeconds } from '#core/backoff.ts';
import { instantOf } from '#core/instant.ts';
import { planBeforeClaim } from '#core/plan-before-claim.ts';
import { aReminder, DAY_MS, DUE_AT, SETTINGS } from '#test/support/core-data.ts';

const plan = (now: number, change: Parameters<typeof aReminder>[0] = {}) =>
  planBeforeClaim({ reminder: aReminder(change) }, now, SETTINGS);

describe('by the clock alone', () => {
  test('due: claim', () => {
    expect(plan(DUE_AT)).toEqual({ kind: 'claim' });
  });

  test('within the tolerance: claim; a millisecond beyond: postpone to the instant', () => {
    expect(plan(DUE_AT - 30_000)).toEqual({ kind: 'claim' });
    expect(plan(DUE_AT - 30_001)).toEqual({
      kind: 'not-yet',
      settlement: { kind: 'postpone', until: DUE_AT, copy: { attempt: 0, hop: 1 } },
    });
  });

  test('field report 64: past use-by it is expired, not sent late', () => {
    expect(plan(DUE_AT + 2 * DAY_MS)).toEqual({ kind: 'claim' });
    expect(plan(DUE_AT + 2 * DAY_MS + 1)).toEqual({ kind: 'expire' });
    expect(plan(DUE_AT + 60_001, { useBy: instantOf(DUE_AT + 60_000) })).toEqual({
      kind: 'expire',
    });
  });

  test('a use-by before the instant itself expires it once it is due, not before', () => {
    const useBy = instantOf(DUE_AT - DAY_MS);
    expect(plan(DUE_AT - DAY_MS / 2, { useBy }).kind).toBe('not-yet');
    expect(plan(DUE_AT, { useBy }).kind).toBe('expire');
  });
});

test('a reminder far ahead travels in hops of at most seven days and arrives on time', () => {
  let now = DUE_AT - 400 * DAY_MS;
  let hop = 0;
  const seen: number[] = [];
  for (;;) {
    const next = plan(now, { hop });
    if (next.kind !== 'not-yet' || next.settlement.kind !== 'postpone') break;
    expect(next.settlement.copy).toEqual({ attempt: 0, hop: hop + 1 });
    const delay = hopDelaySeconds(next.settlement.until, now);
    expect(delay).toBeLessThanOrEqual(604_800);
    seen.push(delay);
    now += delay * 1000;
    hop = next.settlement.copy.hop;
  }
  expect(now).toBe(DUE_AT);
  expect(seen).toHaveLength(58);
});
