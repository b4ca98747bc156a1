import type { ClaimToken, EpochMs } from '#core/brand.ts';
import { firstClaim } from '#core/claim.ts';
import type { Delivery } from '#core/delivery.ts';
import { attemptsPerBudget, type DeliverySettings } from '#core/delivery-settings.ts';
import { instantOf } from '#core/instant.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import { advance, type LedgerRecord, type LedgerState } from '#core/ledger-record.ts';
import type { Reminder } from '#core/reminder.ts';
import { bodyHashOf, identify } from '#core/send-key.ts';
import type { SenderProfile } from '#core/send-result.ts';

/** 2026-07-26T09:00:00Z: when the reminders of these tests are due. */
export const DUE_AT: EpochMs = Date.UTC(2026, 6, 26, 9);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const SETTINGS: DeliverySettings = {
  futureToleranceSeconds: 30,
  useBySeconds: 2 * 86_400,
  ttlSeconds: 120 * 86_400,
  ladderSeconds: [60, 300, 900, 3600, 21_600],
  leaseMs: 45_000,
  skewMs: 5_000,
  settleSeconds: 30,
  holdJitterSeconds: 5,
  channelStoppedSeconds: 300,
};

export const FIRST_EPOCH: KeyEpoch = {
  id: 'first',
  secret: 'a-secret-that-only-tests-know',
  keyFields: [],
  from: null,
};

export function aReminder(change: Partial<Reminder> = {}): Reminder {
  return {
    userId: 'u_4471',
    reminderId: 'r_trial_end',
    scheduledAt: instantOf(DUE_AT),
    channel: 'push',
    attempt: 0,
    hop: 0,
    ...change,
  };
}

export function aProfile(change: Partial<SenderProfile> = {}): SenderProfile {
  return {
    provider: 'push-service',
    providerClass: 'dedupes',
    windowSeconds: 86_400,
    commitSeconds: 5,
    sendTimeoutMs: 10_000,
    blindPolicy: 'park',
    ...change,
  };
}

export function aDelivery(
  change: Partial<Reminder> = {},
  profile: Partial<SenderProfile> = {},
  content = 'Your trial ends today',
): Delivery {
  const reminder = aReminder(change);
  return {
    reminder,
    identity: identify(reminder, FIRST_EPOCH),
    bodyHash: bodyHashOf(content, FIRST_EPOCH),
    profile: aProfile(profile),
  };
}

/** A row of the delivery's key in any state, claimed at the due instant by token `t_first`. */
export function aRow(
  state: LedgerState,
  change: Partial<LedgerRecord> = {},
  delivery: Delivery = aDelivery(),
): LedgerRecord {
  const claimed = firstClaim(delivery, 't_first' as ClaimToken, DUE_AT, SETTINGS);
  if (state === 'CLAIMED') return { ...claimed, ...change };
  const row = advance(claimed, { state, reason: `TEST_${state}` }, DUE_AT, SETTINGS.ttlSeconds);
  return { ...row, ...DEFAULTS[state], ...change };
}

const DEFAULTS: Record<Exclude<LedgerState, 'CLAIMED'>, Partial<LedgerRecord>> = {
  SENT: { receipt: 'rcpt_1' },
  DEFERRED: { attempt: 1, firstSendAt: null, notBefore: DUE_AT + 60_000 },
  UNKNOWN: { notBefore: DUE_AT + 30_000 },
  REJECTED: { firstSendAt: null },
  EXPIRED: { firstSendAt: null },
  EXHAUSTED: { attempt: 5, firstSendAt: null },
};

export const ATTEMPTS = attemptsPerBudget(SETTINGS);
