import { describe, expect, test } from 'vitest';
import type { ClaimToken, SendKey } from '#core/brand.ts';
import { type CanaryOutcome, canaryOutcome, judgeCanary } from '#core/judge-canary.ts';
import type { LedgerState } from '#core/ledger-record.ts';
import {
  afterRun,
  leaseAlive,
  NO_CONTROL,
  parseRedriveControl,
  type RedriveControl,
  type RunMemory,
  rememberedHealth,
} from '#core/redrive-control.ts';
import { redriveWords } from '#core/redrive-words.ts';
import { reopen } from '#core/reopen.ts';
import { aDelivery, aRow, DUE_AT, HOUR_MS, SETTINGS } from '#test/support/core-data.ts';

const TOKEN = 't_redrive' as ClaimToken;
const LEFT = reopen(aRow('EXHAUSTED'), aDelivery(), TOKEN, DUE_AT, SETTINGS);
const moved = (state: LedgerState, reason = 'HTTP_503') => ({
  kind: 'row' as const,
  row: aRow(state, { claimToken: 't_worker' as ClaimToken, reason }),
});

describe('the outcome of one reminder', () => {
  test.each<[LedgerState, CanaryOutcome['kind']]>([
    ['SENT', 'good'],
    ['EXPIRED', 'no-evidence'],
    ['CLAIMED', 'pending'],
    ['DEFERRED', 'bad'],
    ['REJECTED', 'bad'],
    ['EXHAUSTED', 'bad'],
    ['UNKNOWN', 'bad'],
  ])('%s is %s', (state, kind) => {
    expect(canaryOutcome(LEFT, moved(state)).kind).toBe(kind);
  });

  test('nobody took it, or nobody can say: pending', () => {
    expect(canaryOutcome(LEFT, { kind: 'row', row: LEFT }).kind).toBe('pending');
    expect(canaryOutcome(LEFT, { kind: 'absent' }).kind).toBe('pending');
    expect(canaryOutcome(LEFT, { kind: 'failed', code: 'X' }).kind).toBe('pending');
  });

  test.each(['RUN_BUDGET', 'LEASE_TOO_SHORT'])(
    'given back for %s: no fault of the provider',
    (reason) => {
      expect(canaryOutcome(LEFT, moved('DEFERRED', reason)).kind).toBe('pending');
    },
  );
});

describe('the verdict', () => {
  const bad = (reason: string): CanaryOutcome => ({ kind: 'bad', reason });
  const GOOD: CanaryOutcome = { kind: 'good' };
  const PENDING: CanaryOutcome = { kind: 'pending' };
  const NONE: CanaryOutcome = { kind: 'no-evidence' };
  const B = bad('HTTP_503');

  test.each<[string, CanaryOutcome[], string]>([
    ['all good', [GOOD, GOOD, GOOD], 'passed'],
    ['most good, the rest open', [GOOD, GOOD, GOOD, PENDING, PENDING], 'passed'],
    ['one bad of three', [GOOD, GOOD, B], 'passed'],
    ['half bad', [GOOD, B], 'failed'],
    ['half bad, the rest open', [B, B, PENDING, PENDING], 'failed'],
    ['the only one bad', [B], 'failed'],
    ['nothing heard of a provider', [NONE, NONE], 'no-evidence'],
    ['good beside no evidence', [GOOD, NONE, NONE], 'passed'],
  ])('%s', (_name, outcomes, verdict) => {
    expect(judgeCanary(outcomes, false)?.kind).toBe(verdict);
  });

  test.each<[string, CanaryOutcome[], string]>([
    ['nothing happened', [PENDING, PENDING], 'undecided'],
    ['one good, the rest open', [GOOD, PENDING, PENDING], 'passed'],
    ['one bad, the rest open', [B, PENDING, PENDING], 'failed'],
    ['as many good as bad', [GOOD, B, PENDING], 'failed'],
  ])('%s: open until time is up', (_name, outcomes, verdict) => {
    expect(judgeCanary(outcomes, false)).toBeNull();
    expect(judgeCanary(outcomes, true)?.kind).toBe(verdict);
  });

  test('names the commonest reason', () => {
    const outcomes = [bad('HTTP_500'), bad('HTTP_503'), bad('HTTP_503')];
    expect(judgeCanary(outcomes, true)).toEqual({ kind: 'failed', reason: 'HTTP_503' });
  });
});

