import { claimDelivery } from '#app/claim-delivery.ts';
import type { DeliveryDeps, Run } from '#app/delivery-deps.ts';
import { type DeliveryReport, openReport } from '#app/delivery-report.ts';
import { identifyDelivery } from '#app/identify-delivery.ts';
import { recordOutcome } from '#app/record-outcome.ts';
import { sendReminder } from '#app/send-reminder.ts';
import { settleDelivery } from '#app/settle-delivery.ts';
import {
  RESENT_BY_POLICY,
  WINNER_HOLDS_OTHER_RECEIPT,
  WINNER_HOLDS_SAME_RECEIPT,
} from '#core/breaker-evidence.ts';
import { LEAVE, postpone, type Settlement } from '#core/delivery.ts';
import { errorName } from '#core/errors.ts';
import { epochFor } from '#core/key-epoch.ts';
import { ASSUMED_RECEIPT, isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import type { PlanAfterSend } from '#core/plan-after-send.ts';
import { planBeforeClaim } from '#core/plan-before-claim.ts';
import { policyAttemptOf, resentBetween, sendOf } from '#core/policy-resend.ts';
import type { QueueMessage } from '#ports';

/**
 * One delivery: validate → key → claim → send → record → settle. Never throws: one bad message
 * must not fail its batch.
 */
export async function processDelivery(
  message: QueueMessage,
  deps: DeliveryDeps,
  run: Run,
): Promise<DeliveryReport> {
  const startedAt = deps.clock.now();
  const report = openReport(message.messageId, message.deliveryCount);
  try {
    await walk(message, deps, run, report);
  } catch (error) {
    report.outcome = 'crashed';
    report.reason = errorName(error);
  }
  report.totalMs = deps.clock.now() - startedAt;
  return report;
}

async function walk(
  message: QueueMessage,
  deps: DeliveryDeps,
  run: Run,
  report: DeliveryReport,
): Promise<void> {
  const identified = identifyDelivery(message, deps);
  if (identified.kind === 'invalid') {
    report.outcome = 'invalid';
    report.reason = identified.reason;
    return;
  }
  const { delivery, sender, payload } = identified;
  const { reminder, identity } = delivery;
  report.sendKey = identity.sendKey;
  report.channel = reminder.channel;
  report.attempt = reminder.attempt;
  report.hop = reminder.hop;

  const settle = (settlement: Settlement) => {
    const told = run.halted === 'acks' ? LEAVE : settlement;
    const otherContent = report.contentConflict ? delivery.bodyHash : null;
    const republish = { sendKey: identity.sendKey, payload, otherContent };
    return settleDelivery(message, told, republish, deps, report);
  };

  if (run.halted !== 'no') {
    report.outcome = 'halted';
    report.reason = 'BREAKER_TRIPPED';
    return;
  }

  const arrivedAt = deps.clock.now();
  const before = planBeforeClaim(delivery, arrivedAt, deps.settings);
  if (before.kind === 'not-yet') {
    report.outcome = 'not-yet';
    report.reason = 'SCHEDULED_LATER';
    return settle(before.settlement);
  }
  const stopped = run.stoppedChannels.get(reminder.channel);
  if (stopped !== undefined) {
    report.outcome = 'channel-waiting';
    report.reason = stopped;
    const until = arrivedAt + deps.settings.channelStoppedSeconds * 1000;
    return settle(postpone(until, reminder, undefined));
  }

  const claim = await claimDelivery(delivery, before.kind === 'expire', deps, report);
  report.claimMs = deps.clock.now() - arrivedAt;
  if (claim.kind === 'ended') {
    report.outcome = claim.outcome;
    report.reason = claim.reason;
    return settle(claim.settlement);
  }
  if (report.keyClaimed) {
    const epoch = epochFor(reminder.scheduledAt, deps.epochs);
    report.closeOccurrence = deps.occurrences?.note(reminder, epoch) ?? false;
  }
  report.attempt = claim.row.attempt;
  report.policyAttempt = policyAttemptOf(claim.row);
  const plan = await sendReminder({ claimed: claim, delivery, sender, deps, run, report });
  return settle(await record(plan, claim.row, deps, report));
}

/** Records the outcome; the settlement holds only once the row says so. */
async function record(
  plan: PlanAfterSend,
  claimed: LedgerRecord,
  deps: DeliveryDeps,
  report: DeliveryReport,
): Promise<Settlement> {
  const startedAt = deps.clock.now();
  const recorded = await recordOutcome(plan.next, claimed, deps);
  const now = deps.clock.now();
  report.recordMs = now - startedAt;
  switch (recorded.kind) {
    case 'recorded':
      report.outcome = plan.outcome;
      report.reason = plan.next.reason;
      if (isTerminal(plan.next.state)) report.terminal = plan.next.state;
      if (plan.outcome === 'sent') report.endToEndSeconds = (now - plan.next.scheduledAt) / 1000;
      return plan.settlement;
    case 'lost':
      report.outcome = 'lost-claim';
      report.reason = whoseClaim(claimed, plan.next.receipt, recorded.row);
      return LEAVE;
    case 'failed':
      report.outcome = 'record-failed';
      report.reason = recorded.code;
      return LEAVE;
  }
}

/**
 * A winner with another receipt means two acceptances: the one thing that must never be, unless
 * policy `resend` made it so.
 */
function whoseClaim(
  claimed: LedgerRecord,
  receipt: string | null,
  winner: LedgerRecord | undefined,
): string {
  if (winner === undefined) return 'ROW_GONE';
  if (receipt === null) return 'TAKEN_OVER';
  if (winner.receipt === receipt) return WINNER_HOLDS_SAME_RECEIPT;
  if (resentBetween(sendOf(claimed), sendOf(winner))) return RESENT_BY_POLICY;
  const minted = winner.receipt !== null && winner.receipt !== ASSUMED_RECEIPT;
  return minted ? WINNER_HOLDS_OTHER_RECEIPT : 'TAKEN_OVER';
}
