import type { DrainCell } from '../parts/drain-rate.ts';
import { timesSequential } from '../parts/drain-rate.ts';
import type { BenchReport } from './bench-report.ts';

/** One aim of the product, and the line below which a change has clearly made things worse. */
export type Aim = {
  readonly what: string;
  readonly aim: string;
  readonly measured: string;
  readonly met: boolean;
  /** Whether the value is still on the good side of the regression line. */
  readonly holds: boolean;
};

type Direction = 'at least' | 'at most';
type Line = {
  readonly what: string;
  readonly value: number | undefined;
  readonly direction: Direction;
  readonly aim: number;
  /** Looser than the aim by what a busy machine may do to a ratio. */
  readonly regression: number;
  readonly format: (value: number) => string;
};

const percent = (value: number) => `${(value * 100).toFixed(0)} %`;
const times = (value: number) => `${value.toFixed(2)} ×`;
const exact = (value: number) => value.toFixed(2);

/** Aims of the performance issue. Ratios and counts only: no machine is fast enough for seconds. */
export function aimsOf(report: BenchReport): readonly Aim[] {
  return linesOf(report).flatMap(({ what, value, direction, aim, regression, format }) => {
    if (value === undefined) return [];
    const good = (line: number) => (direction === 'at least' ? value >= line : value <= line);
    return {
      what,
      aim: `${direction} ${format(aim)}`,
      measured: format(value),
      met: good(aim),
      holds: good(regression),
    };
  });
}

function linesOf(report: BenchReport): readonly Line[] {
  return [
    ...drainLines(report),
    ...costLines(report),
    ...startLines(report),
    ...growthLines(report),
  ];
}

function drainLines({ form, drains }: BenchReport): Line[] {
  const cell = (name: DrainCell['contestant'], concurrency: number) =>
    drains.find((one) => one.contestant === name && one.concurrency === concurrency);
  // The short form drains at 8 only, which a machine with other work to do can still keep up.
  const [few, many] = form === 'full' ? [32, 64] : [8, 8];
  const sequential = form === 'full' ? { aim: 50, regression: 35 } : { aim: 10, regression: 7 };
  return [
    {
      what: `Drain at concurrency ${few}, of the limit (concurrency / provider latency)`,
      value: cell('product', few)?.ofLimit?.median,
      ...{ direction: 'at least', aim: 0.9, regression: 0.7, format: percent },
    },
    {
      what: `Drain at concurrency ${many} over the sequential loop`,
      value: timesSequential(drains, many),
      ...{ direction: 'at least', ...sequential, format: times },
    },
    ...(['idempotency', 'bullmq'] as const).flatMap((name): Line[] => [
      {
        what: `Whole drain over ${TITLES[name]} at concurrency ${few}`,
        value: cell(name, few)?.productOver.drain.median,
        // Two equal rates differ by a percent or two from round to round.
        ...{ direction: 'at least', aim: 0.97, regression: 0.8, format: times },
      },
      {
        what: `Steady rate over ${TITLES[name]} at concurrency ${few}`,
        value: cell(name, few)?.productOver.steady.median,
        ...{ direction: 'at least', aim: 0.97, regression: 0.8, format: times },
      },
    ]),
  ];
}

function costLines({ ownCosts, engineUnits }: BenchReport): Line[] {
  const product = ownCosts.costs.find(({ contestant }) => contestant === 'product');
  const most = { direction: 'at most' } as const;
  return [
    {
      what: 'CPU of a reminder over that of Powertools Idempotency',
      value: ownCosts.cpuRatio.median,
      ...{ ...most, aim: 0.6, regression: 1.3, format: times },
    },
    {
      what: 'Write units of a send',
      value: engineUnits.send.write,
      ...{ ...most, aim: 2, regression: 2, format: exact },
    },
    {
      what: 'Write units of a quiet duplicate',
      value: engineUnits.quietDuplicate.write,
      ...{ ...most, aim: 1, regression: 1, format: exact },
    },
    {
      what: 'Read units of a send and of a quiet duplicate',
      value: engineUnits.readsAfterRefusal
        ? engineUnits.send.read
        : engineUnits.send.read + engineUnits.quietDuplicate.read,
      ...{ ...most, aim: 0, regression: 0, format: exact },
    },
    {
      what: 'Requests of a reminder, pulls included',
      value: product && Object.values(product.requests).reduce((sum, count) => sum + count, 0),
      ...{ ...most, aim: 4.15, regression: 4.3, format: exact },
    },
  ];
}

function startLines({ coldStarts }: BenchReport): Line[] {
  const consumer = coldStarts.starts.find(({ artefact }) => artefact === 'consumer');
  return [
    {
      what: 'Consumer bundle, raw KB',
      value: consumer?.rawKb,
      ...{ direction: 'at most', aim: 400, regression: 560, format: (kb) => `${kb.toFixed(0)} KB` },
    },
    {
      what: 'Cold start between an empty handler (0) and Powertools Idempotency (1)',
      value: coldStarts.consumerBetween.median,
      ...{ direction: 'at most', aim: 0.5, regression: 3, format: exact },
    },
  ];
}

function growthLines({ growth }: BenchReport): Line[] {
  const small = growth.find(({ reminders }) => reminders >= 10_000) ?? growth.at(0);
  const large = growth.at(-1);
  const first = growth.at(0);
  if (small === undefined || large === undefined || first === undefined) return [];
  return [
    {
      what: `Time of a reminder in a backlog of ${large.reminders} over one of ${first.reminders}`,
      value: large.virtualSeconds / large.reminders / (first.virtualSeconds / first.reminders),
      ...{ direction: 'at most', aim: 1.1, regression: 1.3, format: times },
    },
    {
      what: `Live heap with ${large.reminders} reminders over ${first.reminders}`,
      value: large.heapMb / first.heapMb,
      ...{ direction: 'at most', aim: 1.1, regression: 1.5, format: times },
    },
  ];
}

export const TITLES = {
  product: 'Remind Once',
  sequential: '(a) sequential loop',
  idempotency: '(b) Powertools Idempotency',
  bullmq: '(c) BullMQ',
} as const;
