import type { DeliveryDeps } from '#app/delivery-deps.ts';
import type { DeliveryReport } from '#app/delivery-report.ts';
import { hopDelaySeconds } from '#core/backoff.ts';
import type { SendKey } from '#core/brand.ts';
import type { CopyName, Settlement } from '#core/delivery.ts';
import type { QueueMessage } from '#ports';

/** The reminder that a postponement publishes again: whole, with its copy's name. */
export type Republish = {
  readonly sendKey: SendKey;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Keyed hash of the reminder's content where the row holds another one; else null. */
  readonly otherContent: string | null;
};

/** Digits of a content hash that tell the few contents of one reminder apart. */
const CONTENT_DIGITS = 12;

/**
 * Names the copy, so that a repeated publish collapses and a new one does not. Other content than
 * the row's is part of the name: collapsing into such a copy, the reminder whose send is still to
 * be settled would be gone, and what is left could not be sent under its key.
 */
export function publishKey(
  sendKey: SendKey,
  copy: CopyName,
  otherContent: string | null = null,
): string {
  const key = `${sendKey}-${copy.attempt}-${copy.hop}`;
  return otherContent === null ? key : `${key}-${otherContent.slice(-CONTENT_DIGITS)}`;
}

/**
 * Tells the queue how the delivery ended. Publish comes before ack, so that a crash in between
 * duplicates a message, never a send. What fails here fails towards redelivery.
 */
export async function settleDelivery(
  message: QueueMessage,
  settlement: Settlement,
  republish: Republish | null,
  deps: DeliveryDeps,
  report: DeliveryReport,
): Promise<void> {
  if (settlement.kind === 'leave') return;
  if (settlement.kind === 'postpone') {
    if (republish === null) return;
    const { copy, until } = settlement;
    const answer = await deps.queue.publish({
      payload: { ...republish.payload, ...copy },
      delaySeconds: hopDelaySeconds(until, deps.clock.now()),
      idempotencyKey: publishKey(republish.sendKey, copy, republish.otherContent),
    });
    if (answer.kind === 'failed') {
      report.settleProblem = `PUBLISH_${answer.code}`;
      return;
    }
    report.published = answer.kind === 'published';
    if (report.published) report.copyDueAt = until;
  }
  const ack = await deps.queue.ack(message);
  if (ack.kind === 'failed') {
    report.settled = 'ack-failed';
    report.settleProblem = `ACK_${ack.code}`;
  } else if (settlement.kind === 'postpone') {
    report.settled = 'postponed';
    if (ack.kind === 'not-in-flight') report.settleProblem = 'ACK_LATE';
  } else {
    report.settled = ack.kind === 'acked' ? 'acked' : 'ack-late';
  }
}
