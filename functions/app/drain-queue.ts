import { ChannelGate } from '#app/channel-gate.ts';
import type { DeliveryDeps, Run } from '#app/delivery-deps.ts';
import type { DeliveryReport } from '#app/delivery-report.ts';
import { processDelivery } from '#app/process-delivery.ts';
import { countDelivery, openTally, type RunEnd, type Tally } from '#app/tally.ts';
import type { RunPlan } from '#core/breaker.ts';
import { covers, type RunBudget } from '#core/run-budget.ts';
import type { ConsumeAnswer, QueueMessage } from '#ports';

export type DrainSettings = {
  /** Sends under way at once per channel, at most. */
  readonly concurrency: number;
  readonly batchSize: number;
  readonly visibilityTimeoutSeconds: number;
  /** Bound on one pull, milliseconds. */
  readonly queueCallMs: number;
};

export type DrainResult = { readonly end: RunEnd; readonly tally: Tally };

/**
 * What follows a delivery. `stop` lets what is in hand finish and pulls nothing more; `halt` also
 * sends nothing more, `halt-acks` also acks nothing more: what is left comes back by its lease.
 */
export type AfterDelivery = (
  report: DeliveryReport,
  tally: Tally,
) => 'go-on' | 'stop' | 'halt' | 'halt-acks';

/**
 * Slots per send that may be under way: a delivery also claims, records and acks, and while it
 * does, its channel's place at the provider should not stand empty.
 */
const SLOTS_PER_SEND = 2;
/** More pulls at once than this only shorten each other's answers. */
const MAX_PULLS = 8;
/** The queue is in trouble: the next tick is the better retry. */
const MAX_FAILED_PULLS = 3;
const PULL_RETRY_MS = 1000;

/**
 * Pulls and processes until the queue is empty or the budget ends. Never pulls more messages than
 * there are free slots, so that no lease runs out in memory; returns with nothing under way.
 *
 * @param plan what the breaker allows; without one, everything that the settings allow
 */
export async function drainQueue(
  deps: DeliveryDeps,
  settings: DrainSettings,
  budget: RunBudget,
  afterDelivery: AfterDelivery,
  plan?: RunPlan,
): Promise<DrainResult> {
  const drain = new Drain(deps, settings, budget, afterDelivery, plan);
  return drain.run();
}

class Drain {
  readonly #deps: DeliveryDeps;
  readonly #settings: DrainSettings;
  readonly #run: Run;
  readonly #afterDelivery: AfterDelivery;
  readonly #tally = openTally();
  /** Pulls and deliveries that have not ended; the drain is over when there are none. */
  #underWay = 0;
  readonly #idle = Promise.withResolvers<void>();
  #end: RunEnd | null = null;
  /** Slots promised to pulls that have not answered yet. */
  #promised = 0;
  #pulls = 0;
  /** One pull at a time until the queue has shown a backlog by filling one. */
  #backlog = false;
  #failedInARow = 0;
  #inHand = 0;
  #bug: unknown;

  constructor(
    deps: DeliveryDeps,
    settings: DrainSettings,
    budget: RunBudget,
    afterDelivery: AfterDelivery,
    plan: RunPlan | undefined,
  ) {
    this.#deps = deps;
    this.#settings = settings;
    this.#afterDelivery = afterDelivery;
    const gates = new Map<string, ChannelGate>();
    const concurrency = plan?.concurrency ?? settings.concurrency;
    for (const channel of deps.senders.keys()) {
      const start = plan?.probing.has(channel) ? 1 : concurrency;
      gates.set(channel, new ChannelGate(concurrency, start));
    }
    this.#run = { budget, gates, stoppedChannels: new Map(plan?.stopped), halted: 'no' };
  }

