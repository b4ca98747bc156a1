import { ChannelGate } from '#app/channel-gate.ts';
import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { processDelivery } from '#app/process-delivery.ts';
import { isTerminal } from '#core/ledger-record.ts';
import type { ProviderClass } from '#core/send-result.ts';
import type { PublishRequest, QueueMessage } from '#ports';
import { SETTINGS } from '#test/support/core-data.ts';
import { type Fate, FatedWorker, type PortCall } from '#test/support/fated-worker.ts';
import { World } from '#test/support/world.ts';

export type WalkEnd =
  | { readonly kind: 'kept'; readonly steps: number }
  /** The row is not terminal and no message of the reminder is left anywhere. */
  | { readonly kind: 'lost'; readonly step: number; readonly story: readonly string[] };

export type WalkOptions = {
  readonly seed: number;
  readonly steps: number;
  readonly providerClass: ProviderClass;
  /** Replaces the name of every copy: the rule, broken. */
  readonly misname?: (
    own: { attempt: number; hop: number },
    copy: PublishRequest,
  ) => PublishRequest;
};

/** Short waits, so that a walk meets many attempts within the day that the queue keeps its keys. */
const WALK_SETTINGS = { ...SETTINGS, ladderSeconds: [5, 10, 20, 20, 20, 20, 20, 20, 20, 20] };

/**
 * One reminder's random walk over deliveries, ends of workers, lost answers, duplicates and time.
 * Each step hands one message to one worker; after each, the reminder must still exist somewhere.
 */
export async function walkCopies(options: WalkOptions): Promise<WalkEnd> {
  const world = new World({
    seed: options.seed,
    profile: { providerClass: options.providerClass },
    behaviourOf: () => {
      const draw = world.random.fraction();
      if (draw < 0.85) return { kind: 'defer' };
      return draw < 0.97 ? { kind: 'reset', accepted: draw < 0.9 } : undefined;
    },
  });
  const story: string[] = [];
  world.publish();
  for (let step = 1; step <= options.steps; step += 1) {
    story.push(await oneStep(world, options));
    const row = world.row();
    if (row !== undefined && isTerminal(row.state)) return { kind: 'kept', steps: step };
    if (world.messages().length + world.deadLetters().length === 0) {
      return { kind: 'lost', step, story: story.slice(-12) };
    }
  }
  return { kind: 'kept', steps: options.steps };
}

async function oneStep(world: World, options: WalkOptions): Promise<string> {
  const { random, clock } = world;
  const draw = random.fraction();
  if (draw < 0.05) {
    world.publish();
    return 'the producer publishes it again';
  }
  if (draw < 0.4) {
    const seconds = Math.ceil(random.fraction() * 40);
    await clock.runUntil(clock.now() + seconds * 1000);
    for (const { messageId } of world.deadLetters()) {
      world.model.redrive('reminders', messageId, clock.now());
    }
    return `${seconds} s pass`;
  }
  const request = { maxMessages: 1, visibilityTimeoutSeconds: 6 };
  const answer = await world.queue.consume(request);
  const message = answer.kind === 'messages' ? answer.messages[0] : undefined;
  return message === undefined ? 'nothing to deliver' : deliver(world, message, options);
}

async function deliver(world: World, message: QueueMessage, options: WalkOptions): Promise<string> {
  const { random, clock } = world;
  const fates: string[] = [];
  const worker = new FatedWorker((call) => {
    const fate = drawFate(random.fraction(), call);
    if (fate !== 'goes-on') fates.push(`${call.method} ${fate}`);
    return fate;
  });
  const { attempt = 0, hop = 0 } = message.payload as { attempt?: number; hop?: number };
  const deps: DeliveryDeps = { ...world.deps(), settings: WALK_SETTINGS };
  const { misname } = options;
  const queue = misname && {
    consume: deps.queue.consume.bind(deps.queue),
    ack: deps.queue.ack.bind(deps.queue),
    publish: (copy: PublishRequest) => deps.queue.publish(misname({ attempt, hop }, copy)),
  };
  const run = {
    budget: { endsAt: clock.now() + 240_000 },
    gates: new Map([['push', new ChannelGate(1)]]),
    stoppedChannels: new Map<string, string>(),
    halted: 'no' as const,
  };
  const delivery = processDelivery(message, worker.deps({ ...deps, ...(queue && { queue }) }), run);
  const ended = await clock.run(Promise.race([delivery, worker.end]));
  const outcome = ended === undefined ? 'worker ended' : `${ended.outcome}, ${ended.settled}`;
  return `(${attempt},${hop}) delivered: ${[outcome, ...fates].join('; ')}`;
}

function drawFate(draw: number, call: PortCall): Fate {
  if (call.port === 'clock' || draw > 0.24) return 'goes-on';
  if (draw < 0.06) return 'ended-before';
  if (draw < 0.12) return 'ended-after';
  return draw < 0.18 ? 'answer-lost' : 'not-applied';
}

/** The rule broken in its three likeliest ways. */
export const BROKEN_RULES = {
  'a copy publishes its own name again': ({ attempt, hop }, copy) => renamed(copy, attempt, hop),
  'every copy of an attempt has the same name': (_, copy) => {
    const { attempt } = copy.payload as { attempt: number };
    return renamed(copy, attempt, 0);
  },
  'every copy has the same name': (_, copy) => renamed(copy, 0, 1),
} satisfies Record<string, NonNullable<WalkOptions['misname']>>;

function renamed(copy: PublishRequest, attempt: number, hop: number): PublishRequest {
  const sendKey = copy.idempotencyKey.split('-')[0];
  return {
    ...copy,
    payload: { ...copy.payload, attempt, hop },
    idempotencyKey: `${sendKey}-${attempt}-${hop}`,
  };
}
