import { CONSUMER_METRICS, STATS_METRICS } from '#config/metrics.ts';
import type { History, Sample } from '#test/support/alarm-simulator.ts';

const DAY_MINUTES = 1440;

export type Publishers = {
  readonly consumerEveryMinutes: number;
  readonly statsEveryMinutes: number;
};

const EVERY_MINUTE: Publishers = { consumerEveryMinutes: 1, statsEveryMinutes: 1 };

/** What gauges read on a good day; those that are not named read 0. */
const CALM_GAUGES: Readonly<Record<string, number>> = {
  [STATS_METRICS.heartbeat]: 1,
  [STATS_METRICS.available]: 3,
  [STATS_METRICS.inFlight]: 2,
  [STATS_METRICS.delayed]: 400,
  [STATS_METRICS.oldestMessageAgeSeconds]: 40,
  [STATS_METRICS.consumerSilentSeconds]: 50,
  [STATS_METRICS.balanceUsd]: 20,
};

const CALM_COUNTS: Readonly<Record<string, number>> = {
  [CONSUMER_METRICS.runs]: 1,
  [CONSUMER_METRICS.deliveries]: 12,
  [CONSUMER_METRICS.keysClaimed]: 10,
  [CONSUMER_METRICS.receipts]: 10,
  [CONSUMER_METRICS.terminalSent]: 10,
};

/**
 * A day on which nothing is wrong: ticks come late by up to forty seconds, every fiftieth comes
 * twice, the table was never throttled, and the queue of lost invocations was never used.
 */
export function calmDay(publishers: Publishers = EVERY_MINUTE): History {
  const stats = ticks(publishers.statsEveryMinutes);
  const consumer = ticks(publishers.consumerEveryMinutes);
  const constant = (times: readonly number[], value: number): readonly Sample[] =>
    times.map((atMinute) => ({ atMinute, value }));
  return Object.fromEntries([
    ...Object.values(STATS_METRICS).map((name) => [name, constant(stats, CALM_GAUGES[name] ?? 0)]),
    ...Object.values(CONSUMER_METRICS).map((name) => [
      name,
      constant(consumer, CALM_COUNTS[name] ?? 0),
    ]),
    ['Invocations', constant(consumer, 1)],
    ['Errors', constant(consumer, 0)],
  ]);
}

function ticks(everyMinutes: number): readonly number[] {
  const times: number[] = [];
  for (let tick = 0; tick * everyMinutes < DAY_MINUTES; tick += 1) {
    const late = ((tick * 37) % 40) / 60;
    times.push(tick * everyMinutes + late);
    if (tick % 50 === 0) times.push(tick * everyMinutes + late + 0.05);
  }
  return times;
}

type Span = { readonly from: number; readonly to: number };

/** The history with one metric at another value for a while. */
export function reading(history: History, metric: string, value: number, span: Span): History {
  const samples = history[metric] ?? ticks(1).map((atMinute) => ({ atMinute, value: 0 }));
  return {
    ...history,
    [metric]: samples.map((sample) => (within(sample, span) ? { ...sample, value } : sample)),
  };
}

/** The history with single events of one metric, on top of what it reads. */
export function events(history: History, metric: string, ...samples: readonly Sample[]): History {
  return { ...history, [metric]: [...(history[metric] ?? []), ...samples] };
}

/** The history with some metrics not published for a while. */
export function silence(history: History, metrics: readonly string[], span: Span): History {
  return Object.fromEntries(
    Object.entries(history).map(([name, samples]) => [
      name,
      metrics.includes(name) ? samples.filter((sample) => !within(sample, span)) : samples,
    ]),
  );
}

function within({ atMinute }: Sample, { from, to }: Span): boolean {
  return atMinute >= from && atMinute < to;
}
