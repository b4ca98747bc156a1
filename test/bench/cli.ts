import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stand } from './measure/stand.ts';
import { measureColdStarts } from './parts/cold-start.ts';
import { type DrainPlan, INJECTED, measureDrains, NONE } from './parts/drain-rate.ts';
import { countEngineUnits } from './parts/engine-units.ts';
import { measureGrowth } from './parts/growth.ts';
import { measureOwnCost } from './parts/own-cost.ts';
import { simulateScaleOut } from './parts/scale-out.ts';
import { measureSdkPrice } from './parts/sdk-price.ts';
import { aimsOf } from './report/aims.ts';
import { type BenchReport, machineInWords } from './report/bench-report.ts';
import { drainChart } from './report/chart.ts';
import { aimsTable, reportMarkdown } from './report/markdown.ts';

const USAGE = `npm run bench [-- options]
  --short           less than 90 seconds; fails when a ratio has clearly become worse
  --write-results   keeps the figures in test/bench/RESULTS.md and its chart
  --out FOLDER      where report.json, report.md and drain-rate.svg go (default: reports/bench)
`;

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    'write-results': { type: 'boolean', default: false },
    out: { type: 'string', default: 'reports/bench' },
    help: { type: 'boolean', default: false },
  },
});

const FULL = {
  drains: { concurrencies: [1, 8, 32, 64, 128], rounds: 3, seconds: 3 },
  withoutLatency: { rounds: 2, reminders: 2000 },
  ownCost: { rounds: 4, reminders: 1500 },
  sdkPriceRounds: 5,
  coldStartRounds: 7,
  growth: [1000, 10_000, 100_000, 1_000_000],
  backlogBehindLimit: 150_000,
};
const SHORT = {
  drains: { concurrencies: [8], rounds: 3, seconds: 2 },
  withoutLatency: { rounds: 1, reminders: 500 },
  ownCost: { rounds: 2, reminders: 800 },
  sdkPriceRounds: 1,
  coldStartRounds: 3,
  growth: [1000, 10_000],
  backlogBehindLimit: null,
};

const CONTESTANTS = ['product', 'sequential', 'idempotency', 'bullmq'] as const;
const WARM_UP_REMINDERS = 1500;

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function measure(): Promise<BenchReport> {
  const plan = options.short ? SHORT : FULL;
  const stand = await Stand.open(CONTESTANTS);
  const redis = stand.has('bullmq');
  if (!redis) say('BullMQ is skipped: no redis-server here (Debian: apt-get install redis-server)');
  try {
    await warmUp(stand);
    const drainPlan: DrainPlan = {
      ...plan.drains,
      latencies: INJECTED,
      remindersWithoutLatency: plan.withoutLatency.reminders,
    };
    const drains = await measureDrains(stand, drainPlan, say);
    const bare = { ...drainPlan, latencies: NONE, rounds: plan.withoutLatency.rounds };
    const drainsWithoutLatency = await measureDrains(stand, bare, say);
    const ownCosts = await measureOwnCost(stand, plan.ownCost, say);
    say('capacity units by a DynamoDB engine');
    const engineUnits = await countEngineUnits('bench-ledger');
    const sdkPrice = await measureSdkPrice(plan.sdkPriceRounds, say);
    const coldStarts = await measureColdStarts(plan.coldStartRounds, say);
    const growth = await measureGrowth(plan.growth, say);
    const cpuMs = ownCosts.costs.find(({ contestant }) => contestant === 'product')?.cpuMs.median;
    const { backlogBehindLimit } = plan;
    return {
      reportVersion: 1,
      form: options.short ? 'short' : 'full',
      command: options.short ? 'npm run bench -- --short' : 'npm run bench',
      date: new Date().toISOString().slice(0, 10),
      machine: machineInWords(),
      redis,
      drains,
      drainsWithoutLatency,
      ownCosts,
      engineUnits,
      sdkPrice,
      coldStarts,
      growth,
      scaleOut:
        backlogBehindLimit === null
          ? null
          : await simulateScaleOut(cpuMs ?? Number.NaN, backlogBehindLimit, say),
    };
  } finally {
    await stand.close();
  }
}

/** Code that was never run is not what a drain costs. */
async function warmUp(stand: Stand): Promise<void> {
  say('warm-up');
  for (const contestant of CONTESTANTS.filter((name) => stand.has(name))) {
    const reminders = contestant === 'sequential' ? 200 : WARM_UP_REMINDERS;
    await stand.drain({ contestant, concurrency: 32, reminders, latencies: NONE });
  }
}

function keep(report: BenchReport): void {
  const chart = drainChart(report.drains, INJECTED.providerMs);
  const text = reportMarkdown(report);
  mkdirSync(options.out, { recursive: true });
  writeFileSync(join(options.out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(options.out, 'report.md'), text);
  writeFileSync(join(options.out, 'drain-rate.svg'), chart);
  if (!options['write-results']) return;
  const here = new URL('./', import.meta.url);
  const withChart = text.replace(
    '\n\n## Drain rate without',
    '\n\n![Drain rate](drain-rate.svg)\n\n## Drain rate without',
  );
  writeFileSync(new URL('RESULTS.md', here), withChart);
  writeFileSync(new URL('drain-rate.svg', here), chart);
}

if (options.help) {
  process.stdout.write(USAGE);
} else {
  const startedAt = performance.now();
  const report = await measure();
  keep(report);
  const aims = aimsOf(report);
  const lost = aims.filter(({ holds }) => !holds);
  process.stdout.write(options.short ? `${aimsTable(aims)}\n` : `${reportMarkdown(report)}\n`);
  say(`${((performance.now() - startedAt) / 1000).toFixed(0)} s; report in ${options.out}`);
  for (const { what, measured } of lost) say(`clearly worse than before: ${what}: ${measured}`);
  if (lost.length > 0) process.exitCode = 1;
}
