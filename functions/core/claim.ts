import type { ClaimToken, EpochMs } from '#core/brand.ts';
import type { Delivery } from '#core/delivery.ts';
import { attemptsPerBudget, type DeliverySettings } from '#core/delivery-settings.ts';
import { advance, expiryOf, type LedgerRecord } from '#core/ledger-record.ts';

/** The row that a worker puts before any risky work, for a key that has none. */
export function firstClaim(
  delivery: Delivery,
  token: ClaimToken,
  now: EpochMs,
  settings: DeliverySettings,
): LedgerRecord {
  return firstRow(delivery, token, now, settings, 'CLAIMED', 'FIRST_CLAIM');
}

/** The row of a reminder that was already past its use-by time when it was first seen. */
export function expiredRow(
  delivery: Delivery,
  token: ClaimToken,
  now: EpochMs,
  settings: DeliverySettings,
): LedgerRecord {
  return firstRow(delivery, token, now, settings, 'EXPIRED', 'USE_BY_PASSED');
}

/** Why a row is claimed again; it also says whether an earlier send may have been accepted. */
export type ClaimAgain = {
  readonly reason: string;
  /** False where every earlier send is proved unaccepted, or where a policy decides to forget it. */
  readonly keepFirstSend: boolean;
  readonly attempt: number;
};

/** The row after taking over a due, stale or unresolved one. */
export function claimAgain(
  row: LedgerRecord,
  delivery: Delivery,
  token: ClaimToken,
  again: ClaimAgain,
  now: EpochMs,
  settings: DeliverySettings,
): LedgerRecord {
  return advance(
    row,
    {
      state: 'CLAIMED',
      reason: again.reason,
      claimToken: token,
      claimedAt: now,
      leaseUntil: now + settings.leaseMs,
      attempt: again.attempt,
      firstSendAt: again.keepFirstSend ? row.firstSendAt : now,
      notBefore: null,
      bodyHash: delivery.bodyHash,
      provider: delivery.profile.provider,
      channel: delivery.reminder.channel,
    },
    now,
    settings.ttlSeconds,
  );
}

function firstRow(
  delivery: Delivery,
  token: ClaimToken,
  now: EpochMs,
  settings: DeliverySettings,
  state: 'CLAIMED' | 'EXPIRED',
  reason: string,
): LedgerRecord {
  const { reminder, identity, profile } = delivery;
  const claimed = state === 'CLAIMED';
  return {
    sendKey: identity.sendKey,
    state,
    claimToken: token,
    claimedAt: now,
    leaseUntil: claimed ? now + settings.leaseMs : now,
    attempt: reminder.attempt,
    attemptLimit: reminder.attempt + attemptsPerBudget(settings),
    firstSendAt: claimed ? now : null,
    notBefore: null,
    bodyHash: delivery.bodyHash,
    receipt: null,
    provider: profile.provider,
    channel: reminder.channel,
    redriveCount: 0,
    userRef: identity.userRef,
    scheduledAt: reminder.scheduledAt.epochMs,
    reason,
    history: [{ state, at: now, attempt: reminder.attempt, reason }],
    expiresAt: expiryOf(now, settings.ttlSeconds),
  };
}
