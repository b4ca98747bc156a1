import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import type { EpochMs } from '#core/brand.ts';
import { covers, type RunBudget } from '#core/run-budget.ts';
import type { QueueFailure, QueueMessage } from '#ports';

export type DeadLetterBatch =
  | {
      readonly kind: 'batch';
      /** Not seen in this run before. */
      readonly messages: readonly QueueMessage[];
      /** What is not begun by then is put back: its lease may be over in mid-work. */
      readonly beginBefore: EpochMs;
    }
  | {
      readonly kind: 'end';
      readonly end: 'dead-letters-read' | 'run-budget' | 'queue-failed';
      readonly code: string | null;
    };

/** Nobody has seen the service give more than ten messages to one call. */
const MAX_BATCH = 10;
const MAX_FAILED_PULLS = 3;
const PULL_RETRY_MS = 1000;
/** A pull of old acquaintances may hide a new one behind them, but not often. */
const MAX_REPEATING_PULLS = 3;
const POLL_MS = 5000;

/**
 * Reads the dead-letter queue. There is no peeking: to read is to lease, so a message that the run
 * keeps comes back when its short lease is over, to this run too, which then passes over it.
 */
export class DeadLetterReader {
  readonly #deps: RedriveDeps;
  readonly #budget: RunBudget;
  readonly #batchSize: number;
  /** Messages that this run has looked at for good. */
  readonly #seen = new Set<string>();
  /** Messages that this run holds, by the end of their lease. */
  readonly #leases = new Map<string, EpochMs>();
  #waitUntil: EpochMs | null = null;
  /** The highest delivery count that a dead letter came with: proof of how often one may be read. */
  highestDeliveryCount: number | null = null;

  constructor(deps: RedriveDeps, budget: RunBudget, ratePerSecond: number) {
    this.#deps = deps;
    this.#budget = budget;
    // No more than half a lease's time can act on.
    const inTime = Math.floor((ratePerSecond * deps.limits.deadLetterLeaseSeconds) / 2);
    this.#batchSize = Math.max(1, Math.min(MAX_BATCH, inTime));
  }

  async next(): Promise<DeadLetterBatch> {
    let failedPulls = 0;
    let repeatingPulls = 0;
    for (;;) {
      if (!this.#covers(0)) return ended('run-budget');
      const pulledAt = this.#deps.clock.now();
      const answer = await this.#pull();
      if (answer.kind === 'failed') {
        failedPulls += 1;
        const waitMs = Math.max(
          PULL_RETRY_MS * failedPulls,
          (answer.retryAfterSeconds ?? 0) * 1000,
        );
        if (failedPulls >= MAX_FAILED_PULLS || !this.#covers(waitMs)) {
          return ended('queue-failed', answer.code);
        }
        await this.#deps.clock.sleep(waitMs);
        continue;
      }
      const fresh = this.#noteLeases(answer.messages, pulledAt);
      if (fresh.length > 0) {
        this.#waitUntil = null;
        const halfLeaseMs = this.#deps.limits.deadLetterLeaseSeconds * 500;
        return { kind: 'batch', messages: fresh, beginBefore: pulledAt + halfLeaseMs };
      }
      if (answer.messages.length > 0 && ++repeatingPulls < MAX_REPEATING_PULLS) continue;
      if (!(await this.#othersMayComeBack())) return ended('dead-letters-read');
      if (!this.#covers(POLL_MS)) return ended('run-budget');
      await this.#deps.clock.sleep(POLL_MS);
    }
  }

  /** The message has left the dead-letter queue. */
  released(message: QueueMessage): void {
    this.#leases.delete(message.messageId);
  }

  /** The messages were not looked at: they are new again when their leases are over. */
  putBack(messages: readonly QueueMessage[]): void {
    for (const { messageId } of messages) this.#seen.delete(messageId);
  }

  #pull(): Promise<
    { readonly kind: 'messages'; readonly messages: readonly QueueMessage[] } | QueueFailure
  > {
    return this.#deps.deadLetters.consume({
      maxMessages: this.#batchSize,
      visibilityTimeoutSeconds: this.#deps.limits.deadLetterLeaseSeconds,
    });
  }

  #noteLeases(messages: readonly QueueMessage[], pulledAt: EpochMs): readonly QueueMessage[] {
    const leaseUntil = pulledAt + this.#deps.limits.deadLetterLeaseSeconds * 1000;
    const fresh = messages.filter(({ messageId }) => !this.#seen.has(messageId));
    for (const { messageId, deliveryCount } of messages) {
      this.#leases.set(messageId, leaseUntil);
      this.#seen.add(messageId);
      if (deliveryCount === null) continue;
      this.highestDeliveryCount = Math.max(this.highestDeliveryCount ?? 0, deliveryCount);
    }
    return fresh;
  }

  /**
   * Whether messages that were put back, or that somebody else read (a dry run just before this
   * one, a run that died), are still hidden by a lease. Their leases are short, so they are waited
   * for: otherwise a redrive right after its own dry run would find nothing to do.
   */
  async #othersMayComeBack(): Promise<boolean> {
    const now = this.#deps.clock.now();
    for (const [messageId, until] of this.#leases) if (until <= now) this.#leases.delete(messageId);
    for (const messageId of this.#leases.keys()) if (!this.#seen.has(messageId)) return true;
    const leaseMs = this.#deps.limits.deadLetterLeaseSeconds * 1000;
    this.#waitUntil ??= now + leaseMs + POLL_MS;
    if (now >= this.#waitUntil) return false;
    const answer = await this.#deps.deadLetters.stats();
    if (answer.kind === 'failed') return false;
    const inFlight = answer.figures['in_flight_count'];
    return Number.isSafeInteger(inFlight) && (inFlight as number) > this.#leases.size;
  }

  #covers(waitMs: number): boolean {
    const { queueCallMs, worstDeadLetterMs } = this.#deps.limits;
    const neededMs = waitMs + queueCallMs + worstDeadLetterMs;
    return covers(this.#budget, this.#deps.clock.now(), neededMs);
  }
}

function ended(
  end: Extract<DeadLetterBatch, { kind: 'end' }>['end'],
  code: string | null = null,
): DeadLetterBatch {
  return { kind: 'end', end, code };
}
