import type { ClaimToken, EpochMs } from '#core/brand.ts';
import { firstClaim } from '#core/claim.ts';
import type { Delivery } from '#core/delivery.ts';
import { attemptsPerBudget, type DeliverySettings } from '#core/delivery-settings.ts';
import { advance, type LedgerRecord } from '#core/ledger-record.ts';

/**
 * Reasons of the two steps of one redrive. The row is reopened (and the redrive counted) before the
 * queue is asked, and confirmed after the queue has said yes. A row that still says `REOPENED`
 * while its dead letter is still there has been paid for and not been redriven: it is redriven
 * without being counted again. One that says `REDRIVEN` came back without any worker having
 * claimed it: that redrive is used up, so a payload that ends its worker cannot loop for ever.
 */
export const REOPENED = 'REOPENED';
export const REDRIVEN = 'REDRIVEN';

/**
 * The row with a new budget of attempts. The fresh token makes every earlier worker's write fail;
 * the attempt number goes on growing, so that no copy's publish key is ever used twice.
 *
 * EXHAUSTED becomes DEFERRED, due now, at the next attempt. DEFERRED keeps its attempt (it was
 * never made) and the instant before which the provider does not want it. What may have been
 * accepted, CLAIMED by a worker that is gone included, is UNKNOWN: the consumer settles it by the
 * provider's class, and the earliest send that is not disproved stays on record.
 */
export function reopen(
  row: LedgerRecord,
  delivery: Delivery,
  token: ClaimToken,
  now: EpochMs,
  settings: DeliverySettings,
): LedgerRecord {
  const copy = delivery.reminder.attempt;
  const common = { claimToken: token, redriveCount: row.redriveCount + 1, reason: REOPENED };
  const write = (change: Parameters<typeof advance>[1]) =>
    advance(row, change, now, settings.ttlSeconds);
  if (row.state === 'UNKNOWN' || row.state === 'CLAIMED') {
    const attemptLimit = Math.max(row.attempt + 1, copy) + attemptsPerBudget(settings);
    // A stale claim's lease outlasted every instant at which its send could still surface.
    const notBefore = row.state === 'UNKNOWN' ? row.notBefore : null;
    return write({ ...common, state: 'UNKNOWN', attemptLimit, notBefore });
  }
  const exhausted = row.state === 'EXHAUSTED';
  const attempt = Math.max(exhausted ? row.attempt + 1 : row.attempt, copy);
  return write({
    ...common,
    state: 'DEFERRED',
    attempt,
    attemptLimit: attempt + attemptsPerBudget(settings),
    firstSendAt: null,
    notBefore: exhausted ? now : (row.notBefore ?? now),
  });
}

/**
 * The first row of a reminder that died before any worker claimed it. No claim, no send: so it is
 * DEFERRED, provably not accepted. With it, its redrives are counted like every other's; without
 * it, a payload that ends each worker before its first claim would have no counter but the
 * broker's, which a redrive resets.
 * @param earlierRedrives those from before it was due, when it could not have a row yet
 */
export function firstReopened(
  delivery: Delivery,
  token: ClaimToken,
  now: EpochMs,
  settings: DeliverySettings,
  earlierRedrives: number,
): LedgerRecord {
  const claim = firstClaim(delivery, token, now, settings);
  return {
    ...claim,
    state: 'DEFERRED',
    leaseUntil: now,
    firstSendAt: null,
    notBefore: now,
    redriveCount: earlierRedrives + 1,
    reason: REOPENED,
    history: [{ state: 'DEFERRED', at: now, attempt: claim.attempt, reason: REOPENED }],
  };
}

/** The reopened row once the queue has taken the dead letter back. */
export function confirmRedriven(
  row: LedgerRecord,
  now: EpochMs,
  settings: DeliverySettings,
): LedgerRecord {
  return advance(row, { state: row.state, reason: REDRIVEN }, now, settings.ttlSeconds);
}

/** Whether a delivery of this row leads to a send now, as far as the clock is concerned. */
export function dueNow(row: LedgerRecord, now: EpochMs, settings: DeliverySettings): boolean {
  if (row.scheduledAt > now + settings.futureToleranceSeconds * 1000) return false;
  return now >= (row.notBefore ?? 0);
}
