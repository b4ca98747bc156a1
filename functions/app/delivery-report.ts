import type { EpochMs } from '#core/brand.ts';
import type { TerminalState } from '#core/ledger-record.ts';
import type { FoundOutcome } from '#core/plan-after-claim.ts';
import type { SendOutcome } from '#core/plan-after-send.ts';

/** How one delivery ended, in one word. */
export type DeliveryOutcome =
  | FoundOutcome
  | SendOutcome
  | 'invalid'
  | 'not-yet'
  | 'channel-waiting'
  | 'ledger-failed'
  | 'record-failed'
  | 'lost-race'
  | 'lost-claim'
  /** Nothing was done: the breaker had tripped before this delivery's turn came. */
  | 'halted'
  | 'crashed';

/** What the queue was told. `left` is also where a publish or an ack did not get through. */
export type Settled = 'acked' | 'ack-late' | 'ack-failed' | 'postponed' | 'left';

/**
 * One delivery, start to end: the source of its log line and of the run's tally. Ours only: codes,
 * counts and keyed references, nothing of the payload.
 */
export type DeliveryReport = {
  readonly messageId: string;
  readonly deliveryCount: number | null;
  sendKey: string | null;
  channel: string | null;
  attempt: number | null;
  hop: number | null;
  /** The latest attempt of the key, up to this one, that policy `resend` made; null: none. */
  policyAttempt: number | null;
  outcome: DeliveryOutcome;
  /** Why: a reason code of the row, of the invalid payload, or of the failure. */
  reason: string;
  settled: Settled;
  /** Why the queue was not told what it should have been; null when all went well. */
  settleProblem: string | null;
  /** The key had no row before: this delivery claimed it first. */
  keyClaimed: boolean;
  takenOver: boolean;
  /** A provider's proof was got in this delivery. */
  receipt: boolean;
  /** That proof; where it could not be recorded, this line is what is left of it. */
  receiptId: string | null;
  /** Code or cause of the send's result; null when nothing was sent, or it was accepted. */
  sendCode: string | null;
  /** The code with which the provider refused our credentials. */
  channelRefused: string | null;
  /** The terminal state that this delivery wrote. */
  terminal: TerminalState | null;
  contentConflict: boolean;
  /** Claimed first here, as was the same reminder for another instant, at most an hour away. */
  closeOccurrence: boolean;
  /** Calls to the provider: sends, and questions about an earlier send. */
  submissions: number;
  asks: number;
  /** The queue took a paid publish. */
  published: boolean;
  /** When the published copy is due. */
  copyDueAt: EpochMs | null;
  claimMs: number | null;
  sendMs: number | null;
  recordMs: number | null;
  totalMs: number;
  /** From the reminder's instant to the recorded acceptance. */
  endToEndSeconds: number | null;
};

export function openReport(messageId: string, deliveryCount: number | null): DeliveryReport {
  return {
    messageId,
    deliveryCount,
    sendKey: null,
    channel: null,
    attempt: null,
    hop: null,
    policyAttempt: null,
    outcome: 'crashed',
    reason: 'NOT_FINISHED',
    settled: 'left',
    settleProblem: null,
    keyClaimed: false,
    takenOver: false,
    receipt: false,
    receiptId: null,
    sendCode: null,
    channelRefused: null,
    terminal: null,
    contentConflict: false,
    closeOccurrence: false,
    submissions: 0,
    asks: 0,
    published: false,
    copyDueAt: null,
    claimMs: null,
    sendMs: null,
    recordMs: null,
    totalMs: 0,
    endToEndSeconds: null,
  };
}
