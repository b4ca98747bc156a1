import fc from 'fast-check';
import { ChannelGate } from '#app/channel-gate.ts';
import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { processDelivery } from '#app/process-delivery.ts';
import { isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import type { Ledger } from '#ports';
import { CHANNELS } from '#test/proof/boundary-scenarios.ts';
import { brokenPromises } from '#test/proof/verdict.ts';
import { DAY_MS, DUE_AT, SETTINGS } from '#test/support/core-data.ts';
import { type Fate, FatedWorker } from '#test/support/fated-worker.ts';
import {
  MOODS,
  type Mood,
  type SpecState,
  specified,
  stateOf,
} from '#test/support/protocol-spec.ts';
import { aPayload, keyOf, QUEUE_NAME, World } from '#test/support/world.ts';

/** What the commands know before they ask: enough to say which of them make sense. */
export type Expected = { published: boolean };

const BEHAVIOURS: Record<Mood, ProviderBehaviour | undefined> = {
  accepts: undefined,
  defers: { kind: 'defer' },
  rejects: { kind: 'reject' },
  'refuses-us': { kind: 'auth-failure' },
  'resets-accepted': { kind: 'reset', accepted: true },
  'resets-unsent': { kind: 'reset', accepted: false },
};

/** One reminder in a world of its own, on any ledger. */
export class Reality {
  readonly world: World;
  readonly ledger: Ledger;
  readonly payload: Record<string, unknown>;
  mood: Mood = 'accepts';

  constructor(ledger: Ledger | null, channel: (typeof CHANNELS)[number], userId: string) {
    const { providerClass, blindPolicy } = channel;
    this.world = new World({
      profile: { providerClass, blindPolicy },
      behaviourOf: () => BEHAVIOURS[this.mood],
    });
    this.ledger = ledger ?? this.world.ledger;
    this.payload = aPayload({ user_id: userId });
  }

  deps(): DeliveryDeps {
    const { clock } = this.world;
    const sleep = async (ms: number) => clock.advance(ms);
    const deps = { ledger: this.ledger, clock: { now: () => clock.now(), sleep } };
    return this.world.deps(deps);
  }

  async row(): Promise<LedgerRecord | undefined> {
    const found = await this.ledger.read(keyOf(this.payload));
    if (found.kind === 'failed') throw new Error(`the ledger did not answer: ${found.code}`);
    return found.kind === 'row' ? found.row : undefined;
  }
}

type Command = fc.AsyncCommand<Expected, Reality>;

class Publish implements Command {
  check = () => true;
  async run(expected: Expected, { world, payload }: Reality): Promise<void> {
    world.publish(payload);
    expected.published = true;
  }
  toString = () => 'the producer publishes it';
}

class Pass implements Command {
  readonly #ms: number;
  constructor(ms: number) {
    this.#ms = ms;
  }
  check = () => true;
  async run(_: Expected, { world }: Reality): Promise<void> {
    world.clock.advance(this.#ms);
    for (const { messageId } of world.deadLetters()) {
      world.model.redrive(QUEUE_NAME, messageId, world.clock.now());
    }
  }
  toString = () => `${this.#ms / 1000} s pass, dead letters go back`;
}

class Turn implements Command {
  readonly #mood: Mood;
  constructor(mood: Mood) {
    this.#mood = mood;
  }
  check = () => true;
  async run(_: Expected, real: Reality): Promise<void> {
    real.mood = this.#mood;
  }
  toString = () => `the provider ${this.#mood} from now on`;
}

class Deliver implements Command {
  readonly #fate: Fate;
  readonly #at: number;
  constructor(fate: Fate, at: number) {
    this.#fate = fate;
    this.#at = at;
  }
  check = ({ published }: Expected) => published;
  async run(_: Expected, real: Reality): Promise<void> {
    const before = await real.row();
    const taken = await real.world.queue.consume({ maxMessages: 1, visibilityTimeoutSeconds: 60 });
    const message = taken.kind === 'messages' ? taken.messages[0] : undefined;
    if (message === undefined) return;
    const { attempt = 0 } = message.payload as { attempt?: number };
    const given = { row: before, copyAttempt: attempt, ...circumstances(real) };
    const worker = new FatedWorker(({ ordinal }) =>
      ordinal === this.#at ? this.#fate : 'goes-on',
    );
    const deps = worker.deps(real.deps());
    const run = {
      budget: { endsAt: deps.clock.now() + 3_600_000 },
      gates: new Map([['push', new ChannelGate(1)]]),
      stoppedChannels: new Map<string, string>(),
      halted: 'no' as const,
    };
    await Promise.race([processDelivery(message, deps, run), worker.end]);
    const allowed = new Set<SpecState>([specified(given)]);
    if (this.#fate !== 'goes-on' && worker.calls.length > this.#at) {
      for (const state of disturbed(given)) allowed.add(state);
    }
    await hold(real, before, allowed);
  }
  toString = () =>
    this.#fate === 'goes-on' ? 'a delivery' : `a delivery, call ${this.#at} ${this.#fate}`;
}

function circumstances({ world, payload, mood }: Reality) {
  return {
    profile: world.provider.sender.profile,
    now: world.clock.now(),
    dueAt: DUE_AT,
    useByAt: DUE_AT + SETTINGS.useBySeconds * 1000,
    mood,
    reached: world.effects(payload) > 0,
  };
}

/** A call that fails or ends the worker leaves what was there, a claim, or an unknown outcome. */
function disturbed(given: Parameters<typeof specified>[0]): readonly SpecState[] {
  const unsure = specified({ ...given, mood: 'resets-unsent' });
  const cannotTell = given.profile.providerClass === 'queryable' ? (['UNKNOWN'] as const) : [];
  return [stateOf(given.row), 'CLAIMED', unsure, ...cannotTell];
}

async function hold(
  real: Reality,
  before: LedgerRecord | undefined,
  allowed: ReadonlySet<SpecState>,
): Promise<void> {
  const { world, payload } = real;
  const row = await real.row();
  const state = stateOf(row);
  const broken = [
    ...brokenPromises({
      row,
      effects: world.effects(payload),
      queued: world.messages().length,
      dead: world.deadLetters().length,
      provider: world.provider,
    }),
    ...illegalChanges(before, row),
  ];
  if (!allowed.has(state)) broken.push(`${state} where ${[...allowed].join(' or ')} is specified`);
  if (broken.length > 0) throw new Error(broken.join('; '));
}

function illegalChanges(
  before: LedgerRecord | undefined,
  row: LedgerRecord | undefined,
): readonly string[] {
  if (before === undefined) return [];
  if (row === undefined) return ['a row was deleted'];
  const broken: string[] = [];
  if (row.attempt < before.attempt) broken.push('the attempt fell');
  if (row.expiresAt < before.expiresAt) broken.push('the time to live fell');
  if (isTerminal(before.state) && JSON.stringify(row) !== JSON.stringify(before)) {
    broken.push(`a ${before.state} row was changed`);
  }
  return broken;
}

const fate = fc.oneof(
  { arbitrary: fc.constant<Fate>('goes-on'), weight: 3 },
  {
    arbitrary: fc.constantFrom<Fate>('ended-before', 'ended-after', 'answer-lost', 'not-applied'),
    weight: 2,
  },
);
const passes = fc.constantFrom(1_000, 30_000, 61_000, 300_000, 21_600_000, DAY_MS);

/** A producer, a provider with moods, time, and workers of which any may fail at any call. */
export const protocolCommands = fc.commands(
  [
    fc.constant(new Publish()),
    passes.map((ms) => new Pass(ms)),
    passes.map((ms) => new Pass(ms)),
    fc.constantFrom(...MOODS).map((mood) => new Turn(mood)),
    fc.tuple(fate, fc.nat(5)).map(([met, at]) => new Deliver(met, at)),
    fc.tuple(fate, fc.nat(5)).map(([met, at]) => new Deliver(met, at)),
    fc.tuple(fate, fc.nat(5)).map(([met, at]) => new Deliver(met, at)),
  ],
  { size: '+1' },
);

export const channels = fc.constantFrom(...CHANNELS);
