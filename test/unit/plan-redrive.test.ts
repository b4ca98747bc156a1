import { describe, expect, test } from 'vitest';
import { instantOf } from '#core/instant.ts';
import { planRedrive, type RedriveMoment, type RedriveRules } from '#core/plan-redrive.ts';
import { REOPENED, reopen } from '#core/reopen.ts';
import {
  ATTEMPTS,
  aDelivery,
  aRow,
  DAY_MS,
  DUE_AT,
  HOUR_MS,
  SETTINGS,
} from '#test/support/core-data.ts';
import {
  BLIND,
  blindWith,
  FORCED,
  MOMENT,
  NOW,
  OTHER_CONTENT,
  plan,
  QUERYABLE,
  REQUESTED,
  SCHEDULED,
  TOKEN,
  UNWELL,
  written,
} from '#test/support/redrive-plan.ts';

describe('settled rows leave the dead-letter queue and nothing is sent', () => {
  test.each(['SENT', 'REJECTED', 'EXPIRED'] as const)('%s', (state) => {
    expect(plan(aRow(state))).toEqual({
      action: 'settle',
      reason: state,
      detail: `TEST_${state}`,
      write: { kind: 'none' },
    });
  });

  test('a sent reminder with other content is settled too, even under force', () => {
    const decision = plan(aRow('SENT'), { delivery: OTHER_CONTENT, rules: FORCED });
    expect(decision).toMatchObject({ action: 'settle', reason: 'SENT' });
  });

  test('field report 64: what is past its use-by time is expired, not sent late', () => {
    const late = { now: DUE_AT + 2 * DAY_MS + 1 };
    for (const state of ['DEFERRED', 'EXHAUSTED'] as const) {
      const decision = plan(aRow(state, { redriveCount: 9 }), { moment: late });
      expect(decision).toMatchObject({ action: 'settle', reason: 'USE_BY_PASSED' });
      expect(written(decision)).toMatchObject({ state: 'EXPIRED', reason: 'USE_BY_PASSED' });
    }
    const decision = plan({ kind: 'absent' }, { moment: late });
    expect(decision).toMatchObject({ action: 'settle', reason: 'USE_BY_PASSED' });
    expect(decision).toMatchObject({ write: { kind: 'create', next: { state: 'EXPIRED' } } });
  });

  test('the use-by boundary itself is still in time', () => {
    const decision = plan(aRow('EXHAUSTED'), { moment: { now: DUE_AT + 2 * DAY_MS } });
    expect(decision.action).toBe('redrive');
  });
});

describe('what is provably not sent goes back with a new budget', () => {
  test('EXHAUSTED is due now, at the next attempt, under a fresh token', () => {
    const row = aRow('EXHAUSTED', { attempt: 5, attemptLimit: 6, redriveCount: 1 });
    const decision = plan(row);
    expect(decision).toMatchObject({ action: 'redrive', reason: 'EXHAUSTED' });
    expect(decision).toMatchObject({ write: { kind: 'replace', seen: row } });
    expect(written(decision)).toMatchObject({
      state: 'DEFERRED',
      reason: REOPENED,
      claimToken: TOKEN,
      attempt: 6,
      attemptLimit: 6 + ATTEMPTS,
      notBefore: NOW,
      firstSendAt: null,
      redriveCount: 2,
    });
  });

  test('DEFERRED keeps its attempt, which was never made, and the wait the provider asked for', () => {
    const row = aRow('DEFERRED', { attempt: 2, attemptLimit: 6, notBefore: NOW + HOUR_MS });
    const decision = plan(row);
    expect(decision).toMatchObject({ action: 'redrive', reason: 'DEFERRED' });
    expect(written(decision)).toMatchObject({
      state: 'DEFERRED',
      attempt: 2,
      attemptLimit: 2 + ATTEMPTS,
      notBefore: NOW + HOUR_MS,
      redriveCount: 1,
    });
  });

  test('no row: one is made, so that its redrives are counted like every other', () => {
    const decision = plan({ kind: 'absent' });
    expect(decision).toMatchObject({ action: 'redrive', reason: 'NO_ROW' });
    expect(decision).toMatchObject({ write: { kind: 'create' } });
    expect(written(decision)).toMatchObject({
      state: 'DEFERRED',
      reason: REOPENED,
      redriveCount: 1,
      attempt: 0,
      attemptLimit: ATTEMPTS,
      firstSendAt: null,
      notBefore: NOW,
    });
  });

  test('no row, not due yet: none is made, since a new key epoch may not be known here yet', () => {
    const delivery = aDelivery({ scheduledAt: instantOf(NOW + DAY_MS) });
    expect(plan({ kind: 'absent' }, { delivery })).toEqual({
      action: 'redrive',
      reason: 'NO_ROW',
      write: { kind: 'none' },
      detail: 'NOT_DUE',
    });
  });

  test('not due: counted beside the ledger, up to the same cap, and the row takes the count over', () => {
    const delivery = aDelivery({ scheduledAt: instantOf(NOW + DAY_MS) });
    const early = (earlyRedrives: number, more: Partial<RedriveMoment> = {}) =>
      plan({ kind: 'absent' }, { delivery, moment: { earlyRedrives, ...more } });
    expect(early(2)).toMatchObject({ action: 'redrive', reason: 'NO_ROW', detail: 'NOT_DUE' });
    expect(early(3)).toMatchObject({ action: 'keep', reason: 'AT_CAP', detail: 'NOT_DUE' });
    const atLast = early(2, { now: NOW + DAY_MS });
    expect(written(atLast)).toMatchObject({ redriveCount: 3, notBefore: NOW + DAY_MS });
    expect(early(3, { now: NOW + DAY_MS })).toMatchObject({ action: 'keep', reason: 'AT_CAP' });
    expect(early(2, { redrivenThisRun: true })).toMatchObject({ reason: 'SAME_REMINDER' });
    expect(early(0, { health: UNWELL.health })).toMatchObject({ reason: 'PROVIDER_UNHEALTHY' });
  });

  test('a copy ahead of its row never makes the attempt number fall', () => {
    const delivery = aDelivery({ attempt: 9 });
    for (const state of ['DEFERRED', 'EXHAUSTED'] as const) {
      const next = written(plan(aRow(state, { attempt: 3 }), { delivery }));
      expect(next).toMatchObject({ attempt: 9, attemptLimit: 9 + ATTEMPTS });
    }
    const next = written(plan(aRow('UNKNOWN', { attempt: 3 }), { delivery }));
    expect(next).toMatchObject({ attempt: 3, attemptLimit: 9 + ATTEMPTS });
  });
});

