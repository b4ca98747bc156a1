import { describe, expect, test } from 'vitest';
import type { LedgerRecord } from '#core/ledger-record.ts';
import { planAfterAsk, planAfterSend, planNotSent, planTooLate } from '#core/plan-after-send.ts';
import type { Reminder } from '#core/reminder.ts';
import type { QueryResult, SenderProfile, SendResult } from '#core/send-result.ts';
import { ATTEMPTS, aDelivery, aRow, DAY_MS, DUE_AT, SETTINGS } from '#test/support/core-data.ts';

const NOW = DUE_AT + 2_000;
const ACCEPTED: SendResult = { kind: 'accepted', receipt: 'rcpt_1' };
const DEFERRED: SendResult = { kind: 'deferred', code: 'HTTP_429' };
const REJECTED: SendResult = { kind: 'rejected', code: 'HTTP_422' };
const UNKNOWN: SendResult = { kind: 'unknown', cause: 'TIMEOUT' };
const STOPPED: SendResult = { kind: 'channel-stopped', code: 'HTTP_401' };

type Case = {
  readonly row?: Partial<LedgerRecord>;
  readonly reminder?: Partial<Reminder>;
  readonly profile?: Partial<SenderProfile>;
  readonly uncertain?: boolean;
  readonly fraction?: number;
  readonly now?: number;
};

function sent({ row, reminder, profile, uncertain = false, fraction = 0.5, now = NOW }: Case) {
  const delivery = aDelivery(reminder, profile);
  return {
    row: aRow('CLAIMED', row, delivery),
    delivery,
    uncertain,
    now,
    fraction,
    settings: SETTINGS,
  };
}
const planned = (result: SendResult, given: Case = {}) => planAfterSend(sent(given), result);
const asked = (result: QueryResult, given: Case = {}) =>
  planAfterAsk(
    sent({ uncertain: true, profile: { providerClass: 'queryable' }, ...given }),
    result,
  );

const ACK = { kind: 'ack' };
const LEAVE = { kind: 'leave' };
const postponed = (until: number, attempt: number, hop: number) => ({
  kind: 'postpone',
  until,
  copy: { attempt, hop },
});
/** An earlier send, a minute before this claim, may have been accepted. */
const EARLIER = { firstSendAt: DUE_AT - 60_000, attempt: 1 };

describe('protocol section 4: accepted', () => {
  test.each([false, true])(
    'SENT with the receipt, then ack (uncertain before: %s)',
    (uncertain) => {
      expect(planned(ACCEPTED, { uncertain })).toMatchObject({
        settlement: ACK,
        outcome: 'sent',
        next: { state: 'SENT', receipt: 'rcpt_1', reason: 'ACCEPTED', claimToken: 't_first' },
      });
    },
  );

  test('even after the use-by time and the last attempt: it happened', () => {
    const given = { now: DUE_AT + 9 * DAY_MS, row: { attempt: 99 } };
    expect(planned(ACCEPTED, given)).toMatchObject({ outcome: 'sent', next: { state: 'SENT' } });
  });
});

describe('protocol section 4: deferred, attempts left', () => {
  test('DEFERRED with the next attempt and its instant, published before the ack', () => {
    expect(planned(DEFERRED)).toMatchObject({
      settlement: postponed(NOW + 30_000, 1, 0),
      outcome: 'deferred',
      next: {
        state: 'DEFERRED',
        reason: 'HTTP_429',
        attempt: 1,
        notBefore: NOW + 30_000,
        firstSendAt: null,
      },
    });
  });

  test.each([
    [0, 60],
    [1, 300],
    [2, 900],
    [3, 3600],
    [4, 21_600],
  ])('attempt %d waits on its own step of the ladder', (attempt, seconds) => {
    expect(planned(DEFERRED, { row: { attempt } }).next.notBefore).toBe(NOW + seconds * 500);
  });

  test('a reopened row starts its ladder again while its attempts go on', () => {
    const row = { attempt: 6, attemptLimit: 6 + ATTEMPTS };
    expect(planned(DEFERRED, { row }).next).toMatchObject({ attempt: 7, notBefore: NOW + 30_000 });
  });

  test('Retry-After is a floor', () => {
    const result: SendResult = { ...DEFERRED, retryAfterSeconds: 120 };
    expect(planned(result).next.notBefore).toBe(NOW + 120_000);
  });

  test('a fraction of a second in the ladder still gives whole milliseconds', () => {
    const given = sent({});
    const settings = { ...SETTINGS, ladderSeconds: [1.0005] };
    const result: SendResult = { ...DEFERRED, retryAfterSeconds: 60 };
    const { next } = planAfterSend({ ...given, settings }, result);
    expect(Number.isInteger(next.notBefore)).toBe(true);
  });

  test('the delivery of a reopened attempt that is behind its row owes the row’s next copy', () => {
    const given = { row: { attempt: 3 }, reminder: { attempt: 0, hop: 2 } };
    expect(planned(DEFERRED, given).settlement).toMatchObject({ copy: { attempt: 4, hop: 0 } });
  });
});

