import type { EpochMs } from '#core/brand.ts';
import { type Delivery, useByOf } from '#core/delivery.ts';
import { attemptsPerBudget, type DeliverySettings } from '#core/delivery-settings.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { SenderProfile } from '#core/send-result.ts';

/**
 * Why an unknown outcome rests until an operator, a redrive or a policy moves it. Each is the
 * row's `reason`, so that the row shows which path was taken.
 */
export type ParkReason =
  | 'PARKED_BLIND'
  | 'PARKED_WINDOW_OVER'
  | 'PARKED_PROVIDER_CHANGED'
  | 'PARKED_CONTENT_CONFLICT'
  | 'PARKED_USE_BY_PASSED'
  | 'PARKED_ATTEMPTS_USED'
  | 'PARKED_REJECTED_AFTER_UNKNOWN';

/** What may be done about a row whose earlier send may have been accepted. */
export type UncertainPath =
  /** The provider still knows our key: the same request again makes at most one effect. */
  | { readonly kind: 'resend-same-key' }
  /** The provider can be asked; `maySend` when it proves that nothing arrived. */
  | { readonly kind: 'ask' }
  /** Policy `resend`: may duplicate. */
  | { readonly kind: 'resend-by-policy' }
  /** Policy `assume-sent`: may lose. */
  | { readonly kind: 'assume-sent' }
  | { readonly kind: 'park'; readonly reason: ParkReason };

/**
 * The one place that decides what follows an unknown outcome (protocol section 3).
 * `row.attempt` is the attempt whose outcome is unknown.
 */
export function uncertainPath(
  row: LedgerRecord,
  delivery: Delivery,
  now: EpochMs,
  settings: DeliverySettings,
): UncertainPath {
  if (row.reason === 'PARKED_REJECTED_AFTER_UNKNOWN') return park(row.reason);
  const { profile } = delivery;
  // Channels may share a provider's name and still not its memory of keys.
  if (row.provider !== profile.provider || row.channel !== delivery.reminder.channel) {
    return byPolicy(row, delivery, now, settings, 'PARKED_PROVIDER_CHANGED');
  }
  if (profile.providerClass === 'queryable') {
    return mayAsk(row, settings) ? { kind: 'ask' } : park('PARKED_ATTEMPTS_USED');
  }
  if (profile.providerClass === 'blind') {
    return byPolicy(row, delivery, now, settings, 'PARKED_BLIND');
  }
  if (!windowOpen(row, profile, now, settings)) {
    return byPolicy(row, delivery, now, settings, 'PARKED_WINDOW_OVER');
  }
  return whyNotResend(row, delivery, now, settings) ?? { kind: 'resend-same-key' };
}

/**
 * Whether a deduping provider still remembers our key for as long as a claim made now may send.
 * The send may wait for its turn until the lease ends, and the first one may have been timed by a
 * clock ahead of ours: a window that closes in between would turn the repeat into a second send.
 */
export function windowOpen(
  row: LedgerRecord,
  profile: Pick<SenderProfile, 'windowSeconds'>,
  now: EpochMs,
  settings: Pick<DeliverySettings, 'leaseMs' | 'skewMs'>,
): boolean {
  if (row.firstSendAt === null || profile.windowSeconds === null) return false;
  const closesAt = row.firstSendAt + profile.windowSeconds * 1000 - settings.skewMs;
  return now + settings.leaseMs < closesAt;
}

/** The next send would be attempt `row.attempt + 1`; the budget must allow it. */
export function attemptsUsed(row: LedgerRecord): boolean {
  return row.attempt + 1 >= row.attemptLimit;
}

function byPolicy(
  row: LedgerRecord,
  delivery: Delivery,
  now: EpochMs,
  settings: DeliverySettings,
  reason: ParkReason,
): UncertainPath {
  switch (delivery.profile.blindPolicy) {
    case 'park':
      return park(reason);
    case 'assume-sent':
      return { kind: 'assume-sent' };
    case 'resend':
      return whyNotResend(row, delivery, now, settings) ?? { kind: 'resend-by-policy' };
  }
}

function whyNotResend(
  row: LedgerRecord,
  delivery: Delivery,
  now: EpochMs,
  settings: DeliverySettings,
): UncertainPath | undefined {
  if (row.bodyHash !== delivery.bodyHash) return park('PARKED_CONTENT_CONFLICT');
  if (now > useByOf(delivery.reminder, settings.useBySeconds)) return park('PARKED_USE_BY_PASSED');
  if (attemptsUsed(row)) return park('PARKED_ATTEMPTS_USED');
  return undefined;
}

/**
 * Asking sends nothing, so a row whose attempts are used up may still be asked, for one budget
 * more. A claim that its worker did not survive may not: the reminder itself may be what kills it.
 */
function mayAsk(row: LedgerRecord, settings: DeliverySettings): boolean {
  const extra = row.state === 'UNKNOWN' ? attemptsPerBudget(settings) : 0;
  return row.attempt + 1 < row.attemptLimit + extra;
}

function park(reason: ParkReason): UncertainPath {
  return { kind: 'park', reason };
}
