import { ASSUMED_RECEIPT } from '#core/ledger-record.ts';
import {
  allScenarios,
  documentedEnds,
  HICCUPS,
  hiccupFate,
  type Scenario,
  scenarioName,
} from '#test/proof/boundary-scenarios.ts';
import { Findings, type Part, type PartOptions } from '#test/proof/part.ts';
import { brokenAtRest, brokenPromises, viewOf } from '#test/proof/verdict.ts';
import { DUE_AT } from '#test/support/core-data.ts';
import { type Fate, FatedWorker, type PortCall } from '#test/support/fated-worker.ts';
import { aPayload, World } from '#test/support/world.ts';

type How = 'ended-before' | 'ended-after';
/** The worker that makes this call, counted over all workers of a run, ends there. */
type End = { readonly at: number; readonly how: How };

type Played = {
  readonly calls: readonly PortCall[];
  readonly broken: readonly string[];
  readonly end: string;
  readonly story: readonly string[];
};

const MOST_LIVES = 40;
const PAYLOAD = aPayload();

export const boundaries: Part = {
  name: 'boundaries',
  shows:
    'a worker that ends just before or just after any call of any port leaves a reminder that fresh workers bring to its documented end with at most one effect',
  run: async (options) => {
    const findings = new Findings('boundaries', options);
    const seen = new Set<string>();
    for (const scenario of scenariosOf(options)) await enumerate(scenario, findings, seen);
    for (const scenario of allScenarios([1, 2], HICCUPS)) {
      judge(scenario, [], await play(scenario, []), findings);
    }
    options.log(`single ends done: ${findings.report().counts['runs'] ?? 0} runs`);
    if (options.scale === 'full') {
      const scenarios = allScenarios([1], ['none']);
      for (const scenario of scenarios) await enumeratePairs(scenario, findings);
    }
    findings.note(`boundaries met: ${[...seen].sort().join(', ')}`);
    return findings.report();
  },
};

function scenariosOf({ scale }: PartOptions): readonly Scenario[] {
  if (scale === 'full') {
    return [...allScenarios([1], HICCUPS), ...allScenarios([2], HICCUPS.slice(0, 3))];
  }
  const alone = allScenarios([1], ['none']).filter(({ lease }) => lease === 'over');
  const together = allScenarios([2], ['first record not applied']);
  return [...alone, ...together.filter(({ lease }) => lease === 'alive')];
}

/** Every call of the undisturbed run and of what follows each end, one end at a time. */
async function enumerate(scenario: Scenario, findings: Findings, seen: Set<string>): Promise<void> {
  findings.count('scenarios');
  const calm = await play(scenario, []);
  judge(scenario, [], calm, findings);
  for (const call of calm.calls) seen.add(`${call.port}.${call.method}`);
  for (let at = 0; at < calm.calls.length; at += 1) {
    for (const how of ['ended-before', 'ended-after'] as const) {
      const played = await play(scenario, [{ at, how }]);
      findings.count('ends');
      for (const call of played.calls) seen.add(`${call.port}.${call.method}`);
      judge(scenario, [{ at, how }], played, findings);
    }
  }
}

/** Two ends: each call of the undisturbed run, then each call of the workers that follow. */
async function enumeratePairs(scenario: Scenario, findings: Findings): Promise<void> {
  const calm = await play(scenario, []);
  for (let first = 0; first < calm.calls.length; first += 1) {
    for (const how of ['ended-before', 'ended-after'] as const) {
      const once = await play(scenario, [{ at: first, how }]);
      for (let second = first + 1; second < once.calls.length; second += 1) {
        for (const again of ['ended-before', 'ended-after'] as const) {
          const ends = [
            { at: first, how },
            { at: second, how: again },
          ];
          findings.count('pairs of ends');
          judge(scenario, ends, await play(scenario, ends), findings);
        }
      }
    }
  }
}

