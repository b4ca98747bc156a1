import { backoffSeconds } from '#core/backoff.ts';
import type { EpochMs } from '#core/brand.ts';
import { ACK, type Delivery, LEAVE, postpone, type Settlement, useByOf } from '#core/delivery.ts';
import { attemptsPerBudget, type DeliverySettings } from '#core/delivery-settings.ts';
import { ASSUMED_RECEIPT, advance, type LedgerRecord } from '#core/ledger-record.ts';
import type { QueryResult, SendResult } from '#core/send-result.ts';
import { attemptsUsed, type ParkReason, uncertainPath } from '#core/uncertain.ts';

/** The row to record and, once it is recorded, how the delivery ends for the queue. */
export type PlanAfterSend = {
  readonly next: LedgerRecord;
  readonly settlement: Settlement;
  readonly outcome: SendOutcome;
};

export type SendOutcome =
  | 'sent'
  | 'assumed-sent'
  | 'rejected'
  | 'deferred'
  | 'exhausted'
  | 'settling'
  | 'parked'
  | 'expired'
  | 'channel-stopped'
  | 'not-sent';

export type Sent = {
  /** Our own CLAIMED row. */
  readonly row: LedgerRecord;
  readonly delivery: Delivery;
  /** An earlier send may have been accepted, and asking did not disprove it. */
  readonly uncertain: boolean;
  readonly now: EpochMs;
  /** 0 ≤ x < 1, for the jitter of the backoff. */
  readonly fraction: number;
  readonly settings: DeliverySettings;
};

/** What a provider's answer leads to (the lower half of protocol section 4's table). */
export function planAfterSend(sent: Sent, result: SendResult): PlanAfterSend {
  switch (result.kind) {
    case 'accepted':
      return acceptedWith(sent, result.receipt, 'ACCEPTED');
    case 'rejected':
      return sent.uncertain
        ? parked(sent, 'PARKED_REJECTED_AFTER_UNKNOWN')
        : record(
            sent,
            { state: 'REJECTED', reason: result.code, firstSendAt: null },
            ACK,
            'rejected',
          );
    case 'deferred':
      return deferred(sent, result.code, result.retryAfterSeconds);
    case 'unknown':
      return unknown(sent, result.cause);
    case 'channel-stopped':
      return channelStopped(sent, result.code);
  }
}

/** What asking leads to; null when nothing arrived and the reminder should be sent now. */
export function planAfterAsk(sent: Sent, result: QueryResult): PlanAfterSend | null {
  switch (result.kind) {
    case 'found':
      return acceptedWith(sent, result.receipt, 'FOUND_AT_PROVIDER');
    case 'absent':
      return provedAbsent(sent);
    case 'cannot-tell':
      return stillUnknown(sent, result.cause);
    case 'channel-stopped':
      return channelStopped(sent, result.code);
  }
}

/**
 * The claim is given back because no send was started (run budget, lease too short). The attempt
 * is not used up, and waiting goes by a copy: leaving would burn one of the broker's deliveries.
 */
export function planNotSent(sent: Sent, reason: string): PlanAfterSend {
  const spreadMs = Math.ceil(sent.fraction * sent.settings.holdJitterSeconds * 1000);
  return givenBack(sent, reason, sent.now + spreadMs, 'not-sent');
}

/**
 * The use-by time passed while the claim waited for its turn; null when it did not. A reminder is
 * never sent late, and one that may have been accepted is not called unsent either.
 */
export function planTooLate(sent: Sent): PlanAfterSend | null {
  const { delivery, now, settings, uncertain } = sent;
  if (now <= useByOf(delivery.reminder, settings.useBySeconds)) return null;
  if (uncertain) return parked(sent, 'PARKED_USE_BY_PASSED');
  const change = { state: 'EXPIRED', reason: 'USE_BY_PASSED', ...PROVED } as const;
  return record(sent, change, ACK, 'expired');
}

/** What a row holds of the past once nothing is left that may have been accepted. */
const PROVED = { firstSendAt: null, notBefore: null };

function provedAbsent(sent: Sent): PlanAfterSend | null {
  const { row } = sent;
  const late = planTooLate({ ...sent, uncertain: false });
  if (late !== null || row.attempt < row.attemptLimit) return late;
  const change = { state: 'EXHAUSTED', reason: 'ABSENT_AT_PROVIDER', ...PROVED } as const;
  return record(sent, change, LEAVE, 'exhausted');
}

function acceptedWith(sent: Sent, receipt: string, reason: string): PlanAfterSend {
  return record(sent, { state: 'SENT', receipt, reason, notBefore: null }, ACK, 'sent');
}

