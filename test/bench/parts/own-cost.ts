import type { ContestantName, MeasuredDrain, Stand } from '../measure/stand.ts';
import { pairedRatio, type Spread, spreadOf } from '../measure/statistics.ts';
import { cpuMsPerReminder, NONE } from './drain-rate.ts';

export type CostPlan = { readonly rounds: number; readonly reminders: number };

/** What one reminder costs the process that sends it, all of it for one send. */
export type OwnCost = {
  readonly contestant: ContestantName;
  readonly userMs: Spread;
  readonly systemMs: Spread;
  readonly cpuMs: Spread;
  readonly requests: Requests;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly peakRssMb: number;
  /** Of one more delivery of a reminder that was sent. */
  readonly duplicate: { readonly cpuMs: number; readonly requests: Requests };
};

export type Requests = {
  readonly pulls: number;
  readonly acks: number;
  readonly sends: number;
  readonly tableWrites: number;
  readonly tableReads: number;
};

export type OwnCosts = {
  readonly costs: readonly OwnCost[];
  /** The product's CPU over Powertools Idempotency's, round by round. */
  readonly cpuRatio: Spread;
};

const CONCURRENCY = 32;
const CONTESTANTS = ['product', 'idempotency'] as const;

/** CPU, requests and bytes of one reminder without any latency: nothing but own work is left. */
export async function measureOwnCost(
  stand: Stand,
  plan: CostPlan,
  progress: (text: string) => void,
): Promise<OwnCosts> {
  const once = new Map<ContestantName, MeasuredDrain[]>();
  const twice = new Map<ContestantName, MeasuredDrain[]>();
  for (let round = 0; round <= plan.rounds; round += 1) {
    progress(`own cost, round ${round} of ${plan.rounds}`);
    const order = round % 2 === 0 ? CONTESTANTS : CONTESTANTS.toReversed();
    for (const contestant of order) {
      const request = {
        contestant,
        concurrency: CONCURRENCY,
        reminders: plan.reminders,
        latencies: NONE,
      };
      const single = await stand.drain(request);
      const repeated = await stand.drain({ ...request, copies: 2 });
      // Round 0 warms up: code that was never run is not what a drain costs.
      if (round === 0) continue;
      once.set(contestant, [...(once.get(contestant) ?? []), single]);
      twice.set(contestant, [...(twice.get(contestant) ?? []), repeated]);
    }
  }
  const cpuOf = (name: ContestantName) => (once.get(name) ?? []).map(cpuMsPerReminder);
  return {
    costs: CONTESTANTS.map((name) => costOf(name, once.get(name) ?? [], twice.get(name) ?? [])),
    cpuRatio: pairedRatio(cpuOf('product'), cpuOf('idempotency')),
  };
}

function costOf(
  contestant: ContestantName,
  once: readonly MeasuredDrain[],
  twice: readonly MeasuredDrain[],
): OwnCost {
  const last = once.at(-1) as MeasuredDrain;
  const lastTwice = twice.at(-1) as MeasuredDrain;
  const { reminders } = last;
  const requests = requestsOf(last);
  const both = requestsOf(lastTwice);
  const extraCpu = twice.map(
    (drain, i) => cpuMsPerReminder(drain) - cpuMsPerReminder(once[i] ?? drain),
  );
  return {
    contestant,
    userMs: spreadOf(once.map((drain) => drain.userMs / drain.reminders)),
    systemMs: spreadOf(once.map((drain) => drain.systemMs / drain.reminders)),
    cpuMs: spreadOf(once.map(cpuMsPerReminder)),
    requests,
    bytesOut: last.bytesToBackends / reminders,
    bytesIn: last.bytesFromBackends / reminders,
    peakRssMb: Math.max(...once.map((drain) => drain.peakRssMb)),
    duplicate: {
      cpuMs: spreadOf(extraCpu).median,
      requests: {
        pulls: both.pulls - requests.pulls,
        acks: both.acks - requests.acks,
        sends: both.sends - requests.sends,
        tableWrites: both.tableWrites - requests.tableWrites,
        tableReads: both.tableReads - requests.tableReads,
      },
    },
  };
}

function requestsOf({ reminders, consumes, acked, sends, table }: MeasuredDrain): Requests {
  return {
    pulls: consumes / reminders,
    acks: acked / reminders,
    sends: sends / reminders,
    tableWrites: (table.puts + table.updates) / reminders,
    tableReads: table.gets / reminders,
  };
}
