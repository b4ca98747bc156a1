import { describe, expect, test } from 'vitest';
import type { ClaimToken } from '#core/brand.ts';
import { expiredRow, firstClaim } from '#core/claim.ts';
import {
  advance,
  expiryOf,
  HISTORY_LENGTH,
  isTerminal,
  LEDGER_STATES,
} from '#core/ledger-record.ts';
import { ATTEMPTS, aDelivery, aRow, DAY_MS, DUE_AT, SETTINGS } from '#test/support/core-data.ts';

test('three states are terminal', () => {
  expect(LEDGER_STATES.filter(isTerminal)).toEqual(['SENT', 'REJECTED', 'EXPIRED']);
});

describe('a transition', () => {
  test('changes what it names and notes itself in the history', () => {
    const row = aRow('CLAIMED');
    const next = advance(row, { state: 'SENT', reason: 'ACCEPTED', receipt: 'r' }, DUE_AT + 5, 60);
    expect(next).toEqual({
      ...row,
      state: 'SENT',
      reason: 'ACCEPTED',
      receipt: 'r',
      history: [...row.history, { state: 'SENT', at: DUE_AT + 5, attempt: 0, reason: 'ACCEPTED' }],
    });
  });

  test('leaves the row that it came from alone', () => {
    const row = aRow('CLAIMED');
    const before = structuredClone(row);
    advance(row, { state: 'SENT', reason: 'ACCEPTED' }, DUE_AT, 60);
    expect(row).toEqual(before);
  });

  test('keeps the ten newest entries', () => {
    let row = aRow('CLAIMED');
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      row = advance(row, { state: 'DEFERRED', reason: 'HTTP_429', attempt }, DUE_AT, 60);
    }
    expect(row.history).toHaveLength(HISTORY_LENGTH);
    expect(row.history.map((entry) => entry.attempt)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('never shortens the row’s time to live', () => {
    const row = aRow('CLAIMED');
    const change = { state: 'DEFERRED', reason: 'HTTP_429' } as const;
    expect(advance(row, change, DUE_AT + DAY_MS, SETTINGS.ttlSeconds).expiresAt).toBe(
      row.expiresAt + 86_400,
    );
    expect(advance(row, change, DUE_AT - DAY_MS, SETTINGS.ttlSeconds).expiresAt).toBe(
      row.expiresAt,
    );
    expect(advance(row, change, DUE_AT, 60).expiresAt).toBe(row.expiresAt);
  });
});

test('time to live is in whole epoch seconds, rounded up', () => {
  expect(expiryOf(DUE_AT + 1, 10)).toBe(DUE_AT / 1000 + 11);
});

describe('the first claim', () => {
  const delivery = aDelivery({ attempt: 2 });
  const token = 't_1' as ClaimToken;

  test('holds the lease, the attempt and the whole budget', () => {
    expect(firstClaim(delivery, token, DUE_AT, SETTINGS)).toMatchObject({
      sendKey: delivery.identity.sendKey,
      state: 'CLAIMED',
      claimToken: token,
      claimedAt: DUE_AT,
      leaseUntil: DUE_AT + SETTINGS.leaseMs,
      attempt: 2,
      attemptLimit: 2 + ATTEMPTS,
      firstSendAt: DUE_AT,
      notBefore: null,
      bodyHash: delivery.bodyHash,
      receipt: null,
      redriveCount: 0,
      scheduledAt: DUE_AT,
      expiresAt: expiryOf(DUE_AT, SETTINGS.ttlSeconds),
    });
  });

  test('of a late reminder is EXPIRED and was never sent', () => {
    expect(expiredRow(delivery, token, DUE_AT, SETTINGS)).toMatchObject({
      state: 'EXPIRED',
      reason: 'USE_BY_PASSED',
      firstSendAt: null,
      leaseUntil: DUE_AT,
    });
  });

  test('holds no id, address or body', () => {
    const text = JSON.stringify(firstClaim(delivery, token, DUE_AT, SETTINGS));
    for (const secret of ['u_4471', 'r_trial_end', 'Your trial'])
      expect(text).not.toContain(secret);
  });
});