describe('what may have been accepted', () => {
  test('dedupes, inside the window: back to the consumer, its first send still on record', () => {
    const row = aRow('UNKNOWN', { attempt: 5, attemptLimit: 6, reason: 'PARKED_ATTEMPTS_USED' });
    const decision = plan(row);
    expect(decision).toMatchObject({ action: 'redrive', reason: 'UNKNOWN_DEDUPES' });
    expect(written(decision)).toMatchObject({
      state: 'UNKNOWN',
      attempt: 5,
      attemptLimit: 6 + ATTEMPTS,
      firstSendAt: row.firstSendAt,
      redriveCount: 1,
      claimToken: TOKEN,
    });
  });

  test('field report 29: dedupes, outside the window, is kept and says so, even under force', () => {
    const day3 = { now: DUE_AT + 1.5 * DAY_MS };
    for (const rules of [SCHEDULED, REQUESTED, FORCED]) {
      expect(plan(aRow('UNKNOWN'), { rules, moment: day3 })).toMatchObject({
        action: 'keep',
        reason: 'PROVIDER_WINDOW_OVER',
      });
    }
  });

  test('an unknown that was reopened and outlived the window says so from then on', () => {
    const row = reopen(aRow('UNKNOWN'), aDelivery(), TOKEN, NOW, SETTINGS);
    expect(row).toMatchObject({ state: 'UNKNOWN', reason: REOPENED });
    const kept = plan(row, { moment: { now: DUE_AT + 1.5 * DAY_MS } });
    expect(kept).toMatchObject({
      action: 'keep',
      reason: 'PROVIDER_WINDOW_OVER',
      write: {
        kind: 'replace',
        seen: row,
        next: { state: 'UNKNOWN', reason: 'PARKED_WINDOW_OVER', claimToken: row.claimToken },
      },
    });
  });

  test('a row that says why it is parked is not written again, nor one whose provider is unwell', () => {
    const parked = aRow('UNKNOWN', { reason: 'PARKED_BLIND' });
    expect(plan(parked, { delivery: BLIND })).not.toHaveProperty('write');
    const waits = plan(aRow('UNKNOWN'), { moment: UNWELL });
    expect(waits).toMatchObject({ action: 'keep', reason: 'PROVIDER_UNHEALTHY' });
    expect(waits).not.toHaveProperty('write');
  });

  test('queryable: back, to be asked', () => {
    const decision = plan(aRow('UNKNOWN'), { delivery: QUERYABLE });
    expect(decision).toMatchObject({ action: 'redrive', reason: 'UNKNOWN_QUERYABLE' });
  });

  test('blind: kept for a decision, even under force', () => {
    for (const rules of [SCHEDULED, REQUESTED, FORCED]) {
      expect(plan(aRow('UNKNOWN'), { delivery: BLIND, rules })).toMatchObject({
        action: 'keep',
        reason: 'DECISION_NEEDED',
        detail: 'PARKED_BLIND',
      });
    }
  });

  test.each([
    ['resend', 'POLICY_RESEND'],
    ['assume-sent', 'POLICY_ASSUME_SENT'],
  ] as const)('blind with policy %s: by request only, never by the schedule', (policy, detail) => {
    const delivery = blindWith(policy);
    const kept = plan(aRow('UNKNOWN'), { delivery });
    expect(kept).toMatchObject({ action: 'keep', reason: 'DECISION_NEEDED', detail });
    const asked = plan(aRow('UNKNOWN'), { delivery, rules: REQUESTED });
    expect(asked).toMatchObject({ action: 'redrive', reason: 'UNKNOWN_BY_POLICY' });
  });

  test('refused after an unknown outcome: only a person knows what to make of it', () => {
    const row = aRow('UNKNOWN', { reason: 'PARKED_REJECTED_AFTER_UNKNOWN' });
    expect(plan(row)).toMatchObject({ action: 'keep', reason: 'DECISION_NEEDED' });
  });

  test('a claim inside its lease and the skew is somebody’s work', () => {
    const row = aRow('CLAIMED');
    const aliveUntil = row.leaseUntil + SETTINGS.skewMs;
    expect(plan(row, { moment: { now: aliveUntil - 1 } })).toMatchObject({
      action: 'keep',
      reason: 'CLAIM_ALIVE',
    });
    const stale = plan(row, { moment: { now: aliveUntil } });
    expect(stale).toMatchObject({
      action: 'redrive',
      reason: 'UNKNOWN_DEDUPES',
      detail: 'STALE_CLAIM',
    });
    expect(written(stale)).toMatchObject({ state: 'UNKNOWN', redriveCount: 1, notBefore: null });
  });
});

