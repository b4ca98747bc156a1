import type { DeliveryDeps } from '#app/delivery-deps.ts';
import type { DeliveryReport } from '#app/delivery-report.ts';
import { type AfterDelivery, type DrainResult, drainQueue } from '#app/drain-queue.ts';
import type { EpochMs, SendKey } from '#core/brand.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import { parseReminder } from '#core/reminder.ts';
import { identify } from '#core/send-key.ts';
import type { SenderProfile } from '#core/send-result.ts';
import type { QueueBehaviour } from '#infra/local/queue-emulator/queue-contract.ts';
import { QueueModel } from '#infra/local/queue-emulator/queue-model.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import { aProfile, DUE_AT, FIRST_EPOCH, SETTINGS } from '#test/support/core-data.ts';
import { MemoryLedger } from '#test/support/memory-ledger.ts';
import { type BehaviourOf, MemoryProvider } from '#test/support/memory-provider.ts';
import { MemoryQueue } from '#test/support/memory-queue.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

export const QUEUE_NAME = 'reminders';

/** As `DRAIN` and `worstDeliveryMs` give them for the default settings. */
export const LIMITS = { recordBudgetMs: 15_000, finishMs: 40_000, worstDeliveryMs: 70_000 };
export const DRAIN = {
  concurrency: 32,
  batchSize: 10,
  visibilityTimeoutSeconds: 60,
  queueCallMs: 10_000,
};
const RUN_BUDGET_MS = 240_000;

export type WorldOptions = {
  readonly seed?: number;
  readonly now?: EpochMs;
  readonly profile?: Partial<SenderProfile>;
  readonly behaviourOf?: BehaviourOf;
  readonly cannotTell?: () => boolean;
  readonly latencyMs?: () => number;
  readonly queue?: Partial<QueueBehaviour>;
};

/** The payload of a reminder that is due at DUE_AT. */
export function aPayload(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    user_id: 'u_4471',
    reminder_id: 'r_trial_end',
    scheduled_at: new Date(DUE_AT).toISOString(),
    channel: 'push',
    ...change,
  };
}

export function keyOf(payload: unknown): SendKey {
  const parsed = parseReminder(payload, 'push');
  if (!parsed.ok) throw new Error(parsed.reason);
  return identify(parsed.reminder, FIRST_EPOCH).sendKey;
}

/** A queue, a ledger, a provider and one time for all of them; workers come and go. */
export class World {
  readonly clock: VirtualClock;
  readonly random;
  readonly model: QueueModel;
  readonly queue: MemoryQueue;
  readonly ledger = new MemoryLedger();
  readonly provider: MemoryProvider;
  /** Every delivery of every drain of this world, in the order in which they ended. */
  readonly reports: DeliveryReport[] = [];

  constructor(options: WorldOptions = {}) {
    this.random = seededRandom(options.seed ?? 1);
    this.clock = new VirtualClock(options.now ?? DUE_AT);
    this.model = new QueueModel({
      random: this.random,
      queues: [QUEUE_NAME],
      ...(options.queue && { behaviour: options.queue }),
    });
    this.queue = new MemoryQueue(this.model, this.clock, QUEUE_NAME);
    this.provider = new MemoryProvider({
      profile: aProfile(options.profile),
      clock: this.clock,
      random: this.random,
      ...(options.behaviourOf && { behaviourOf: options.behaviourOf }),
      ...(options.cannotTell && { cannotTell: options.cannotTell }),
      ...(options.latencyMs && { latencyMs: options.latencyMs }),
    });
  }

  deps(change: Partial<DeliveryDeps> = {}): DeliveryDeps {
    return {
      queue: this.queue,
      ledger: this.ledger,
      senders: new Map([['push', this.provider.sender]]),
      clock: this.clock,
      random: this.random,
      epochs: [FIRST_EPOCH],
      defaultChannel: 'push',
      settings: SETTINGS,
      limits: LIMITS,
      ...change,
    };
  }

  /** As a producer does: every call is a message of its own. */
  publish(payload: unknown = aPayload(), delaySeconds = 0): void {
    const request = { queue: QUEUE_NAME, payload, delaySeconds };
    const idempotencyKey = `producer-${this.random.token()}`;
    const answer = this.model.publish({ ...request, idempotencyKey }, this.clock.now());
    if (answer.kind !== 'published') throw new Error(answer.code);
  }

  /** A consumer's run that is under way: time is somebody else's to move. */
  start(
    deps: DeliveryDeps = this.deps(),
    settings: Partial<typeof DRAIN> = {},
    afterDelivery: AfterDelivery = () => 'go-on',
  ): Promise<DrainResult> {
    const budget = { endsAt: deps.clock.now() + RUN_BUDGET_MS };
    return drainQueue(deps, { ...DRAIN, ...settings }, budget, (report, tally) => {
      this.reports.push(report);
      return afterDelivery(report, tally);
    });
  }

  /** One tick of the consumer, from its first pull to its end. */
  drain(...how: Parameters<World['start']>): Promise<DrainResult> {
    return this.clock.run(this.start(...how));
  }

  /** Ticks until the main queue holds nothing more, time moving on to whatever is due next. */
  async untilQuiet(deps: DeliveryDeps = this.deps(), mostDrains = 200): Promise<void> {
    for (let drains = 0; drains < mostDrains; drains += 1) {
      await this.drain(deps);
      const waiting = this.messages().filter((message) => message.dueAt !== null);
      if (this.messages().length === 0) return;
      const next = Math.min(...waiting.map((message) => message.dueAt ?? Number.POSITIVE_INFINITY));
      await this.clock.runUntil(Math.max(this.clock.now(), next));
    }
    throw new Error(`not quiet after ${mostDrains} drains`);
  }

  messages() {
    return this.model.messages(QUEUE_NAME, this.clock.now());
  }

  deadLetters() {
    return this.model.messages(`${QUEUE_NAME}.dlq`, this.clock.now());
  }

  row(payload: unknown = aPayload()): LedgerRecord | undefined {
    return this.ledger.rows.get(keyOf(payload));
  }

  effects(payload: unknown = aPayload()): number {
    return this.provider.effectsOf(keyOf(payload));
  }

  /** How the deliveries so far ended, in order. */
  outcomes(): readonly string[] {
    return this.reports.map((report) => report.outcome);
  }
}