describe('protocol section 4: deferred, none left', () => {
  test('field report 56: after exactly six attempts EXHAUSTED, left for the dead-letter queue', () => {
    expect(planned(DEFERRED, { row: { attempt: 4 } }).next.state).toBe('DEFERRED');
    expect(planned(DEFERRED, { row: { attempt: 5 } })).toMatchObject({
      settlement: LEAVE,
      outcome: 'exhausted',
      next: { state: 'EXHAUSTED', reason: 'HTTP_429', attempt: 5, firstSendAt: null },
    });
  });
});

describe('deferred while an earlier send may have been accepted: still UNKNOWN', () => {
  test('settled later, the window counted from that earlier send', () => {
    const plan = planned(DEFERRED, { uncertain: true, row: EARLIER });
    expect(plan).toMatchObject({
      settlement: postponed(NOW + 150_000, 1, 0),
      outcome: 'settling',
      next: { state: 'UNKNOWN', attempt: 1, firstSendAt: EARLIER.firstSendAt },
    });
  });

  test('parked when the attempts are used up, never EXHAUSTED', () => {
    expect(planned(DEFERRED, { uncertain: true, row: { ...EARLIER, attempt: 5 } })).toMatchObject({
      settlement: LEAVE,
      outcome: 'parked',
      next: { state: 'UNKNOWN', reason: 'PARKED_ATTEMPTS_USED' },
    });
  });
});

describe('protocol section 4: rejected', () => {
  test('REJECTED with the code, then ack', () => {
    expect(planned(REJECTED)).toMatchObject({
      settlement: ACK,
      outcome: 'rejected',
      next: { state: 'REJECTED', reason: 'HTTP_422', firstSendAt: null, receipt: null },
    });
  });

  test('after an unknown outcome it proves nothing about that outcome: parked', () => {
    expect(planned(REJECTED, { uncertain: true, row: EARLIER })).toMatchObject({
      settlement: LEAVE,
      outcome: 'parked',
      next: {
        state: 'UNKNOWN',
        reason: 'PARKED_REJECTED_AFTER_UNKNOWN',
        firstSendAt: EARLIER.firstSendAt,
      },
    });
  });
});

describe('protocol section 4: unknown', () => {
  test.each(['dedupes', 'queryable'] as const)('%s: UNKNOWN, postponed a short while', (of) => {
    expect(planned(UNKNOWN, { profile: { providerClass: of } })).toMatchObject({
      settlement: postponed(NOW + 30_000, 0, 1),
      outcome: 'settling',
      next: { state: 'UNKNOWN', reason: 'TIMEOUT', notBefore: NOW + 30_000, firstSendAt: DUE_AT },
    });
  });

  test('not before an accepted request must have surfaced, by any worker’s clock', () => {
    const plan = planned(UNKNOWN, { profile: { commitSeconds: 120 } });
    expect(plan.next.notBefore).toBe(NOW + 120_000 + SETTINGS.skewMs);
  });

  test('later attempts wait longer, by the ladder', () => {
    const plan = planned(UNKNOWN, { row: { ...EARLIER, attempt: 2 }, uncertain: true });
    expect(plan.next).toMatchObject({ notBefore: NOW + 450_000, firstSendAt: EARLIER.firstSendAt });
  });

  test('blind and park: UNKNOWN, left', () => {
    expect(planned(UNKNOWN, { profile: { providerClass: 'blind' } })).toMatchObject({
      settlement: LEAVE,
      outcome: 'parked',
      next: { state: 'UNKNOWN', reason: 'PARKED_BLIND', firstSendAt: DUE_AT },
    });
  });

  test('blind and resend: UNKNOWN, postponed', () => {
    const profile = { providerClass: 'blind', blindPolicy: 'resend' } as const;
    expect(planned(UNKNOWN, { profile })).toMatchObject({
      settlement: { kind: 'postpone' },
      next: { state: 'UNKNOWN', reason: 'TIMEOUT' },
    });
  });

  test('blind and assume-sent: SENT, without proof', () => {
    const profile = { providerClass: 'blind', blindPolicy: 'assume-sent' } as const;
    expect(planned(UNKNOWN, { profile })).toMatchObject({
      settlement: ACK,
      outcome: 'assumed-sent',
      next: { state: 'SENT', receipt: 'assumed', reason: 'ASSUMED_SENT_BY_POLICY' },
    });
  });

  test('dedupes with its last attempt used: parked', () => {
    expect(planned(UNKNOWN, { row: { attempt: 5 } })).toMatchObject({
      settlement: LEAVE,
      next: { state: 'UNKNOWN', reason: 'PARKED_ATTEMPTS_USED' },
    });
  });

  test('dedupes with its window over: parked with that reason', () => {
    const row = { attempt: 1, firstSendAt: DUE_AT - 25 * 3_600_000 };
    expect(planned(UNKNOWN, { row, uncertain: true })).toMatchObject({
      settlement: LEAVE,
      next: { state: 'UNKNOWN', reason: 'PARKED_WINDOW_OVER' },
    });
  });

  test('a claim after a proved deferral counts its window from itself', () => {
    const row = { claimedAt: NOW - 500, firstSendAt: NOW - 500, attempt: 1 };
    expect(planned(UNKNOWN, { row }).next.firstSendAt).toBe(NOW - 500);
  });
});