describe('what stays', () => {
  test('an invalid payload, unless a person forces it', () => {
    const seen = { kind: 'invalid', reason: 'USER_ID_BLANK' } as const;
    const kept = { action: 'keep', reason: 'INVALID_PAYLOAD', detail: 'USER_ID_BLANK' };
    expect(planRedrive(seen, SCHEDULED, MOMENT)).toEqual(kept);
    expect(planRedrive(seen, REQUESTED, MOMENT)).toEqual(kept);
    expect(planRedrive(seen, FORCED, MOMENT)).toMatchObject({
      action: 'redrive',
      reason: 'FORCED_INVALID',
      write: { kind: 'none' },
    });
  });

  test('a schedule never forces, whatever its rules say', () => {
    const rules: RedriveRules = { ...SCHEDULED, force: true };
    expect(plan(aRow('EXHAUSTED', { redriveCount: 3 }), { rules }).action).toBe('keep');
  });

  test('field report 2: a ledger that does not answer is not an empty one', () => {
    expect(plan({ kind: 'failed', code: 'CALL_BUDGET_SPENT' }, { rules: FORCED })).toEqual({
      action: 'keep',
      reason: 'LEDGER_FAILED',
      detail: 'CALL_BUDGET_SPENT',
    });
  });

  test.each(['DEFERRED', 'EXHAUSTED', 'UNKNOWN'] as const)('%s with other content', (state) => {
    const decision = plan(aRow(state), { delivery: OTHER_CONTENT });
    expect(decision).toMatchObject({ action: 'keep', reason: 'CONTENT_CONFLICT' });
  });

  test('other content may be forced only where nothing can have been accepted', () => {
    const given = { delivery: OTHER_CONTENT, rules: FORCED };
    expect(plan(aRow('EXHAUSTED'), given).action).toBe('redrive');
    expect(plan(aRow('UNKNOWN'), given)).toMatchObject({ reason: 'CONTENT_CONFLICT' });
  });

  test('anything whose provider is unwell, but what needs no provider is settled', () => {
    const given = { moment: UNWELL };
    const kept = { action: 'keep', reason: 'PROVIDER_UNHEALTHY', detail: 'CANARY_HTTP_503' };
    for (const state of ['DEFERRED', 'EXHAUSTED', 'UNKNOWN'] as const) {
      expect(plan(aRow(state), given)).toEqual(kept);
    }
    expect(plan({ kind: 'absent' }, given)).toEqual(kept);
    expect(plan(aRow('EXHAUSTED', { reason: REOPENED }), given)).toEqual(kept);
    expect(plan(aRow('SENT'), given).action).toBe('settle');
  });
});
