import { describe, expect, it } from 'vitest';
import type { Spread } from '../../bench/measure/statistics.ts';
import type { DrainCell } from '../../bench/parts/drain-rate.ts';
import { aimsOf } from '../../bench/report/aims.ts';
import type { BenchReport } from '../../bench/report/bench-report.ts';

const flat = (value: number): Spread => ({ median: value, min: value, max: value });

function cell(contestant: DrainCell['contestant'], concurrency: number, rate: number): DrainCell {
  const limit = (concurrency * 1000) / 80;
  return {
    contestant,
    concurrency,
    perSecond: flat(rate),
    steadyPerSecond: flat(rate),
    ofLimit: flat(rate / limit),
    steadyOfLimit: flat(rate / limit),
    cpuMsPerReminder: flat(1),
    productOver: { drain: flat(1), steady: flat(1) },
  };
}

function report(change: Partial<BenchReport> = {}): BenchReport {
  const growth = [1000, 10_000].map((reminders) => ({
    reminders,
    virtualSeconds: reminders / 800,
    cpuSeconds: reminders / 30_000,
    heapMb: 14,
    peakRssMb: 100,
  }));
  return {
    form: 'full',
    drains: [
      cell('product', 32, 380),
      cell('product', 64, 760),
      cell('sequential', 1, 8.5),
      cell('idempotency', 32, 380),
      cell('bullmq', 32, 380),
    ],
    ownCosts: { costs: [], cpuRatio: flat(1) },
    engineUnits: {
      engine: 'dynamodb-local',
      send: { write: 2, read: 0 },
      quietDuplicate: { write: 1, read: 0 },
      readsAfterRefusal: false,
    },
    coldStarts: { starts: [], consumerBetween: flat(1.5) },
    growth,
    ...change,
  } as unknown as BenchReport;
}

const lost = (changed: BenchReport) =>
  aimsOf(changed)
    .filter(({ holds }) => !holds)
    .map(({ what }) => what);

describe('the regression lines of the benchmark', () => {
  it('hold for figures as they are', () => {
    expect(aimsOf(report()).length).toBeGreaterThan(8);
    expect(lost(report())).toEqual([]);
  });

  it.each<[string, Partial<BenchReport>, RegExp]>([
    [
      'a drain far from the limit',
      { drains: [cell('product', 32, 200), cell('product', 64, 760), cell('sequential', 1, 8.5)] },
      /of the limit/,
    ],
    [
      'a drain hardly faster than the loop',
      { drains: [cell('product', 32, 380), cell('product', 64, 200), cell('sequential', 1, 8.5)] },
      /sequential loop/,
    ],
    ['a dearer reminder', { ownCosts: { costs: [], cpuRatio: flat(1.4) } }, /CPU of a reminder/],
    [
      'a third write',
      { engineUnits: { ...report().engineUnits, send: { write: 3, read: 0 } } },
      /Write units of a send/,
    ],
    [
      'a read before each send',
      { engineUnits: { ...report().engineUnits, send: { write: 2, read: 1 } } },
      /Read units/,
    ],
    [
      'memory that grows with the backlog',
      { growth: report().growth.map((row, i) => ({ ...row, heapMb: 14 * (i + 1) })) },
      /Live heap/,
    ],
    [
      'time that grows faster than the backlog',
      { growth: report().growth.map((row, i) => ({ ...row, virtualSeconds: (i + 1) * 15 ** i })) },
      /Time of a reminder/,
    ],
  ])('notice %s', (_what, change, line) => {
    expect(lost(report(change))).toEqual([expect.stringMatching(line)]);
  });
});