function deferred(sent: Sent, reason: string, retryAfterSeconds?: number): PlanAfterSend {
  const { row, now, delivery } = sent;
  const notBefore = now + backoffOf(sent, retryAfterSeconds) * 1000;
  if (sent.uncertain)
    return attemptsUsed(row)
      ? parked(sent, 'PARKED_ATTEMPTS_USED')
      : unsettled(sent, reason, notBefore);
  if (attemptsUsed(row)) {
    const change = { state: 'EXHAUSTED', reason, firstSendAt: null, notBefore: null } as const;
    return record(sent, change, LEAVE, 'exhausted');
  }
  const change = {
    state: 'DEFERRED',
    reason,
    attempt: row.attempt + 1,
    firstSendAt: null,
    notBefore,
  } as const;
  const next = advanced(sent, change);
  return { next, settlement: postpone(notBefore, delivery.reminder, next), outcome: 'deferred' };
}

function unknown(sent: Sent, reason: string): PlanAfterSend {
  const { row, delivery, now, settings } = sent;
  const asIfUnknown = { ...row, state: 'UNKNOWN', ...certainFirst(sent) } as const;
  const path = uncertainPath(asIfUnknown, delivery, now, settings);
  switch (path.kind) {
    case 'park':
      return parked(sent, path.reason);
    case 'assume-sent': {
      const change = {
        state: 'SENT',
        receipt: ASSUMED_RECEIPT,
        reason: 'ASSUMED_SENT_BY_POLICY',
      } as const;
      return record(sent, change, ACK, 'assumed-sent');
    }
    case 'resend-same-key':
    case 'resend-by-policy':
    case 'ask':
      return stillUnknown(sent, reason);
  }
}

/** To be settled by a later delivery: not before an accepted request must have surfaced. */
function stillUnknown(sent: Sent, reason: string): PlanAfterSend {
  const { delivery, settings, now } = sent;
  const surfacedSeconds = delivery.profile.commitSeconds + settings.skewMs / 1000;
  const again = stepOf(sent) === 0 ? 0 : backoffOf(sent);
  const waitSeconds = Math.max(settings.settleSeconds, surfacedSeconds, again);
  return unsettled(sent, reason, now + Math.ceil(waitSeconds * 1000));
}

function channelStopped(sent: Sent, reason: string): PlanAfterSend {
  const notBefore = sent.now + Math.ceil(sent.settings.channelStoppedSeconds * 1000);
  return givenBack(sent, reason, notBefore, 'channel-stopped');
}

/** Nothing was sent under this claim: the row goes back to what was known before it. */
function givenBack(
  sent: Sent,
  reason: string,
  notBefore: EpochMs,
  outcome: SendOutcome,
): PlanAfterSend {
  const state = sent.uncertain ? 'UNKNOWN' : 'DEFERRED';
  const firstSendAt = sent.uncertain ? sent.row.firstSendAt : null;
  const next = advanced(sent, { state, reason, notBefore, firstSendAt });
  return { next, settlement: postpone(notBefore, sent.delivery.reminder, next), outcome };
}

function unsettled(sent: Sent, reason: string, notBefore: EpochMs): PlanAfterSend {
  const next = advanced(sent, { state: 'UNKNOWN', reason, notBefore, ...certainFirst(sent) });
  return {
    next,
    settlement: postpone(notBefore, sent.delivery.reminder, next),
    outcome: 'settling',
  };
}

function parked(sent: Sent, reason: ParkReason): PlanAfterSend {
  const change = { state: 'UNKNOWN', reason, notBefore: null, ...certainFirst(sent) } as const;
  return record(sent, change, LEAVE, 'parked');
}

/** The provider's window counts from the earliest send that is not proved unaccepted. */
function certainFirst({ row, uncertain }: Sent): { firstSendAt: EpochMs | null } {
  return { firstSendAt: uncertain ? row.firstSendAt : row.claimedAt };
}

function record(
  sent: Sent,
  change: Parameters<typeof advance>[1],
  settlement: Settlement,
  outcome: SendOutcome,
): PlanAfterSend {
  return { next: advanced(sent, change), settlement, outcome };
}

function advanced(sent: Sent, change: Parameters<typeof advance>[1]): LedgerRecord {
  return advance(sent.row, change, sent.now, sent.settings.ttlSeconds);
}

/** Position on the ladder: attempts made in the present budget before this one. */
function stepOf({ row, settings }: Sent): number {
  return Math.max(0, row.attempt - (row.attemptLimit - attemptsPerBudget(settings)));
}

function backoffOf(sent: Sent, retryAfterSeconds?: number): number {
  const { settings, fraction } = sent;
  return backoffSeconds({
    step: stepOf(sent),
    ladderSeconds: settings.ladderSeconds,
    retryAfterSeconds,
    fraction,
  });
}