function judge(scenario: Scenario, ends: readonly End[], played: Played, findings: Findings): void {
  findings.count('runs');
  findings.count(`end ${played.end}`);
  const broken = [...played.broken];
  if (!documentedEnds(scenario, ends.length).has(played.end)) {
    broken.push(`its end ${played.end} is not a documented one`);
  }
  if (broken.length === 0) return;
  const where = ends.map(({ at, how }) => {
    const call = played.calls[at];
    return `${how} call ${at} (${call?.port}.${call?.method})`;
  });
  findings.violation({
    where: [scenarioName(scenario), ...where].join('; '),
    what: broken.join('; '),
    story: played.story,
  });
}

async function play(scenario: Scenario, ends: readonly End[]): Promise<Played> {
  const { channel, firstCall } = scenario;
  const world = new World({
    profile: { providerClass: channel.providerClass, blindPolicy: channel.blindPolicy },
    behaviourOf: (_, call) => {
      if (call === 0 || firstCall.always) return firstCall.behaviour;
      return call === 1 ? firstCall.next : undefined;
    },
    queue: { visibility: scenario.lease === 'alive' ? 'ignored' : 'honoured' },
  });
  const calls: PortCall[] = [];
  const broken = new Set<string>();
  const story: string[] = [];
  const inFirstLife = new Map<string, number>();
  let life = 0;
  const fateOf = (call: PortCall): Fate => {
    const at = calls.push(call) - 1;
    const end = ends.find((planned) => planned.at === at);
    if (end !== undefined) return end.how;
    if (life > 0) return 'goes-on';
    const earlier = inFirstLife.get(call.method) ?? 0;
    inFirstLife.set(call.method, earlier + 1);
    return hiccupFate(scenario.hiccup, call.method, earlier);
  };
  for (let copy = 0; copy < scenario.workers; copy += 1) world.publish(PAYLOAD);
  for (; life < MOST_LIVES; life += 1) {
    await liveOnce(world, scenario.workers, fateOf);
    for (const promise of brokenPromises(viewOf(world, PAYLOAD))) broken.add(promise);
    story.push(snapshot(world));
    if (world.messages().length === 0) break;
    await untilNextDue(world);
  }
  for (const promise of brokenAtRest(viewOf(world, PAYLOAD), true)) broken.add(promise);
  return { calls, broken: [...broken], end: endOf(world), story };
}

/** Fresh workers, each with one run; an ended one is waited for no longer. */
async function liveOnce(
  world: World,
  workers: number,
  fateOf: (call: PortCall) => Fate,
): Promise<void> {
  const runs = Array.from({ length: workers }, () => {
    const worker = new FatedWorker(fateOf);
    const run = world.start(worker.deps(world.deps()), { concurrency: 1, batchSize: 1 });
    return Promise.race([run, worker.end]);
  });
  await world.clock.run(Promise.all(runs));
}

async function untilNextDue(world: World): Promise<void> {
  const due = world.messages().map((message) => message.dueAt ?? world.clock.now());
  await world.clock.runUntil(Math.max(world.clock.now(), Math.min(...due)));
}

function endOf(world: World): string {
  const row = world.row(PAYLOAD);
  const effects = world.effects(PAYLOAD);
  if (row === undefined) return `NO_ROW/${effects}`;
  if (row.state === 'UNKNOWN') return `${row.reason}/${effects}`;
  if (row.receipt === ASSUMED_RECEIPT) return `ASSUMED/${effects}`;
  return `${row.state}/${effects}`;
}

function snapshot(world: World): string {
  const row = world.row(PAYLOAD);
  const seconds = ((world.clock.now() - DUE_AT) / 1000).toFixed(1);
  const state = row ? `${row.state} (${row.reason}, attempt ${row.attempt})` : 'no row';
  const last = world.reports.at(-1);
  const outcome = last ? `${last.outcome}/${last.settled}` : 'no delivery ended';
  const { length: waiting } = world.messages();
  const { length: dead } = world.deadLetters();
  return `+${seconds} s: ${outcome}; row ${state}; ${waiting} queued, ${dead} dead; effects ${world.effects(PAYLOAD)}`;
}