describe('protocol section 3: the channel is misconfigured', () => {
  test('the reminder is not burnt: DEFERRED with its attempt unused', () => {
    expect(planned(STOPPED)).toMatchObject({
      settlement: postponed(NOW + 300_000, 0, 1),
      outcome: 'channel-stopped',
      next: { state: 'DEFERRED', reason: 'HTTP_401', attempt: 0, firstSendAt: null },
    });
  });

  test('an earlier unknown outcome stays unknown', () => {
    expect(planned(STOPPED, { uncertain: true, row: EARLIER })).toMatchObject({
      next: { state: 'UNKNOWN', firstSendAt: EARLIER.firstSendAt, attempt: 1 },
    });
  });
});

describe('asking a queryable provider', () => {
  test('found: SENT with that receipt', () => {
    expect(asked({ kind: 'found', receipt: 'rcpt_0' }, { row: EARLIER })).toMatchObject({
      settlement: ACK,
      outcome: 'sent',
      next: { state: 'SENT', receipt: 'rcpt_0', reason: 'FOUND_AT_PROVIDER' },
    });
  });

  test('provably absent: send now', () => {
    expect(asked({ kind: 'absent' }, { row: EARLIER })).toBeNull();
  });

  test('provably absent past use-by: EXPIRED, not sent late', () => {
    expect(asked({ kind: 'absent' }, { row: EARLIER, now: DUE_AT + 2 * DAY_MS + 1 })).toMatchObject(
      {
        settlement: ACK,
        outcome: 'expired',
        next: { state: 'EXPIRED', firstSendAt: null },
      },
    );
  });

  test('provably absent with the attempts used up: EXHAUSTED', () => {
    expect(asked({ kind: 'absent' }, { row: { ...EARLIER, attempt: 5 } })).toBeNull();
    expect(asked({ kind: 'absent' }, { row: { ...EARLIER, attempt: 6 } })).toMatchObject({
      settlement: LEAVE,
      outcome: 'exhausted',
      next: { state: 'EXHAUSTED', reason: 'ABSENT_AT_PROVIDER', firstSendAt: null },
    });
  });

  test('cannot tell: UNKNOWN, asked later', () => {
    expect(asked({ kind: 'cannot-tell', cause: 'HTTP_500' }, { row: EARLIER })).toMatchObject({
      settlement: { kind: 'postpone', copy: { attempt: 1, hop: 0 } },
      outcome: 'settling',
      next: { state: 'UNKNOWN', reason: 'HTTP_500', firstSendAt: EARLIER.firstSendAt },
    });
  });

  test('credentials refused: UNKNOWN, the channel stops', () => {
    expect(asked({ kind: 'channel-stopped', code: 'HTTP_403' }, { row: EARLIER })).toMatchObject({
      outcome: 'channel-stopped',
      next: { state: 'UNKNOWN', firstSendAt: EARLIER.firstSendAt },
    });
  });
});

describe('no call was made', () => {
  test('the claim is given back, the attempt unused, the copy spread over the jitter', () => {
    expect(planNotSent(sent({}), 'RUN_BUDGET')).toMatchObject({
      settlement: postponed(NOW + 2_500, 0, 1),
      outcome: 'not-sent',
      next: { state: 'DEFERRED', reason: 'RUN_BUDGET', attempt: 0, firstSendAt: null },
    });
  });

  test('field report 23: a claim that woke too late over an unknown outcome leaves it unknown', () => {
    const given = sent({ uncertain: true, row: EARLIER });
    expect(planNotSent(given, 'LEASE_TOO_SHORT').next).toMatchObject({
      state: 'UNKNOWN',
      firstSendAt: EARLIER.firstSendAt,
    });
  });
});

describe('use-by passed while the claim waited for its turn', () => {
  const USE_BY = DUE_AT + 2 * DAY_MS;

  test('at its last instant it may still be sent', () => {
    expect(planTooLate(sent({ now: USE_BY }))).toBeNull();
  });

  test('EXPIRED when nothing was ever sent', () => {
    expect(planTooLate(sent({ now: USE_BY + 1 }))).toMatchObject({
      settlement: ACK,
      outcome: 'expired',
      next: { state: 'EXPIRED', reason: 'USE_BY_PASSED', firstSendAt: null },
    });
  });

  test('parked when an earlier send may have been accepted', () => {
    expect(planTooLate(sent({ now: USE_BY + 1, uncertain: true, row: EARLIER }))).toMatchObject({
      settlement: LEAVE,
      outcome: 'parked',
      next: {
        state: 'UNKNOWN',
        reason: 'PARKED_USE_BY_PASSED',
        firstSendAt: EARLIER.firstSendAt,
      },
    });
  });
});
