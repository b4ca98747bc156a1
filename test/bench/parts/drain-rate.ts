import type { Latencies } from '../backends/backends-process.ts';
import type { ContestantName, MeasuredDrain, Stand } from '../measure/stand.ts';
import { median, pairedRatio, type Spread, spreadOf } from '../measure/statistics.ts';

/** The latencies of the comparison: a queue and a provider over the internet, a table nearby. */
export const INJECTED: Latencies = { queueMs: 25, ledgerMs: 5, providerMs: 80 };
export const NONE: Latencies = { queueMs: 0, ledgerMs: 0, providerMs: 0 };

export type DrainPlan = {
  readonly concurrencies: readonly number[];
  readonly rounds: number;
  /** How long a drain at the limit takes, seconds; it sets how many reminders there are. */
  readonly seconds: number;
  readonly latencies: Latencies;
  /** Reminders of a drain without latency. */
  readonly remindersWithoutLatency: number;
};

/** One contestant at one concurrency. */
export type DrainCell = {
  readonly contestant: ContestantName;
  readonly concurrency: number;
  /** Whole drain, reminders a second: start, end and all between. */
  readonly perSecond: Spread;
  /** Middle of the drain only: what a run of many minutes tends to. */
  readonly steadyPerSecond: Spread;
  /** Of `concurrency / provider latency`; null without latency. */
  readonly ofLimit: Spread | null;
  readonly steadyOfLimit: Spread | null;
  readonly cpuMsPerReminder: Spread;
  /** The product's whole-drain and steady rate over this contestant's, round by round. */
  readonly productOver: { readonly drain: Spread; readonly steady: Spread };
};

const CONTESTANTS: readonly ContestantName[] = ['product', 'idempotency', 'bullmq'];
/** The loop does one reminder after the other whatever the concurrency: measured once a round. */
const SEQUENTIAL_REMINDERS = 20;

/**
 * Every contestant drains at every concurrency, round after round in alternating order, so that
 * what the machine does meanwhile meets all of them.
 */
export async function measureDrains(
  stand: Stand,
  plan: DrainPlan,
  progress: (text: string) => void,
): Promise<readonly DrainCell[]> {
  const samples = new Map<string, MeasuredDrain[]>();
  const take = async (contestant: ContestantName, concurrency: number, reminders: number) => {
    const drain = await stand.drain({
      contestant,
      concurrency,
      reminders,
      latencies: plan.latencies,
    });
    const key = `${contestant} ${concurrency}`;
    samples.set(key, [...(samples.get(key) ?? []), drain]);
  };
  const present = CONTESTANTS.filter((name) => stand.has(name));
  for (let round = 1; round <= plan.rounds; round += 1) {
    progress(`drains, round ${round} of ${plan.rounds}`);
    const order = round % 2 === 1 ? present : present.toReversed();
    await take('sequential', 1, SEQUENTIAL_REMINDERS);
    for (const concurrency of plan.concurrencies) {
      for (const name of order) await take(name, concurrency, remindersOf(plan, concurrency));
    }
  }
  return cellsOf(samples, plan);
}

function remindersOf(plan: DrainPlan, concurrency: number): number {
  const { latencies, seconds, remindersWithoutLatency } = plan;
  if (latencies.providerMs === 0) return remindersWithoutLatency;
  return Math.round((concurrency * 1000 * seconds) / latencies.providerMs);
}

function cellsOf(
  samples: ReadonlyMap<string, readonly MeasuredDrain[]>,
  plan: DrainPlan,
): readonly DrainCell[] {
  return [...samples].map(([key, drains]) => {
    const [contestant, concurrency] = key.split(' ') as [ContestantName, string];
    const limit = limitOf(Number(concurrency), plan.latencies);
    const rates = drains.map(perSecond);
    const steady = drains.map((drain) => drain.steadyPerSecond);
    const product =
      samples.get(`product ${concurrency}`) ?? samples.get(`product ${plan.concurrencies[0]}`);
    return {
      contestant,
      concurrency: Number(concurrency),
      perSecond: spreadOf(rates),
      steadyPerSecond: spreadOf(steady),
      ofLimit: limit === null ? null : spreadOf(rates.map((rate) => rate / limit)),
      steadyOfLimit: limit === null ? null : spreadOf(steady.map((rate) => rate / limit)),
      cpuMsPerReminder: spreadOf(drains.map(cpuMsPerReminder)),
      productOver: {
        drain: pairedRatio((product ?? []).map(perSecond), rates),
        steady: pairedRatio(
          (product ?? []).map((drain) => drain.steadyPerSecond),
          steady,
        ),
      },
    };
  });
}

/** Sends a second that no drain can exceed: every place at the provider always taken. */
export function limitOf(concurrency: number, latencies: Latencies): number | null {
  return latencies.providerMs === 0 ? null : (concurrency * 1000) / latencies.providerMs;
}

export function perSecond(drain: MeasuredDrain): number {
  return (drain.reminders * 1000) / drain.wallMs;
}

export function cpuMsPerReminder(drain: MeasuredDrain): number {
  return (drain.userMs + drain.systemMs) / drain.reminders;
}

/** How many times the sequential loop the product is, at one concurrency. */
export function timesSequential(cells: readonly DrainCell[], concurrency: number): number {
  const rateOf = (name: ContestantName, at: number) =>
    cells.find((cell) => cell.contestant === name && cell.concurrency === at)?.perSecond.median;
  return (rateOf('product', concurrency) ?? 0) / (rateOf('sequential', 1) ?? Number.NaN);
}

/** For a table: the middle of several cells' medians. */
export function medianOver(
  cells: readonly DrainCell[],
  pick: (cell: DrainCell) => number | undefined,
): number {
  return median(cells.flatMap((cell) => pick(cell) ?? []));
}
