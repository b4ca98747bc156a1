import fc from 'fast-check';
import { runRedrive } from '#app/redrive/run-redrive.ts';
import { CHANNELS } from '#test/proof/boundary-scenarios.ts';
import { checkOrders } from '#test/proof/check-orders.ts';
import { behaviour, fate, inTurns, work } from '#test/proof/interleavings.ts';
import type { Findings, Part } from '#test/proof/part.ts';
import { brokenAtRest, brokenPromises, viewOf } from '#test/proof/verdict.ts';
import { FatedWorker } from '#test/support/fated-worker.ts';
import { MemoryControls } from '#test/support/memory-controls.ts';
import { MemoryDeadLetters } from '#test/support/memory-queue.ts';
import { aPayload, QUEUE_NAME, World } from '#test/support/world.ts';

const PAYLOAD = aPayload();
const CAP = 3;
const LIMITS = {
  maxPerRun: 10,
  ratePerSecond: 100,
  canarySize: 0,
  cap: CAP,
  canaryWaitSeconds: 60,
  runLeaseSeconds: 120,
  deadLetterLeaseSeconds: 30,
  worstDeadLetterMs: 20_000,
  queueCallMs: 10_000,
};
const REDRIVE_BUDGET_MS = 440_000;
const MOST_ROUNDS = 8;

const story = fc.record({
  channel: fc.constantFrom(...CHANNELS),
  /** What the workers met that made it a dead letter. */
  before: fc.array(fate, { maxLength: 12 }),
  behaviours: fc.array(behaviour, { maxLength: 4 }),
  redrives: fc.integer({ min: 1, max: 3 }),
  consumers: fc.integer({ min: 0, max: 2 }),
  publishedAgain: fc.boolean(),
  fates: fc.array(fate, { maxLength: 24 }),
  passes: fc.array(fc.constantFrom(0, 0, 0, 200, 6_000, 31_000, 130_000), { maxLength: 20 }),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

const RUNS = { short: 150, full: 4_000 } as const;

export const redrives: Part = {
  name: 'redrives',
  shows:
    'redrives that overlap, end and lose answers, with consumers at work on the same reminder in any order, neither lose it, send it twice, nor count beyond the cap',
  run: (options) => checkOrders('redrives', RUNS[options.scale], story, play, options),
};

async function play(
  scheduler: fc.Scheduler,
  told: Story,
  findings: Findings,
): Promise<readonly string[]> {
  const { providerClass, blindPolicy } = told.channel;
  let calls = 0;
  const world = new World({
    profile: { providerClass, blindPolicy },
    behaviourOf: (_, call) => told.behaviours[call],
  });
  const controls = new MemoryControls();
  const ports = () => ({
    ...world.deps(),
    ledger: world.ledger,
    controls,
    deadLetters: new MemoryDeadLetters(world.model, world.clock, QUEUE_NAME),
  });
  await makeDead(world, told);
  if (world.deadLetters().length > 0) findings.count('began as a dead letter');
  if (told.publishedAgain) world.publish(PAYLOAD);

  let step = 0;
  const turn = async (label: string) => {
    await scheduler.schedule(Promise.resolve(), label);
    world.clock.advance(told.passes[step % Math.max(1, told.passes.length)] ?? 0);
    step += 1;
  };
  for (let id = 0; id < told.redrives + told.consumers; id += 1) {
    const worker = new FatedWorker(() => told.fates[calls++] ?? 'goes-on');
    const deps = worker.deps(inTurns(world, { deps: ports(), offset: 0, id }, turn));
    void (id < told.redrives ? redriveWith(deps as ReturnType<typeof ports>) : work(deps, 2, 60));
  }
  await scheduler.waitIdle();
  findings.count('steps', step);
  const broken = new Set(brokenPromises(viewOf(world, PAYLOAD)));
  await settle(world, ports);
  for (const promise of brokenAtRest(viewOf(world, PAYLOAD), false)) broken.add(promise);
  const redriven = world.row()?.redriveCount ?? 0;
  if (redriven > CAP) broken.add(`redriven ${redriven} times`);
  findings.count(`redriven ${redriven} times`);
  return [...broken];
}

/** Delivers it three times to workers that meet their fates, a lease apart. */
async function makeDead(world: World, { before }: Story): Promise<void> {
  world.publish(PAYLOAD);
  let met = 0;
  for (let delivery = 0; delivery < 3; delivery += 1) {
    const worker = new FatedWorker(({ method }) =>
      method === 'consume' ? 'goes-on' : (before[met++] ?? 'ended-before'),
    );
    const clock = { now: () => world.clock.now(), sleep: async () => {} };
    await Promise.race([work(worker.deps(world.deps({ clock })), 1, 60), worker.end]);
    world.clock.advance(61_000);
  }
}

type RedrivePorts = Omit<Parameters<typeof runRedrive>[1], 'limits'>;

function redriveWith(deps: RedrivePorts): Promise<unknown> {
  const budget = { endsAt: deps.clock.now() + REDRIVE_BUDGET_MS };
  return runRedrive({ kind: 'scheduled' }, { ...deps, limits: LIMITS }, budget, () => {});
}

/** Calm consumers and redrives, in turn, until a round moves nothing any more. */
async function settle(world: World, ports: () => RedrivePorts): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    await world.untilQuiet();
    if (world.deadLetters().length === 0) return;
    await world.clock.runUntil(world.clock.now() + 600_000);
    await world.clock.run(redriveWith(ports()));
  }
}
