import type { EpochMs, SendKey } from '#core/brand.ts';
import { instantOf } from '#core/instant.ts';
import { epochFor, type KeyEpoch } from '#core/key-epoch.ts';
import { sendKeyOf } from '#core/send-key.ts';
import { EffectLedger } from '#infra/local/provider-emulator/effect-ledger.ts';
import { QueueModel } from '#infra/local/queue-emulator/queue-model.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import type { AckAnswer, QueueMessage, SendRequest } from '#ports';
import type { Mix, Weather } from '#test/proof/sim-mix.ts';
import { behaviourIn } from '#test/proof/sim-weather.ts';
import type { SimPorts } from '#test/proof/sim-worker.ts';
import { aProfile, aReminder, FIRST_EPOCH } from '#test/support/core-data.ts';
import { MemoryControls } from '#test/support/memory-controls.ts';
import { MemoryLedger } from '#test/support/memory-ledger.ts';
import { MemoryProvider } from '#test/support/memory-provider.ts';
import { MemoryDeadLetters, MemoryQueue } from '#test/support/memory-queue.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { LIMITS, QUEUE_NAME } from '#test/support/world.ts';

const HOUR = 3_600_000;
/** What all reminders of an episode have in common. */
const A_REMINDER = aReminder({ reminderId: 'r_sim' });

export type SimWorldOptions = {
  readonly seed: number;
  readonly mix: Mix;
  readonly from: EpochMs;
  /** Reminders due from here on have keys of the second epoch. */
  readonly rotatesAt: EpochMs;
  readonly weather: () => Weather;
  /** Called as each send reaches the provider. */
  readonly onSend: (request: SendRequest) => void;
};

/** What outlives every worker of an episode: queue, ledger, control documents, provider, time. */
export class SimWorld {
  readonly clock: VirtualClock;
  readonly random;
  readonly model: QueueModel;
  readonly ledger = new MemoryLedger(false);
  readonly controls = new MemoryControls();
  readonly provider: MemoryProvider;
  readonly #queue: MemoryQueue;
  readonly #deadLetters: MemoryDeadLetters;
  readonly #options: SimWorldOptions;
  readonly #epochs: readonly KeyEpoch[];

  constructor(options: SimWorldOptions) {
    const { seed, mix, weather, onSend } = options;
    this.#options = options;
    this.random = seededRandom(seed);
    this.clock = new VirtualClock(options.from);
    const rotated = { ...FIRST_EPOCH, id: 'second', secret: 'the-second-secret-of-tests' };
    this.#epochs = [FIRST_EPOCH, { ...rotated, from: instantOf(options.rotatesAt) }];
    this.model = new QueueModel({
      random: this.random,
      queues: [QUEUE_NAME],
      balanceUsd: 1_000_000,
      behaviour: { visibility: mix.visibility, redeliveryJitterMs: 500 },
    });
    this.#queue = new RedeliveringQueue(this.model, this.clock, () => this.#comesBack());
    this.#deadLetters = new MemoryDeadLetters(this.model, this.clock, QUEUE_NAME);
    this.provider = new MemoryProvider({
      profile: aProfile(mix.profile),
      clock: this.clock,
      random: this.random,
      ...(mix.queryLagMs !== undefined && { queryLagMs: mix.queryLagMs }),
      // Counts only: the receipts are asked for one by one.
      effects: new EffectLedger(false),
      keepCalls: false,
      behaviourOf: (request) => {
        onSend(request);
        return behaviourIn(weather(), this.random);
      },
      cannotTell: () => weather() === 'provider resets' && this.random.fraction() < 0.3,
      latencyMs: () => 20 + Math.floor(this.random.fraction() * 200),
    });
  }

  /** The ports of a fresh worker, its clock off by as much as the mix allows. */
  ports(): SimPorts {
    const { mix, rotatesAt } = this.#options;
    const spread = (this.random.fraction() * 2 - 1) * mix.clockSpreadMs;
    // Every worker knows of a rotation an hour before the first reminder that it concerns is due.
    const rotationKnown = this.clock.now() > rotatesAt - HOUR;
    return {
      queue: this.#queue,
      deadLetters: this.#deadLetters,
      ledger: this.ledger,
      controls: this.controls,
      senders: new Map([['push', this.provider.sender]]),
      clock: this.clock.skewed(Math.floor(spread)),
      random: this.random,
      epochs: rotationKnown ? this.#epochs : this.#epochs.slice(0, 1),
      defaultChannel: 'push',
      settings: mix.settings,
      limits: LIMITS,
    };
  }

  keyOf(userId: string, scheduledAt: EpochMs): SendKey {
    const reminder = { ...A_REMINDER, userId, scheduledAt: instantOf(scheduledAt) };
    return sendKeyOf(reminder, epochFor(reminder.scheduledAt, this.#epochs));
  }

  queued(): number {
    const stats = this.model.stats(QUEUE_NAME, this.clock.now());
    if (stats.kind === 'refused') throw new Error(stats.code);
    return stats.availableCount + stats.inFlightCount + stats.delayedCount;
  }

  dead(): readonly { readonly messageId: string; readonly payload: unknown }[] {
    return this.model.messages(`${QUEUE_NAME}.dlq`, this.clock.now());
  }

  #comesBack(): boolean {
    return this.#options.weather() === 'queue redelivers' && this.random.fraction() < 0.5;
  }
}

/** A queue that hands some messages over once more although it confirmed their ack. */
class RedeliveringQueue extends MemoryQueue {
  readonly #world: { readonly model: QueueModel; readonly clock: VirtualClock };
  readonly #comesBack: () => boolean;

  constructor(model: QueueModel, clock: VirtualClock, comesBack: () => boolean) {
    super(model, clock, QUEUE_NAME);
    this.#world = { model, clock };
    this.#comesBack = comesBack;
  }

  override async ack(message: QueueMessage): Promise<AckAnswer> {
    if (!this.#comesBack()) return super.ack(message);
    const { model, clock } = this.#world;
    const request = { queue: QUEUE_NAME, messageId: message.ackHandle };
    const answer = model.ack(request, clock.now(), true);
    return answer.kind === 'acked' ? answer : { kind: 'not-in-flight' };
  }
}