describe('what the next run remembers', () => {
  const RUN = {
    ...{ startedAt: DUE_AT, endedAt: DUE_AT, trigger: 'scheduled', mode: 'redrive', end: 'max' },
    ...{ examined: 0, redriven: 0, settled: 0, kept: 0, failed: 0 },
  };
  const FAILED = new Map([['push', { kind: 'failed', reason: 'HTTP_503' } as const]]);
  const endedRun = (
    control: RedriveControl,
    endedAt: number,
    verdicts: RunMemory['verdicts'],
    early: RunMemory['early'] = new Map(),
  ) => afterRun(control, { verdicts, early }, { ...RUN, endedAt });

  test('a channel whose canary failed is left alone for 1, 2, 4, 6, 6 hours', () => {
    let control = NO_CONTROL;
    const waits: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      control = endedRun(control, DUE_AT, FAILED);
      waits.push(((control.setbacks['push']?.until ?? 0) - DUE_AT) / HOUR_MS);
    }
    expect(waits).toEqual([1, 2, 4, 6, 6]);
    const health = { kind: 'unhealthy', reason: 'CANARY_HTTP_503' };
    expect(rememberedHealth(control, 'push', 'scheduled', DUE_AT)).toEqual(health);
    expect(rememberedHealth(control, 'sms', 'scheduled', DUE_AT).kind).toBe('healthy');
    const later = DUE_AT + 6 * HOUR_MS;
    expect(rememberedHealth(control, 'push', 'scheduled', later).kind).toBe('healthy');
  });

  test('a person’s request is not held back, and a passed canary clears the memory', () => {
    const failed = endedRun(NO_CONTROL, DUE_AT, FAILED);
    expect(rememberedHealth(failed, 'push', 'requested', DUE_AT).kind).toBe('healthy');
    const passed = endedRun(failed, DUE_AT, new Map([['push', { kind: 'passed' }]]));
    expect(passed.setbacks).toEqual({});
  });

  test('the document survives its way through the store, and no other one is believed', () => {
    const control = endedRun(NO_CONTROL, DUE_AT, FAILED);
    expect(parseRedriveControl(JSON.parse(JSON.stringify(control)))).toEqual(control);
    expect(parseRedriveControl({ lease: 'mine' })).toBeUndefined();
    expect(parseRedriveControl(null)).toBeUndefined();
  });

  test('redrives from before the instant are counted until the use-by time, the frequent ones first', () => {
    const NONE: RunMemory['verdicts'] = new Map();
    const key = (index: number) => `k1_${index}` as SendKey;
    const until = DUE_AT + HOUR_MS;
    let control = endedRun(NO_CONTROL, DUE_AT, NONE, new Map([[key(0), until]]));
    control = endedRun(control, DUE_AT, NONE, new Map([[key(0), until]]));
    expect(control.early).toEqual({ [key(0)]: { redrives: 2, until } });
    const crowd = Array.from({ length: 300 }, (_, index) => [key(index + 1), until] as const);
    control = endedRun(control, DUE_AT, NONE, new Map(crowd));
    expect(Object.keys(control.early)).toHaveLength(200);
    expect(control.early[key(0)]?.redrives).toBe(2);
    expect(parseRedriveControl(JSON.parse(JSON.stringify(control)))).toEqual(control);
    expect(endedRun(control, until, NONE).early).toEqual({});
  });

  test('a lease keeps others out until its end and the skew', () => {
    const lease = { runId: 'a', startedAt: DUE_AT, until: DUE_AT + 1000 };
    const control = { ...NO_CONTROL, lease };
    expect(leaseAlive(control, DUE_AT + 5_999, 5_000)).toBe(true);
    expect(leaseAlive(control, DUE_AT + 6_000, 5_000)).toBe(false);
    expect(leaseAlive(NO_CONTROL, DUE_AT, 5_000)).toBe(false);
  });
});

describe('the sentence for people', () => {
  const decisions = [
    { reason: 'EXHAUSTED', count: 30 },
    { reason: 'NO_ROW', count: 8 },
    { reason: 'SENT', count: 11 },
    { reason: 'DECISION_NEEDED', count: 2 },
    { reason: 'AT_CAP', count: 1 },
    { reason: 'PROVIDER_WINDOW_OVER', count: 4 },
  ];

  test('adds up what reads alike', () => {
    expect(redriveWords('plan', decisions, 'dead-letters-read', 0)).toBe(
      "38 would be sent, 11 already sent (settled), 2 unknown kept for a decision, 4 past the provider's window, 1 at their cap",
    );
  });

  test('says what failed and why it stopped', () => {
    expect(redriveWords('redrive', decisions.slice(0, 1), 'run-budget', 3)).toBe(
      '30 redriven to be sent; 3 of these failed and stay; stopped early: run-budget',
    );
    expect(redriveWords('plan', [], 'dead-letters-read', 0)).toBe('no dead letters looked at');
  });
});
