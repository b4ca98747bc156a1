import { channelsSchema } from '#config/channels.ts';
import { drainSchema } from '#config/drain-config.ts';
import { worstDeliveryMs } from '#config/nested-times.ts';
import { PRICES } from '#functions/ops/cost/prices.ts';
import { DEFAULTS } from '#infra/constructs/defaults.ts';
import { type PipelineFigures, runPipeline } from '../simulation/virtual-pipeline.ts';
import { INJECTED } from './drain-rate.ts';

/** A day's volume with the settings that carry it. */
export type Volume = {
  readonly perDay: number;
  readonly consumers: number;
  readonly concurrency: number;
  readonly runBudgetSeconds: number;
  readonly memoryMb: number;
  /** Pipelines side by side, each with a queue and a schedule of its own, one ledger. */
  readonly pipelines: number;
};

const DEFAULT_DRAIN = drainSchema.parse({});
const CHANNELS = channelsSchema.parse({
  push: {
    provider: 'http',
    url: 'https://push.example.com/',
    class: 'dedupes',
    windowSeconds: 86_400,
  },
});
const SMALL = {
  consumers: DEFAULTS.consumerConcurrency,
  concurrency: DEFAULT_DRAIN.concurrency,
  runBudgetSeconds: DEFAULT_DRAIN.runBudgetSeconds,
  memoryMb: DEFAULTS.memoryMb.consumer,
  pipelines: 1,
};

export const VOLUMES: readonly Volume[] = [
  { perDay: 10_000, ...SMALL },
  { perDay: 1_000_000, ...SMALL },
  {
    perDay: 100_000_000,
    consumers: 5,
    concurrency: 128,
    runBudgetSeconds: 400,
    memoryMb: 1769,
    pipelines: 4,
  },
];

/** Reminders cluster: this share of a day is due at one minute, as at eight in the morning. */
const BURST_SHARE = 0.1;
/** A larger burst is simulated by its beginning and extended: the drain is linear. */
const MAX_SIMULATED = 150_000;
/** A provider's limit on one account, sends a second. */
const PROVIDER_PER_SECOND = 500;
const DAY = 86_400;

/** AWS's published limits and Lambda's CPU rule, 2026-07. */
const LIMITS = {
  /** Write units a second of one partition, and of a table on demand by default quota. */
  partitionWrites: 1000,
  tableWrites: 40_000,
  /** What a new table on demand takes at once. */
  newTableWrites: 4000,
  /** Memory that buys one whole virtual CPU. */
  mbPerCpu: 1769,
} as const;
const STORAGE_USD_PER_GB_MONTH = 0.25;
const LOG_USD_PER_GB = 0.5;
const ROW_BYTES = 620;
const LINE_BYTES = 750;
const ROW_DAYS = 120;

export type ScaleRow = {
  readonly volume: Volume;
  readonly burst: number;
  readonly simulated: number;
  readonly figures: PipelineFigures;
  /**
   * Consumers that can be at work at once: a tick starts one, and it pulls until its budget no
   * longer covers a whole delivery.
   */
  readonly mostOverlap: number;
  /** Seconds until a burst is sent: as simulated, bounded by CPU, and by the provider's limit. */
  readonly drainSeconds: {
    readonly byLatency: number;
    readonly byCpu: number;
    readonly byProvider: number;
  };
  /** Sends a second that the settings can keep up, and what the day needs on average. */
  readonly sustainedPerSecond: number;
  readonly averagePerSecond: number;
  readonly writeUnitsPerSecond: { readonly average: number; readonly burst: number };
  readonly partitionsForBurst: number;
  readonly pullsAndAcksPerSecond: number;
  readonly costPerDay: Readonly<
    Record<'publish' | 'ledgerWrites' | 'ledgerStorage' | 'lambda' | 'logs', number>
  >;
  readonly breaksFirst: string;
};

export type ScaleOut = {
  readonly rows: readonly ScaleRow[];
  readonly behindRateLimit: {
    readonly perSecond: number;
    readonly backlog: number;
    readonly figures: PipelineFigures;
  };
};

/** @param cpuMsPerReminder the consumer's own cost as measured on this machine */
export async function simulateScaleOut(
  cpuMsPerReminder: number,
  backlogBehindLimit: number,
  progress: (text: string) => void,
): Promise<ScaleOut> {
  const rows: ScaleRow[] = [];
  for (const volume of VOLUMES) {
    progress(`scale-out, ${volume.perDay} a day`);
    rows.push(await scaleRow(volume, cpuMsPerReminder));
  }
  progress('scale-out, behind a rate limit');
  const figures = await runPipeline({
    backlog: backlogBehindLimit,
    latencies: INJECTED,
    drain: {},
    tickSeconds: DEFAULTS.every.consumer * 60,
    consumers: DEFAULTS.consumerConcurrency,
    providerPerSecond: PROVIDER_PER_SECOND,
  });
  const behindRateLimit = { perSecond: PROVIDER_PER_SECOND, backlog: backlogBehindLimit, figures };
  return { rows, behindRateLimit };
}

