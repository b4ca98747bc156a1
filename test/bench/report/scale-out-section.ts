import { dollars } from '#functions/ops/cost/prices.ts';
import type { ScaleOut, ScaleRow } from '../parts/scale-out.ts';
import { table } from './tables.ts';

export function scaleOutSection({ rows, behindRateLimit }: ScaleOut): string[] {
  const { perSecond, backlog, figures } = behindRateLimit;
  return [
    '## Scale-out: the product’s own drain, ticks and gates in virtual time',
    settingsTable(rows),
    'A burst is a tenth of the day, due at one minute. A tick starts one consumer, and a consumer pulls until its run budget no longer covers a whole delivery: so many, not more, are at work at once, and a burst has them after as many ticks. A larger burst than was simulated is extended at their limit.',
    loadTable(rows),
    'DynamoDB: two writes a send, keys are hashes and so spread evenly; a partition takes 1000 write units a second, a table on demand 40 000 by default quota (4000 when it is new). The one partition of the sparse index takes only rows whose outcome is unknown: at most concurrency × consumers for each send time-out.',
    costTable(rows),
    `Behind a provider that answers 429 above ${perSecond} sends a second, nine tenths of a backlog of ${backlog} are sent in ${figures.mostSeconds.toFixed(0)} s (${((backlog * 0.9) / perSecond).toFixed(0)} s would be perfect) and the last one after ${figures.drainSeconds.toFixed(0)} s: the ${figures.refused} refused sends wait out their backoff and the next tick. All are sent once.`,
  ];
}

function settingsTable(rows: readonly ScaleRow[]): string {
  return table(
    [
      'A day',
      'Pipelines',
      'Consumers',
      'At work at most',
      'Run budget s',
      'Concurrency',
      'Memory MB',
      'Burst',
      'Simulated',
      'Overlap',
      'Runs',
      'By latency s',
      'By CPU s',
      'By a provider of 500/s, s',
    ],
    rows.map(({ volume, burst, simulated, figures, mostOverlap, drainSeconds }) => [
      volume.perDay.toLocaleString('en'),
      ...[volume.pipelines, volume.consumers, mostOverlap, volume.runBudgetSeconds].map(String),
      ...[volume.concurrency, volume.memoryMb].map(String),
      burst.toLocaleString('en'),
      simulated.toLocaleString('en'),
      String(figures.overlap),
      String(figures.runs),
      drainSeconds.byLatency.toFixed(0),
      drainSeconds.byCpu.toFixed(0),
      drainSeconds.byProvider.toFixed(0),
    ]),
  );
}

function loadTable(rows: readonly ScaleRow[]): string {
  return table(
    [
      'A day',
      'Average/s',
      'Sustained/s',
      'Write units/s average',
      'in a burst',
      'Partitions',
      'Queue calls/s in a burst',
      'What breaks first',
    ],
    rows.map((row) => [
      row.volume.perDay.toLocaleString('en'),
      row.averagePerSecond.toFixed(1),
      row.sustainedPerSecond.toFixed(0),
      row.writeUnitsPerSecond.average.toFixed(1),
      row.writeUnitsPerSecond.burst.toFixed(0),
      String(row.partitionsForBurst),
      row.pullsAndAcksPerSecond.toFixed(0),
      row.breaksFirst,
    ]),
  );
}

function costTable(rows: readonly ScaleRow[]): string {
  return table(
    ['A day', 'Publish', 'Ledger writes', 'Ledger storage', 'Lambda', 'Logs', 'Together'],
    rows.map(({ volume, costPerDay }) => {
      const { publish, ledgerWrites, ledgerStorage, lambda, logs } = costPerDay;
      const parts = [publish, ledgerWrites, ledgerStorage, lambda, logs];
      return [
        volume.perDay.toLocaleString('en'),
        ...parts.map(dollars),
        dollars(parts.reduce((sum, part) => sum + part, 0)),
      ];
    }),
  );
}
