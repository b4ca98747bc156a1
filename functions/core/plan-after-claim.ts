import type { ClaimToken, EpochMs } from '#core/brand.ts';
import { type ClaimAgain, claimAgain } from '#core/claim.ts';
import { ACK, type Delivery, LEAVE, postpone, type Settlement, useByOf } from '#core/delivery.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import { ASSUMED_RECEIPT, advance, isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import { RESEND_BY_POLICY } from '#core/policy-resend.ts';
import { uncertainPath } from '#core/uncertain.ts';

/** What the row that was found leads to (the table of protocol section 4). */
export type PlanAfterClaim =
  /** The row stays as it is. */
  | { readonly kind: 'settle'; readonly settlement: Settlement; readonly outcome: FoundOutcome }
  /** Write the row first; the settlement holds only when the write wins. */
  | {
      readonly kind: 'replace';
      readonly next: LedgerRecord;
      readonly settlement: Settlement;
      readonly outcome: FoundOutcome;
    }
  /** Claim the row again, then send (or ask first). */
  | {
      readonly kind: 'take-over';
      readonly next: LedgerRecord;
      readonly askFirst: boolean;
      /** An earlier send may have been accepted, and this one does not disprove it. */
      readonly uncertain: boolean;
    };

export type FoundOutcome =
  | 'duplicate'
  /** SENT without a receipt and without a policy's word: acking would forget an unproved send. */
  | 'unproved'
  | 'held'
  | 'not-due'
  | 'settling'
  | 'exhausted'
  | 'expired'
  | 'parked'
  | 'assumed-sent';

export type Found = {
  readonly row: LedgerRecord;
  readonly delivery: Delivery;
  /** The token of the claim that a take-over would make. */
  readonly token: ClaimToken;
  readonly now: EpochMs;
  /** 0 ≤ x < 1, for the jitter of a postponement. */
  readonly fraction: number;
  readonly settings: DeliverySettings;
};

export function planAfterClaim(found: Found): PlanAfterClaim {
  const { row, now, settings } = found;
  if (row.state === 'SENT' && row.receipt === null) {
    return { kind: 'settle', settlement: LEAVE, outcome: 'unproved' };
  }
  if (isTerminal(row.state)) return { kind: 'settle', settlement: ACK, outcome: 'duplicate' };
  switch (row.state) {
    case 'CLAIMED':
      return now < row.leaseUntil + settings.skewMs ? held(found) : settleUncertain(found);
    case 'UNKNOWN':
      return now < (row.notBefore ?? 0) ? wait(found, 'settling') : settleUncertain(found);
    case 'DEFERRED':
      if (late(found)) return expire(found);
      return now < (row.notBefore ?? 0) ? wait(found, 'not-due') : claimDue(found);
    case 'EXHAUSTED':
      if (late(found)) return expire(found);
      return { kind: 'settle', settlement: LEAVE, outcome: 'exhausted' };
    default:
      return row.state satisfies never;
  }
}

/**
 * The same reminder with other content: counted, never merged. A row that proves nothing was
 * accepted may be sent with its newest content; it is still counted.
 */
export function contentConflict(row: LedgerRecord, delivery: Delivery): boolean {
  return row.bodyHash !== delivery.bodyHash;
}

function held({ row, delivery, fraction, settings }: Found): PlanAfterClaim {
  const jitterMs = Math.ceil(fraction * settings.holdJitterSeconds * 1000);
  const until = row.leaseUntil + settings.skewMs + jitterMs;
  return {
    kind: 'settle',
    settlement: postpone(until, delivery.reminder, row),
    outcome: 'held',
  };
}

function wait({ row, delivery }: Found, outcome: 'settling' | 'not-due'): PlanAfterClaim {
  return {
    kind: 'settle',
    settlement: postpone(row.notBefore ?? 0, delivery.reminder, row),
    outcome,
  };
}

function claimDue(found: Found): PlanAfterClaim {
  const attempt = Math.max(found.row.attempt, found.delivery.reminder.attempt);
  const next = takeOver(found, { reason: 'RETRY_DUE', keepFirstSend: false, attempt });
  return { kind: 'take-over', next, askFirst: false, uncertain: false };
}

function settleUncertain(found: Found): PlanAfterClaim {
  const { row, delivery, now, settings } = found;
  const path = uncertainPath(row, delivery, now, settings);
  const attempt = Math.max(row.attempt + 1, delivery.reminder.attempt);
  switch (path.kind) {
    case 'resend-same-key': {
      const next = takeOver(found, { reason: 'RESEND_SAME_KEY', keepFirstSend: true, attempt });
      return { kind: 'take-over', next, askFirst: false, uncertain: true };
    }
    case 'ask': {
      const next = takeOver(found, { reason: 'ASK_PROVIDER', keepFirstSend: true, attempt });
      return { kind: 'take-over', next, askFirst: true, uncertain: true };
    }
    case 'resend-by-policy': {
      const next = takeOver(found, { reason: RESEND_BY_POLICY, keepFirstSend: false, attempt });
      return { kind: 'take-over', next, askFirst: false, uncertain: false };
    }
    case 'assume-sent': {
      const change = { state: 'SENT', reason: 'ASSUMED_SENT_BY_POLICY' } as const;
      const next = advance(row, { ...change, receipt: ASSUMED_RECEIPT }, now, settings.ttlSeconds);
      return { kind: 'replace', next, settlement: ACK, outcome: 'assumed-sent' };
    }
    case 'park':
      return parkRow(found, path.reason);
  }
}

function parkRow({ row, now, settings }: Found, reason: string): PlanAfterClaim {
  if (row.state === 'UNKNOWN' && row.reason === reason) {
    return { kind: 'settle', settlement: LEAVE, outcome: 'parked' };
  }
  const change = { state: 'UNKNOWN', reason, notBefore: null } as const;
  const next = advance(row, change, now, settings.ttlSeconds);
  return { kind: 'replace', next, settlement: LEAVE, outcome: 'parked' };
}

function expire({ row, now, settings }: Found): PlanAfterClaim {
  const change = { state: 'EXPIRED', reason: 'USE_BY_PASSED', notBefore: null } as const;
  const next = advance(row, change, now, settings.ttlSeconds);
  return { kind: 'replace', next, settlement: ACK, outcome: 'expired' };
}

function takeOver(found: Found, again: ClaimAgain): LedgerRecord {
  return claimAgain(found.row, found.delivery, found.token, again, found.now, found.settings);
}

function late({ delivery, now, settings }: Found): boolean {
  return now > useByOf(delivery.reminder, settings.useBySeconds);
}