  async run(): Promise<DrainResult> {
    this.#startPulls();
    if (this.#underWay > 0) await this.#idle.promise;
    this.#tally.stoppedChannels = [...this.#run.stoppedChannels.keys()];
    return { end: this.#end ?? 'queue-empty', tally: this.#tally };
  }

  #startPulls(): void {
    while (this.#end === null) {
      const free = this.#slots() - this.#inHand - this.#promised;
      const wanted = Math.min(free, this.#settings.batchSize);
      const maxPulls = this.#backlog ? MAX_PULLS : 1;
      if (this.#pulls >= maxPulls || wanted < this.#worthPulling()) return;
      const neededMs = this.#settings.queueCallMs + this.#deps.limits.worstDeliveryMs;
      if (!covers(this.#run.budget, this.#deps.clock.now(), neededMs)) {
        this.#end = 'run-budget';
        return;
      }
      this.#promised += wanted;
      this.#pulls += 1;
      this.#track(this.#pull(wanted));
    }
  }

  #slots(): number {
    let limits = 0;
    for (const gate of this.#run.gates.values()) limits += gate.limit;
    return limits * SLOTS_PER_SEND;
  }

  /** A pull for a single freed slot would cost as much as one for ten. */
  #worthPulling(): number {
    return Math.min(this.#settings.batchSize, Math.ceil(this.#slots() / 2));
  }

  async #pull(maxMessages: number): Promise<void> {
    const { visibilityTimeoutSeconds } = this.#settings;
    let answer: ConsumeAnswer;
    try {
      answer = await this.#deps.queue.consume({ maxMessages, visibilityTimeoutSeconds });
    } finally {
      this.#promised -= maxMessages;
      this.#pulls -= 1;
    }
    this.#tally.pulls += 1;
    if (answer.kind === 'failed') return this.#pullFailed(answer.retryAfterSeconds);
    this.#failedInARow = 0;
    this.#backlog = answer.messages.length >= maxMessages;
    if (answer.messages.length === 0) this.#end ??= 'queue-empty';
    for (const message of answer.messages) {
      this.#inHand += 1;
      this.#track(this.#deliver(message));
    }
  }

  async #pullFailed(retryAfterSeconds: number | undefined): Promise<void> {
    this.#tally.failedPulls += 1;
    this.#failedInARow += 1;
    this.#backlog = false;
    const waitMs = Math.max(PULL_RETRY_MS * this.#failedInARow, (retryAfterSeconds ?? 0) * 1000);
    const { clock, limits } = this.#deps;
    const spentMs = waitMs + this.#settings.queueCallMs + limits.worstDeliveryMs;
    const hopeless = !covers(this.#run.budget, clock.now(), spentMs);
    if (hopeless || this.#failedInARow >= MAX_FAILED_PULLS) {
      this.#end ??= 'queue-failed';
      return;
    }
    // The waiting pull keeps its place, so that nothing else asks the troubled queue meanwhile.
    this.#pulls += 1;
    await clock.sleep(waitMs);
    this.#pulls -= 1;
  }

  async #deliver(message: QueueMessage): Promise<void> {
    const report = await processDelivery(message, this.#deps, this.#run);
    this.#inHand -= 1;
    countDelivery(this.#tally, report);
    const next = this.#afterDelivery(report, this.#tally);
    if (next === 'go-on') return;
    this.#end = 'stopped';
    if (next === 'halt-acks') this.#run.halted = 'acks';
    if (next === 'halt' && this.#run.halted === 'no') this.#run.halted = 'sends';
  }

  /** A port that throws is a bug: what is under way still ends before the run fails with it. */
  #track(work: Promise<void>): void {
    this.#underWay += 1;
    const ended = () => {
      this.#underWay -= 1;
      this.#startPulls();
      if (this.#underWay > 0) return;
      if (this.#bug === undefined) this.#idle.resolve();
      else this.#idle.reject(this.#bug);
    };
    work.then(ended, (error: unknown) => {
      this.#bug ??= error;
      this.#end ??= 'stopped';
      ended();
    });
  }
}
