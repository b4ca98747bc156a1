import fc from 'fast-check';
import { ChannelGate } from '#app/channel-gate.ts';
import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { processDelivery } from '#app/process-delivery.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import { CHANNELS } from '#test/proof/boundary-scenarios.ts';
import { checkOrders } from '#test/proof/check-orders.ts';
import type { Findings, Part } from '#test/proof/part.ts';
import { brokenAtRest, brokenPromises, viewOf } from '#test/proof/verdict.ts';
import { SETTINGS } from '#test/support/core-data.ts';
import { type Fate, FatedWorker } from '#test/support/fated-worker.ts';
import { wrapPorts } from '#test/support/port-calls.ts';
import { aPayload, World } from '#test/support/world.ts';

const PAYLOAD = aPayload();
/** Two minutes either way, and the times that a configuration then asks for. */
const SKEWED = { ...SETTINGS, leaseMs: 300_000, skewMs: 240_000 };

export const behaviour: fc.Arbitrary<ProviderBehaviour | undefined> = fc.constantFrom(
  undefined,
  { kind: 'defer' },
  { kind: 'reject' },
  { kind: 'auth-failure' },
  { kind: 'reset', accepted: true },
  { kind: 'reset', accepted: false },
  { kind: 'no-receipt', accepted: true },
  { kind: 'cut' },
);

export const fate: fc.Arbitrary<Fate> = fc.oneof(
  { arbitrary: fc.constant<Fate>('goes-on'), weight: 8 },
  {
    arbitrary: fc.constantFrom<Fate>('answer-lost', 'not-applied', 'ended-before', 'ended-after'),
    weight: 2,
  },
);

const story = fc.record({
  channel: fc.constantFrom(...CHANNELS),
  workers: fc.integer({ min: 2, max: 4 }),
  copies: fc.integer({ min: 1, max: 3 }),
  deliveriesEach: fc.integer({ min: 1, max: 3 }),
  behaviours: fc.array(behaviour, { maxLength: 4 }),
  fates: fc.array(fate, { maxLength: 24 }),
  /** Milliseconds that pass at each step: nothing, a call, a lease, a day. */
  passes: fc.array(fc.constantFrom(0, 0, 0, 200, 6_000, 20_000, 61_000, 400_000), {
    maxLength: 30,
  }),
  offsets: fc.array(fc.constantFrom(-120_000, -2_500, 0, 2_500, 120_000), { maxLength: 4 }),
  leases: fc.constantFrom('honoured' as const, 'ignored' as const),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

const RUNS = { short: 1_500, full: 12_000 } as const;

export const interleavings: Part = {
  name: 'interleavings',
  shows:
    'several workers on copies of one reminder, their port calls in any order, answers lost, workers ended, frozen for any time between two calls, clocks two minutes apart: no order loses it or sends it twice',
  run: (options) => checkOrders('interleavings', RUNS[options.scale], story, play, options),
};

async function play(
  scheduler: fc.Scheduler,
  told: Story,
  findings: Findings,
): Promise<readonly string[]> {
  const { channel, behaviours } = told;
  const apart = told.offsets.some((offset) => Math.abs(offset) > SETTINGS.skewMs);
  const settings = apart ? SKEWED : SETTINGS;
  const world = new World({
    profile: { providerClass: channel.providerClass, blindPolicy: channel.blindPolicy },
    behaviourOf: (_, call) => behaviours[call],
    queue: { visibility: told.leases },
  });
  for (let copy = 0; copy < told.copies; copy += 1) world.publish(PAYLOAD);
  let step = 0;
  let call = 0;
  const turn = async (label: string) => {
    await scheduler.schedule(Promise.resolve(), label);
    world.clock.advance(told.passes[step % Math.max(1, told.passes.length)] ?? 0);
    step += 1;
  };
  for (let id = 0; id < told.workers; id += 1) {
    const worker = new FatedWorker(() => {
      const met = told.fates[call] ?? 'goes-on';
      call += 1;
      return met;
    });
    const offset = told.offsets[id] ?? 0;
    const deps = worker.deps(inTurns(world, { deps: world.deps({ settings }), offset, id }, turn));
    void work(deps, told.deliveriesEach, apart ? 360 : 60).then(() =>
      findings.count('workers done'),
    );
  }
  await scheduler.waitIdle();
  findings.count('steps', step);
  const broken = new Set(brokenPromises(viewOf(world, PAYLOAD)));
  await world.untilQuiet(world.deps({ settings }));
  for (const promise of brokenAtRest(viewOf(world, PAYLOAD), false)) broken.add(promise);
  return [...broken];
}

/** One worker's ports: before and after each call, whoever the scheduler picks goes first. */
export function inTurns<Ports extends DeliveryDeps>(
  world: World,
  worker: { readonly deps: Ports; readonly offset: number; readonly id: number },
  turn: (label: string) => Promise<void>,
): Ports {
  const { offset, id } = worker;
  const skewed = world.clock.skewed(offset);
  const clock = { now: () => skewed.now(), sleep: async (ms: number) => world.clock.advance(ms) };
  const deps = { ...worker.deps, clock };
  const asked = world.provider.sender.profile.providerClass === 'queryable';
  return wrapPorts(deps, async (port, method, _args, invoke) => {
    // A provider that is asked can be outrun by a send that was frozen for longer than its margin:
    // no client can mend that, so that this send reaches it at once.
    if (!(asked && port === 'senders')) await turn(`worker ${id} calls ${method}`);
    const answer = await invoke();
    await turn(`worker ${id} hears of ${method}`);
    return answer;
  });
}

/** A worker that takes one message after another, each as a run of its own. */
export async function work(
  deps: DeliveryDeps,
  deliveries: number,
  visibilityTimeoutSeconds: number,
): Promise<void> {
  for (let delivery = 0; delivery < deliveries; delivery += 1) {
    const answer = await deps.queue.consume({ maxMessages: 1, visibilityTimeoutSeconds });
    const message = answer.kind === 'messages' ? answer.messages[0] : undefined;
    if (message === undefined) continue;
    const run = {
      budget: { endsAt: deps.clock.now() + 3_600_000 },
      gates: new Map([['push', new ChannelGate(1)]]),
      stoppedChannels: new Map<string, string>(),
      halted: 'no' as const,
    };
    await processDelivery(message, deps, run);
  }
}