async function scaleRow(volume: Volume, cpuMsPerReminder: number): Promise<ScaleRow> {
  const burst = Math.round(volume.perDay * BURST_SHARE);
  const perPipeline = Math.ceil(burst / volume.pipelines);
  const simulated = Math.min(perPipeline, MAX_SIMULATED);
  const figures = await runPipeline({
    backlog: simulated,
    latencies: INJECTED,
    drain: { concurrency: volume.concurrency, runBudgetSeconds: volume.runBudgetSeconds },
    tickSeconds: DEFAULTS.every.consumer * 60,
    consumers: volume.consumers,
    providerPerSecond: null,
  });
  const mostOverlap = Math.min(volume.consumers, overlapOf(volume));
  const cpuPerSecond =
    (volume.pipelines * mostOverlap * (volume.memoryMb / LIMITS.mbPerCpu) * 1000) /
    cpuMsPerReminder;
  const full = (volume.pipelines * mostOverlap * volume.concurrency * 1000) / INJECTED.providerMs;
  const averagePerSecond = volume.perDay / DAY;
  const sustainedPerSecond = Math.min(full, cpuPerSecond);
  const burstWrites = 2 * sustainedPerSecond;
  const drainSeconds = {
    byLatency: extended(figures, perPipeline, full / volume.pipelines),
    byCpu: burst / cpuPerSecond,
    byProvider: burst / PROVIDER_PER_SECOND,
  };
  return {
    volume,
    burst,
    simulated,
    figures,
    mostOverlap,
    drainSeconds,
    sustainedPerSecond,
    averagePerSecond,
    writeUnitsPerSecond: { average: 2 * averagePerSecond, burst: burstWrites },
    partitionsForBurst: Math.ceil(burstWrites / LIMITS.partitionWrites),
    pullsAndAcksPerSecond: sustainedPerSecond * 1.1,
    costPerDay: costPerDay(volume, cpuMsPerReminder),
    breaksFirst: breaksFirst(averagePerSecond, sustainedPerSecond, burstWrites),
  };
}

function overlapOf({ runBudgetSeconds }: Volume): number {
  const drain = { ...DEFAULT_DRAIN, runBudgetSeconds };
  const neededSeconds = (drain.queueCallMs + worstDeliveryMs(CHANNELS, drain)) / 1000;
  return Math.ceil((runBudgetSeconds - neededSeconds) / (DEFAULTS.every.consumer * 60));
}

/** The simulated beginning, then every consumer at its limit. */
function extended(figures: PipelineFigures, backlog: number, perSecond: number): number {
  const rest = backlog - figures.accepted;
  return figures.drainSeconds + Math.max(0, rest) / perSecond;
}

function costPerDay(volume: Volume, cpuMsPerReminder: number): ScaleRow['costPerDay'] {
  const { perDay } = volume;
  const gigabytes = volume.memoryMb / 1024;
  const busySeconds = Math.max(
    (perDay * INJECTED.providerMs) / 1000 / volume.concurrency,
    (perDay * cpuMsPerReminder) / 1000 / (volume.memoryMb / LIMITS.mbPerCpu),
  );
  const ticks = (DAY / 60 / DEFAULTS.every.consumer) * volume.pipelines;
  return {
    publish: perDay * PRICES.publish,
    ledgerWrites: perDay * 2 * PRICES.writeUnit,
    ledgerStorage: ((perDay * ROW_DAYS * ROW_BYTES) / 1e9) * (STORAGE_USD_PER_GB_MONTH / 30),
    lambda: (busySeconds + ticks) * gigabytes * PRICES.gigabyteSecond + ticks * PRICES.invocation,
    logs: ((perDay * LINE_BYTES) / 1e9) * LOG_USD_PER_GB,
  };
}

function breaksFirst(average: number, sustained: number, burstWrites: number): string {
  if (average > sustained) return 'consumers: the average day exceeds what they can send';
  if (average > PROVIDER_PER_SECOND) {
    return `provider: the average alone exceeds ${PROVIDER_PER_SECOND} sends a second of one account`;
  }
  if (burstWrites > LIMITS.tableWrites)
    return `ledger: ${LIMITS.tableWrites} write units a second of a table`;
  if (burstWrites > LIMITS.newTableWrites)
    return 'ledger, on its first day only: warm throughput of a new table';
  if (sustained > PROVIDER_PER_SECOND) {
    return `provider: a burst meets its rate limit (${PROVIDER_PER_SECOND} a second) before anything of ours`;
  }
  return 'nothing';
}
