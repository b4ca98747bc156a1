import type { DeliveryReport } from '#app/delivery-report.ts';
import type { DrainResult } from '#app/drain-queue.ts';
import type { Tally } from '#app/tally.ts';
import { CONSUMER_METRICS as METRIC } from '#config/metrics.ts';
import { RESENT_BY_POLICY } from '#core/breaker-evidence.ts';
import type { Telemetry } from '#ports';

/** The one canonical line of a delivery. */
export function logDelivery(telemetry: Telemetry, report: DeliveryReport): void {
  telemetry.log(levelOf(report), 'delivery', report);
  if (report.endToEndSeconds !== null) {
    telemetry.sample(METRIC.endToEndSeconds, Math.max(0, report.endToEndSeconds));
  }
}

/** Lines that somebody should look at even when nothing pages. */
function levelOf(report: DeliveryReport): 'info' | 'warn' | 'error' {
  switch (report.outcome) {
    case 'crashed':
    case 'record-failed':
    case 'unproved':
      return 'error';
    case 'lost-claim':
      return report.reason === RESENT_BY_POLICY ? 'warn' : 'error';
    case 'invalid':
    case 'parked':
    case 'exhausted':
    case 'rejected':
    case 'ledger-failed':
    case 'channel-stopped':
      return 'warn';
    default:
      return report.contentConflict ? 'warn' : 'info';
  }
}

/**
 * Publishes the run's figures, all together after its last delivery: a killed run publishes none,
 * so that no count can run ahead of another because a process ended between them.
 *
 * Beyond that, no difference of two counts decides anything. A receipt and its row belong to one
 * delivery, which judges them itself (`core/breaker-evidence.ts`): `ReceiptsAhead` and
 * `TerminalAhead` count deliveries that ended with one and without the other. A delivery that was
 * killed ends nowhere; the one that reconciles its row ends with both.
 */
export function reportRun(telemetry: Telemetry, { end, tally }: DrainResult): void {
  for (const [metric, value] of figuresOf(tally)) telemetry.count(metric, value);
  for (const [metric, value] of seldomFiguresOf(tally)) {
    if (value > 0) telemetry.count(metric, value);
  }
  telemetry.count(METRIC.runs);
  telemetry.count(METRIC.runsStoppedByBudget, end === 'run-budget' ? 1 : 0);
  const consumedNothing = end === 'paused' || end === 'breaker-unreadable';
  telemetry.count(METRIC.runsPaused, consumedNothing ? 1 : 0);
  const { deliveries, keysClaimed, receipts, duplicatesAbsorbed, postponed } = tally;
  telemetry.log('info', 'run', {
    end,
    deliveries,
    keysClaimed,
    receipts,
    duplicatesAbsorbed,
    postponed,
    terminal: sum(tally.terminal),
    left: sum(tally.leftByReason),
    leftByReason: byReason(tally.leftByReason),
    stoppedChannels: tally.stoppedChannels.join(','),
  });
}

function figuresOf(tally: Tally): readonly (readonly [string, number])[] {
  const outcome = (name: string) => tally.outcomes[name] ?? 0;
  return [
    [METRIC.deliveries, tally.deliveries],
    [METRIC.keysClaimed, tally.keysClaimed],
    [METRIC.takeOvers, tally.takeOvers],
    [METRIC.receipts, tally.receipts],
    [METRIC.terminalSent, tally.terminal.SENT],
    [METRIC.terminalRejected, tally.terminal.REJECTED],
    [METRIC.terminalExpired, tally.terminal.EXPIRED],
    [METRIC.assumedSent, tally.assumedSent],
    [METRIC.receiptsAhead, tally.receiptsAhead],
    [METRIC.terminalAhead, tally.terminalAhead],
    [METRIC.duplicatesAbsorbed, tally.duplicatesAbsorbed],
    [METRIC.contentConflicts, tally.contentConflicts],
    [METRIC.invalidMessages, sum(tally.invalidByReason)],
    [METRIC.postponed, tally.postponed],
    [METRIC.publishes, tally.published],
    [METRIC.left, sum(tally.leftByReason)],
    [METRIC.submissions, tally.submissions],
    [METRIC.asks, tally.asks],
    [METRIC.parked, outcome('parked')],
    [METRIC.exhausted, outcome('exhausted')],
    [METRIC.lateAcks, tally.lateAcks],
    [METRIC.lostClaims, tally.lostClaims],
    [METRIC.recordFailures, tally.recordFailures],
    [METRIC.ledgerFailures, outcome('ledger-failed')],
    [METRIC.failedPulls, tally.failedPulls],
    [METRIC.failedPublishes, leftBy(tally, 'PUBLISH_')],
    [METRIC.failedAcks, leftBy(tally, 'ACK_')],
    [METRIC.crashedDeliveries, outcome('crashed')],
    [METRIC.channelsStopped, tally.stoppedChannels.length],
  ];
}

/** No alarm waits for their zeros, and each metric costs by the hour in which it is published. */
function seldomFiguresOf(tally: Tally): readonly (readonly [string, number])[] {
  return [
    [METRIC.resentByPolicy, tally.resentByPolicy],
    [METRIC.duplicatesByPolicy, tally.duplicatesByPolicy],
    [METRIC.closeOccurrences, tally.closeOccurrences],
  ];
}

function leftBy(tally: Tally, prefix: string): number {
  const found = Object.entries(tally.leftByReason).filter(([reason]) => reason.startsWith(prefix));
  return sum(Object.fromEntries(found));
}

/** `REASON=2 OTHER=1`, the commonest first: a log line is cut at 200 characters. */
function byReason(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason}=${count}`)
    .join(' ');
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
