import { describe, expect, test } from 'vitest';
import type { ClaimToken } from '#core/brand.ts';
import type { Delivery } from '#core/delivery.ts';
import type { LedgerRecord, LedgerState } from '#core/ledger-record.ts';
import { contentConflict, type PlanAfterClaim, planAfterClaim } from '#core/plan-after-claim.ts';
import { aDelivery, aRow, DAY_MS, DUE_AT, SETTINGS } from '#test/support/core-data.ts';

const TOKEN = 't_second' as ClaimToken;
const LATE = DUE_AT + 2 * DAY_MS + 1;
/** When a claim made at DUE_AT may be taken over: lease and skew are over. */
const TAKEOVER_AT = DUE_AT + SETTINGS.leaseMs + SETTINGS.skewMs;

function plan(
  row: LedgerRecord,
  now: number,
  delivery: Delivery = aDelivery(),
  fraction = 0,
): PlanAfterClaim {
  return planAfterClaim({ row, delivery, token: TOKEN, now, fraction, settings: SETTINGS });
}

describe('protocol section 4: SENT, REJECTED or EXPIRED already', () => {
  test.each(['SENT', 'REJECTED', 'EXPIRED'] as const)('%s: ack, the row stays', (state) => {
    for (const now of [DUE_AT, LATE, DUE_AT + 400 * DAY_MS]) {
      expect(plan(aRow(state), now)).toEqual({
        kind: 'settle',
        settlement: { kind: 'ack' },
        outcome: 'duplicate',
      });
    }
  });

  test('field report 21: a time to live in the past changes nothing', () => {
    const row = aRow('SENT', { expiresAt: DUE_AT / 1000 - 3 * 86_400 });
    expect(plan(row, DUE_AT)).toMatchObject({ kind: 'settle', outcome: 'duplicate' });
  });

  test('another body is a content conflict', () => {
    expect(contentConflict(aRow('SENT'), aDelivery())).toBe(false);
    expect(contentConflict(aRow('SENT'), aDelivery({}, {}, 'Other words'))).toBe(true);
  });
});

describe('protocol section 4: held by another, lease alive', () => {
  test('postpone to the lease’s end, the skew and the jitter', () => {
    const until = (fraction: number) => {
      const { settlement } = plan(aRow('CLAIMED'), DUE_AT, aDelivery(), fraction) as {
        settlement: unknown;
      };
      return settlement;
    };
    const copy = { attempt: 0, hop: 1 };
    expect(until(0)).toEqual({ kind: 'postpone', until: TAKEOVER_AT, copy });
    expect(until(0.5)).toEqual({ kind: 'postpone', until: TAKEOVER_AT + 2_500, copy });
  });

  test('a delivery behind the claim owes the claim’s copy', () => {
    const row = aRow('CLAIMED', { attempt: 3 });
    expect(plan(row, DUE_AT)).toMatchObject({ settlement: { copy: { attempt: 3, hop: 0 } } });
  });

  test('field report 24: not a millisecond before lease and skew are over', () => {
    const row = aRow('CLAIMED');
    expect(plan(row, TAKEOVER_AT - 1)).toMatchObject({ kind: 'settle', outcome: 'held' });
    expect(plan(row, TAKEOVER_AT)).toMatchObject({ kind: 'take-over' });
  });

  test('a claim in the future of this clock is alive', () => {
    expect(plan(aRow('CLAIMED'), DUE_AT - 120_000)).toMatchObject({ outcome: 'held' });
  });

  test('the use-by time does not open a claim that may be sending right now', () => {
    const row = aRow('CLAIMED', { leaseUntil: LATE + 1000 });
    expect(plan(row, LATE)).toMatchObject({ kind: 'settle', outcome: 'held' });
  });
});

describe('protocol section 4: DEFERRED', () => {
  const row = aRow('DEFERRED');

  test('not due: postpone to notBefore under the owed copy’s name', () => {
    expect(plan(row, DUE_AT + 59_999)).toEqual({
      kind: 'settle',
      settlement: { kind: 'postpone', until: DUE_AT + 60_000, copy: { attempt: 1, hop: 0 } },
      outcome: 'not-due',
    });
  });

  test('not due, met by its own copy: the copy’s next hop', () => {
    expect(plan(row, DUE_AT, aDelivery({ attempt: 1, hop: 2 }))).toMatchObject({
      settlement: { copy: { attempt: 1, hop: 3 } },
    });
  });

  test.each([0, 1])('due: claimed again for a certain send, by a copy of attempt %d', (attempt) => {
    const now = DUE_AT + 60_000;
    expect(plan(row, now, aDelivery({ attempt }))).toMatchObject({
      kind: 'take-over',
      askFirst: false,
      uncertain: false,
      next: {
        state: 'CLAIMED',
        reason: 'RETRY_DUE',
        claimToken: TOKEN,
        claimedAt: now,
        leaseUntil: now + SETTINGS.leaseMs,
        attempt: 1,
        attemptLimit: row.attemptLimit,
        firstSendAt: now,
        notBefore: null,
      },
    });
  });

  test('due with new content: the newest content is claimed, and it is a conflict to count', () => {
    const delivery = aDelivery({}, {}, 'Newer words');
    const found = plan(row, DUE_AT + 60_000, delivery);
    expect(found).toMatchObject({ kind: 'take-over', next: { bodyHash: delivery.bodyHash } });
    expect(contentConflict(row, delivery)).toBe(true);
  });

  test('due at a provider that was changed meanwhile: nothing stands against it', () => {
    const delivery = aDelivery({}, { provider: 'other-service' });
    expect(plan(row, DUE_AT + 60_000, delivery)).toMatchObject({
      kind: 'take-over',
      next: { provider: 'other-service' },
    });
  });
});

