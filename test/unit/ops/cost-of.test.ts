import { expect, test } from 'vitest';
import { costOf } from '#functions/ops/cost/cost-of.ts';
import type { CostUsage } from '#functions/ops/cost/cost-usage.ts';

const USAGE: CostUsage = {
  source: 'a test',
  seconds: 86_400,
  invocations: { consumer: 1440, redrive: 96, stats: 1440 },
  durationMs: { consumer: 5_000_000, redrive: 96_000, stats: 720_000 },
  memoryMb: { consumer: 512, redrive: 256, stats: 256 },
  writeUnits: null,
  readUnits: null,
  deliveries: 130_000,
  keysClaimed: 100_000,
  takeOvers: 10_000,
  receipts: 100_000,
  duplicatesAbsorbed: 20_000,
  published: 10_000,
  submissions: 110_000,
};
const usd = (lines: ReturnType<typeof costOf>['spent'], what: string) =>
  lines.find((line) => line.what.startsWith(what))?.usd;

test('adds up publishes, writes and Lambda time, each by its own arithmetic', () => {
  const { spent, million, measured } = costOf(USAGE);
  expect(measured).toBe(true);
  expect(usd(spent, 'first publishes')).toBeCloseTo(2);
  expect(usd(spent, 'republishes')).toBeCloseTo(0.2);
  // 2 a key, 2 a take-over, 1 a duplicate.
  expect(usd(spent, 'ledger writes')).toBeCloseTo(240_000 * 0.625e-6);
  const gigabyteSeconds = 5000 * 0.5 + 96 * 0.25 + 720 * 0.25;
  expect(usd(spent, 'Lambda time')).toBeCloseTo(gigabyteSeconds * 0.0000133334);
  expect(usd(million, 'first publishes')).toBeCloseTo(20);
  expect(usd(million, 'republishes')).toBeCloseTo(2);
  expect(usd(million, 'ledger writes')).toBeCloseTo(2.4 * 0.625);
  expect(usd(million, 'Lambda time')).toBeCloseTo(0.025 * 1e6 * 0.0000133334);
});

test('counted writes are believed before reckoned ones', () => {
  expect(usd(costOf({ ...USAGE, writeUnits: 1e6 }).spent, 'ledger writes')).toBeCloseTo(0.625);
});

test('a day without reminders, or of empty ticks, says that its figures are assumed', () => {
  const idle = costOf({ ...USAGE, keysClaimed: 0, published: 0 });
  expect(idle.measured).toBe(false);
  expect(usd(idle.million, 'first publishes')).toBeCloseTo(20);
  const ticks = costOf({ ...USAGE, keysClaimed: 100 });
  const time = ticks.million.find(({ what }) => what.startsWith('Lambda time'));
  expect(time?.arithmetic).toContain('assumed');
  expect(time?.usd).toBeLessThan(1);
});
