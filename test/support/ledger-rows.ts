import { randomBytes, randomUUID } from 'node:crypto';
import type { ClaimToken, SendKey } from '#core/brand.ts';
import { advance, expiryOf, type LedgerRecord, type LedgerState } from '#core/ledger-record.ts';

/** 2026-07-26T09:00:00Z */
export const BASE_AT = Date.UTC(2026, 6, 26, 9);
export const LEASE_MS = 90_000;
/** Far ahead of any clock: DynamoDB Local deletes rows whose TTL is over, sometimes at once. */
export const TTL_SECONDS = 75 * 365 * 86_400;

export function aSendKey(): SendKey {
  return `k1_${randomBytes(32).toString('hex')}` as SendKey;
}

export function aClaimToken(): ClaimToken {
  return randomUUID() as ClaimToken;
}

/** A row as a worker's first claim writes it. */
export function aClaimedRow(change: Partial<LedgerRecord> = {}): LedgerRecord {
  const claimedAt = change.claimedAt ?? BASE_AT;
  return {
    sendKey: aSendKey(),
    state: 'CLAIMED',
    claimToken: aClaimToken(),
    claimedAt,
    leaseUntil: claimedAt + LEASE_MS,
    attempt: 0,
    attemptLimit: 6,
    firstSendAt: claimedAt,
    notBefore: null,
    bodyHash: `b1_${randomBytes(16).toString('hex')}`,
    receipt: null,
    provider: 'push-service',
    channel: 'push',
    redriveCount: 0,
    userRef: `u1_${randomBytes(16).toString('hex')}`,
    scheduledAt: claimedAt - 1_000,
    reason: 'FIRST_CLAIM',
    history: [{ state: 'CLAIMED', at: claimedAt, attempt: 0, reason: 'FIRST_CLAIM' }],
    expiresAt: expiryOf(claimedAt, TTL_SECONDS),
    ...change,
  };
}

/** The row after its worker finished with it, under the same token. */
export function finished(
  row: LedgerRecord,
  state: LedgerState,
  change: Partial<LedgerRecord> = {},
): LedgerRecord {
  const receipt = state === 'SENT' ? 'rcpt_0001' : null;
  const reason = `TEST_${state}`;
  return advance(row, { receipt, ...change, state, reason }, row.claimedAt + 1_000, TTL_SECONDS);
}

/** The row after another worker took it over, under a token of its own. */
export function takenOver(row: LedgerRecord, at = row.leaseUntil + 60_000): LedgerRecord {
  return advance(
    row,
    {
      state: 'CLAIMED',
      reason: 'LEASE_OVER',
      claimToken: aClaimToken(),
      claimedAt: at,
      leaseUntil: at + LEASE_MS,
    },
    at,
    TTL_SECONDS,
  );
}