describe('protocol section 4: past use-by, not sent', () => {
  test.each(['DEFERRED', 'EXHAUSTED'] as const)('%s becomes EXPIRED, then ack', (state) => {
    expect(plan(aRow(state), LATE - 1)).not.toMatchObject({ next: { state: 'EXPIRED' } });
    expect(plan(aRow(state), LATE)).toMatchObject({
      kind: 'replace',
      settlement: { kind: 'ack' },
      outcome: 'expired',
      next: { state: 'EXPIRED', reason: 'USE_BY_PASSED', claimToken: 't_first', notBefore: null },
    });
  });
});

test('protocol section 4: EXHAUSTED is left, the row stays', () => {
  expect(plan(aRow('EXHAUSTED'), DUE_AT + DAY_MS)).toEqual({
    kind: 'settle',
    settlement: { kind: 'leave' },
    outcome: 'exhausted',
  });
});

describe('protocol section 4: UNKNOWN before an accepted request must have surfaced', () => {
  test.each(['dedupes', 'queryable', 'blind'] as const)('%s: postpone', (providerClass) => {
    const row = aRow('UNKNOWN');
    expect(plan(row, DUE_AT + 29_999, aDelivery({}, { providerClass }))).toEqual({
      kind: 'settle',
      settlement: { kind: 'postpone', until: DUE_AT + 30_000, copy: { attempt: 0, hop: 1 } },
      outcome: 'settling',
    });
  });
});

/** A claim whose lease is over and an UNKNOWN row whose wait is over mean the same. */
const UNCERTAIN: readonly (readonly [LedgerState, number])[] = [
  ['CLAIMED', TAKEOVER_AT],
  ['UNKNOWN', DUE_AT + 30_000],
];

describe.each(UNCERTAIN)('protocol section 3: %s, to be settled', (state, now) => {
  const row = aRow(state);

  test('dedupes inside the window: the same key and body again, still uncertain', () => {
    expect(plan(row, now)).toMatchObject({
      kind: 'take-over',
      askFirst: false,
      uncertain: true,
      next: {
        state: 'CLAIMED',
        reason: 'RESEND_SAME_KEY',
        claimToken: TOKEN,
        attempt: 1,
        firstSendAt: row.firstSendAt,
        bodyHash: row.bodyHash,
      },
    });
  });

  test('queryable: ask first', () => {
    expect(plan(row, now, aDelivery({}, { providerClass: 'queryable' }))).toMatchObject({
      kind: 'take-over',
      askFirst: true,
      uncertain: true,
      next: { reason: 'ASK_PROVIDER', attempt: 1, firstSendAt: row.firstSendAt },
    });
  });

  test('blind and park: UNKNOWN with its reason, left for the dead-letter queue', () => {
    expect(plan(row, now, aDelivery({}, { providerClass: 'blind' }))).toMatchObject({
      kind: 'replace',
      settlement: { kind: 'leave' },
      outcome: 'parked',
      next: { state: 'UNKNOWN', reason: 'PARKED_BLIND', claimToken: 't_first', notBefore: null },
    });
  });

  test('blind and resend: sent anew, and the row says by what right', () => {
    const delivery = aDelivery({}, { providerClass: 'blind', blindPolicy: 'resend' });
    expect(plan(row, now, delivery)).toMatchObject({
      kind: 'take-over',
      askFirst: false,
      uncertain: false,
      next: { reason: 'RESEND_BY_POLICY', attempt: 1, firstSendAt: now },
    });
  });

  test('blind and assume-sent: SENT without proof, and the row says so', () => {
    const delivery = aDelivery({}, { providerClass: 'blind', blindPolicy: 'assume-sent' });
    expect(plan(row, now, delivery)).toMatchObject({
      kind: 'replace',
      settlement: { kind: 'ack' },
      outcome: 'assumed-sent',
      next: { state: 'SENT', receipt: 'assumed', reason: 'ASSUMED_SENT_BY_POLICY' },
    });
  });

  test('a copy ahead of the row takes the attempt with it: attempts only grow', () => {
    expect(plan(row, now, aDelivery({ attempt: 4 }))).toMatchObject({ next: { attempt: 4 } });
  });
});

test('a parked row is left as it is: no write, no burnt unit', () => {
  const row = aRow('UNKNOWN', { reason: 'PARKED_BLIND', notBefore: null });
  expect(plan(row, DUE_AT + DAY_MS, aDelivery({}, { providerClass: 'blind' }))).toEqual({
    kind: 'settle',
    settlement: { kind: 'leave' },
    outcome: 'parked',
  });
});
