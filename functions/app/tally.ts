import type { DeliveryReport } from '#app/delivery-report.ts';
import { balanceOf, RESENT_BY_POLICY, WINNER_HOLDS_SAME_RECEIPT } from '#core/breaker-evidence.ts';
import type { TerminalState } from '#core/ledger-record.ts';

/** Why a run ended. */
export type RunEnd =
  | 'queue-empty'
  | 'run-budget'
  | 'queue-failed'
  /** By the breaker, in mid-run. */
  | 'stopped'
  /** The breaker is open: nothing was consumed. */
  | 'paused'
  /** Nothing was consumed, because nobody could say whether the breaker is open. */
  | 'breaker-unreadable';

/**
 * Copies are counted by the slice of time in which they are due: the queue's delayed count is
 * checked against those that are still to come.
 */
export const DUE_SLICE_MS = 300_000;

/** The figures of one run (or several, added up). Every count starts at 0 and only grows. */
export type Tally = {
  deliveries: number;
  keysClaimed: number;
  takeOvers: number;
  receipts: number;
  terminal: Record<TerminalState, number>;
  assumedSent: number;
  /** Proofs that no row holds, and SENT rows without a proof; both judged within one delivery. */
  receiptsAhead: number;
  terminalAhead: number;
  duplicatesAbsorbed: number;
  /** Sends that policy `resend` made again, and acceptances that came after it had done so. */
  resentByPolicy: number;
  duplicatesByPolicy: number;
  contentConflicts: number;
  closeOccurrences: number;
  postponed: number;
  published: number;
  /** Published copies by the start of their slice, epoch milliseconds. */
  copiesDue: Record<string, number>;
  submissions: number;
  asks: number;
  acked: number;
  lateAcks: number;
  lostClaims: number;
  recordFailures: number;
  /** Deliveries that were neither acked nor postponed, by reason. */
  leftByReason: Record<string, number>;
  invalidByReason: Record<string, number>;
  outcomes: Record<string, number>;
  pulls: number;
  failedPulls: number;
  stoppedChannels: string[];
};

export function openTally(): Tally {
  return {
    deliveries: 0,
    keysClaimed: 0,
    takeOvers: 0,
    receipts: 0,
    terminal: { SENT: 0, REJECTED: 0, EXPIRED: 0 },
    assumedSent: 0,
    receiptsAhead: 0,
    terminalAhead: 0,
    duplicatesAbsorbed: 0,
    resentByPolicy: 0,
    duplicatesByPolicy: 0,
    contentConflicts: 0,
    closeOccurrences: 0,
    postponed: 0,
    published: 0,
    copiesDue: {},
    submissions: 0,
    asks: 0,
    acked: 0,
    lateAcks: 0,
    lostClaims: 0,
    recordFailures: 0,
    leftByReason: {},
    invalidByReason: {},
    outcomes: {},
    pulls: 0,
    failedPulls: 0,
    stoppedChannels: [],
  };
}

/** Counts one finished delivery. */
export function countDelivery(tally: Tally, report: DeliveryReport): void {
  tally.deliveries += 1;
  bump(tally.outcomes, report.outcome);
  if (report.keyClaimed) tally.keysClaimed += 1;
  if (report.takenOver) tally.takeOvers += 1;
  countProof(tally, report);
  if (report.terminal !== null) tally.terminal[report.terminal] += 1;
  if (report.outcome === 'assumed-sent') tally.assumedSent += 1;
  if (report.outcome === 'duplicate') tally.duplicatesAbsorbed += 1;
  if (report.contentConflict) tally.contentConflicts += 1;
  if (report.closeOccurrence) tally.closeOccurrences += 1;
  if (report.published) tally.published += 1;
  if (report.copyDueAt !== null) {
    bump(tally.copiesDue, String(Math.floor(report.copyDueAt / DUE_SLICE_MS) * DUE_SLICE_MS));
  }
  const byPolicy = report.policyAttempt !== null && report.policyAttempt === report.attempt;
  if (byPolicy && report.submissions > 0) tally.resentByPolicy += 1;
  if (report.outcome === 'lost-claim') {
    tally.lostClaims += 1;
    if (report.reason === RESENT_BY_POLICY) tally.duplicatesByPolicy += 1;
  }
  if (report.outcome === 'record-failed') tally.recordFailures += 1;
  tally.submissions += report.submissions;
  tally.asks += report.asks;
  if (report.outcome === 'invalid') bump(tally.invalidByReason, report.reason);
  countSettlement(tally, report);
}

/** A receipt that the winner of a lost claim has recorded is not counted again by the loser. */
function countProof(tally: Tally, report: DeliveryReport): void {
  if (report.receipt && report.reason !== WINNER_HOLDS_SAME_RECEIPT) tally.receipts += 1;
  const balance = balanceOf(report);
  if (balance === 'receipt-ahead' || balance === 'two-receipts') tally.receiptsAhead += 1;
  if (balance === 'terminal-ahead') tally.terminalAhead += 1;
}

function countSettlement(tally: Tally, report: DeliveryReport): void {
  if (report.settleProblem === 'ACK_LATE' || report.settled === 'ack-late') tally.lateAcks += 1;
  switch (report.settled) {
    case 'acked':
    case 'ack-late':
      tally.acked += 1;
      return;
    case 'postponed':
      tally.postponed += 1;
      return;
    case 'left':
    case 'ack-failed':
      bump(tally.leftByReason, report.settleProblem ?? leftReason(report));
      return;
    default:
      report.settled satisfies never;
  }
}

function leftReason(report: DeliveryReport): string {
  return report.outcome === 'invalid' ? 'INVALID' : report.reason;
}

function bump(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
