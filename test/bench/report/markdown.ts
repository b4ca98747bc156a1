import type { DrainCell } from '../parts/drain-rate.ts';
import { type Aim, aimsOf, TITLES } from './aims.ts';
import type { BenchReport } from './bench-report.ts';
import { scaleOutSection } from './scale-out-section.ts';
import { spread, table } from './tables.ts';

/** The whole report as Markdown: what the terminal shows and what RESULTS.md keeps. */
export function reportMarkdown(report: BenchReport): string {
  return [
    '# Benchmark results',
    `Made by \`${report.command}\` on ${report.date}: ${report.machine}. Medians, in brackets the least and the most of all rounds. Ratios are taken round by round between contestants that ran side by side; seconds and milliseconds are this machine's.`,
    '## Aims',
    aimsTable(aimsOf(report)),
    whyNot(report),
    '## Drain rate, injected latencies: queue 25 ms, ledger 5 ms, provider 80 ms',
    drainTable(report.drains),
    'Whole drain: from the call of the handler to its answer, a start and an end included. Steady: the middle of the drain. The limit is concurrency / provider latency. Every contestant has at most that many sends at the provider and twice as many reminders in hand; BullMQ fetches its first jobs one after the other, each at the queue’s latency.',
    '## Drain rate without latency',
    drainTable(report.drainsWithoutLatency),
    ...(report.redis ? [] : ['BullMQ was skipped: no redis-server on this machine.']),
    '## Own cost of a reminder, no latency, concurrency 32',
    costTable(report),
    `Read and write units as ${report.engineUnits.engine} reports them: send ${report.engineUnits.send.write} write and ${report.engineUnits.send.read} read; quiet duplicate ${report.engineUnits.quietDuplicate.write} write (a refused put, charged as AWS charges it) and ${report.engineUnits.quietDuplicate.read} read.`,
    priceSentence(report),
    '## Cold start, fresh process, bundles as deployed',
    startTable(report),
    '## Growth, virtual time, concurrency 64',
    growthTable(report),
    ...(report.scaleOut === null ? [] : scaleOutSection(report.scaleOut)),
    '',
  ].join('\n\n');
}

export function aimsTable(aims: readonly Aim[]): string {
  return table(
    ['Aim', 'Wanted', 'Measured', 'Met'],
    aims.map(({ what, aim, measured, met, holds }) => [
      what,
      aim,
      measured,
      met ? 'yes' : holds ? 'no' : 'no, and worse than before',
    ]),
  );
}

/**
 * Two aims about own cost were set for a consumer whose ledger calls cost little more than their
 * bytes; the paragraph says what stands in the way and what was measured without it.
 */
function whyNot({ ownCosts, sdkPrice, coldStarts }: BenchReport): string {
  const yardstickMs = ownCosts.costs.find(({ contestant }) => contestant === 'idempotency')?.cpuMs;
  const ledgerMs = (2 * sdkPrice.ledgerClaim.median) / 1000;
  const ofYardstick = ledgerMs / (yardstickMs?.median ?? Number.NaN);
  return [
    `CPU and cold start are the AWS SDK’s for the most part, in our function as in (b)’s. The ledger’s two calls by themselves are ${ofYardstick.toFixed(2)} of (b)’s CPU a reminder, and a function that does nothing but make them starts at ${coldStarts.ledgerCallsBetween.median.toFixed(2)} of the distance: with the SDK neither aim can be met.`,
    'Ours also loads a second client for its secrets, and writes a whole row with its history, validates, hashes, logs and counts where (b) keeps a status.',
    'Calls signed by the product itself over its own HTTP client were tried (commit d09d300): 0.46 of (b)’s CPU a reminder and a cold start of 60 % of the CPU. The maintained client was kept.',
  ].join(' ');
}

function drainTable(cells: readonly DrainCell[]): string {
  const order = Object.keys(TITLES);
  const rows = [...cells].sort(
    (a, b) =>
      a.concurrency - b.concurrency || order.indexOf(a.contestant) - order.indexOf(b.contestant),
  );
  return table(
    [
      'Concurrency',
      'Contestant',
      'A second, whole',
      'Of limit',
      'Steady',
      'Of limit',
      'CPU ms',
      'Ours over it',
    ],
    rows.map((cell) => [
      String(cell.concurrency),
      TITLES[cell.contestant],
      spread(cell.perSecond, 0),
      cell.ofLimit === null ? '' : spread(cell.ofLimit, 2),
      spread(cell.steadyPerSecond, 0),
      cell.steadyOfLimit === null ? '' : spread(cell.steadyOfLimit, 2),
      spread(cell.cpuMsPerReminder, 2),
      cell.contestant === 'product' ? '' : spread(cell.productOver.drain, 2),
    ]),
  );
}

function costTable({ ownCosts }: BenchReport): string {
  const rows = ownCosts.costs.map(({ contestant, requests, duplicate, ...cost }) => [
    TITLES[contestant],
    spread(cost.cpuMs, 3),
    spread(cost.userMs, 3),
    spread(cost.systemMs, 3),
    `${requests.pulls.toFixed(2)} + ${requests.acks.toFixed(0)}`,
    requests.tableWrites.toFixed(0),
    requests.sends.toFixed(0),
    `${Math.round(cost.bytesOut)} / ${Math.round(cost.bytesIn)}`,
    cost.peakRssMb.toFixed(0),
    `${duplicate.cpuMs.toFixed(3)} ms, ${duplicate.requests.tableWrites.toFixed(0)} put, ${duplicate.requests.acks.toFixed(0)} ack`,
  ]);
  const head = [
    '',
    'CPU ms',
    'User',
    'System',
    'Pulls + acks',
    'Table writes',
    'Sends',
    'Bytes out / in',
    'Peak MB',
    'One more delivery',
  ];
  return `${table(head, rows)}\n\nCPU of ours over (b): ${spread(ownCosts.cpuRatio, 2)}.`;
}

function priceSentence({ sdkPrice }: BenchReport): string {
  const { barePost, client, documentClient, ledgerClaim } = sdkPrice;
  return `Of one conditional put, µs CPU: bare POST of the same JSON by the product's HTTP client ${spread(barePost, 0)}; DynamoDBClient ${spread(client, 0)}; DynamoDBDocumentClient ${spread(documentClient, 0)}; the ledger's claim, by a document client without idle middleware, row codec and budget included ${spread(ledgerClaim, 0)}. Two ledger calls are most of a reminder's CPU, and most of them is the SDK.`;
}

function startTable({ coldStarts }: BenchReport): string {
  return table(
    [
      'Artefact',
      'Raw KB',
      'Gzip KB',
      'Import ms',
      'First invocation ms',
      'Together ms',
      'CPU ms',
      'RSS MB',
    ],
    coldStarts.starts.map((start) => [
      start.artefact,
      start.rawKb.toFixed(0),
      start.gzipKb.toFixed(0),
      spread(start.importMs, 0),
      spread(start.firstInvocationMs, 0),
      spread(start.totalMs, 0),
      spread(start.cpuMs, 0),
      start.rssMb.toFixed(0),
    ]),
  );
}

function growthTable({ growth }: BenchReport): string {
  return table(
    ['Queued', 'Drained in virtual s', 'µs CPU a reminder', 'Live heap MB', 'Peak RSS MB'],
    growth.map((row) => [
      String(row.reminders),
      row.virtualSeconds.toFixed(1),
      ((row.cpuSeconds * 1e6) / row.reminders).toFixed(0),
      row.heapMb.toFixed(1),
      row.peakRssMb.toFixed(0),
    ]),
  );
}
