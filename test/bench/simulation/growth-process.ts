import { INJECTED } from '../parts/drain-rate.ts';
import { runPipeline } from './virtual-pipeline.ts';

/** One size of backlog, drained in a process of its own so that peaks are its own too. */
export type GrowthFigures = {
  readonly reminders: number;
  readonly virtualSeconds: number;
  readonly cpuSeconds: number;
  /** Live heap after a collection, at nine tenths of the drain. */
  readonly heapMb: number;
  readonly peakRssMb: number;
};

const CONCURRENCY = 64;
const MEASURE_AT = 0.9;

const reminders = Number(process.argv[2]);
const collect = globalThis.gc ?? (() => {});
let done = 0;
let heapMb = 0;

const cpuBefore = process.cpuUsage();
const figures = await runPipeline({
  backlog: reminders,
  latencies: INJECTED,
  drain: { concurrency: CONCURRENCY },
  tickSeconds: 60,
  consumers: 1,
  providerPerSecond: null,
  afterDelivery() {
    done += 1;
    if (done !== Math.floor(reminders * MEASURE_AT)) return;
    collect();
    heapMb = process.memoryUsage().heapUsed / 1_048_576;
  },
});
const { user, system } = process.cpuUsage(cpuBefore);
if (figures.accepted !== reminders)
  throw new Error(`${figures.accepted} of ${reminders} were sent`);

process.send?.({
  reminders,
  virtualSeconds: figures.drainSeconds,
  cpuSeconds: (user + system) / 1_000_000,
  heapMb,
  peakRssMb: process.resourceUsage().maxRSS / 1024,
} satisfies GrowthFigures);
process.on('disconnect', () => process.exit());
