import type { RedriveReport } from '#app/redrive/redrive-report.ts';
import type { AfterDeadLetter } from '#app/redrive/run-redrive.ts';
import { CONSUMER_METRICS, REDRIVE_METRICS as METRIC } from '#config/metrics.ts';
import type { Telemetry } from '#ports';

/**
 * One line for each dead letter that was moved or meant to be. What is kept has no line of its own:
 * the same thousand would be written on every tick, and the run's line counts them.
 */
export function logDeadLetter(
  telemetry: Pick<Telemetry, 'log'>,
  ...[message, sendKey, decision, acted]: Parameters<AfterDeadLetter>
): void {
  if (acted === null || acted.kind === 'kept') return;
  telemetry.log(acted.kind === 'failed' ? 'warn' : 'info', 'dead_letter', {
    messageId: message.messageId,
    deliveryCount: message.deliveryCount,
    sendKey,
    action: decision.action,
    reason: decision.reason,
    detail: decision.detail,
    outcome: acted.kind,
    problem: acted.kind === 'failed' ? `${acted.by}:${acted.code}` : null,
  });
}

/** The run's lines and, for a redrive, its counts: figures and codes, no id of any kind. */
export function reportRedrive(
  telemetry: Pick<Telemetry, 'log' | 'count'>,
  report: RedriveReport,
): void {
  for (const { action, reason, count, details } of report.decisions) {
    const codes = Object.entries(details).map(([code, times]) => `${code}=${times}`);
    telemetry.log('info', 'redrive_decision', { action, reason, count, details: codes.join(' ') });
  }
  for (const canary of report.canaries) {
    telemetry.log(canary.verdict === 'passed' ? 'info' : 'warn', 'redrive_canary', canary);
  }
  const { mode, trigger, end, endCode, examined, filteredOut, totals, results, left } = report;
  telemetry.log(levelOf(report), 'redrive_run', {
    ...{ mode, trigger, end, endCode, examined, filteredOut, left },
    toRedrive: totals.redrive,
    toSettle: totals.settle,
    toKeep: totals.keep,
    redriven: results?.redriven,
    settled: results?.settled,
    failed: results?.failed,
    vanished: results?.vanished,
    highestDeliveryCount: report.highestDeliveryCount,
    pausedReason: report.pausedReason,
    tookOver: report.tookOver,
    leaseGivenBack: report.leaseGivenBack,
    durationMs: report.endedAt - report.startedAt,
    summary: report.summary,
  });
  countRun(telemetry, report);
}

function levelOf({ end, leaseGivenBack }: RedriveReport): 'info' | 'warn' {
  const ordinary = end === 'dead-letters-read' || end === 'max' || end === 'run-budget';
  return ordinary && leaseGivenBack ? 'info' : 'warn';
}

function countRun(telemetry: Pick<Telemetry, 'count'>, report: RedriveReport): void {
  const { results, decisions, canaries, examined } = report;
  // A dry run has done nothing that could be counted.
  if (results === null) return;
  const kept = (reason: string) =>
    decisions.find((group) => group.action === 'keep' && group.reason === reason)?.count ?? 0;
  const figures: readonly (readonly [string, number])[] = [
    [METRIC.runs, 1],
    [METRIC.runsNotStarted, notStarted(report) ? 1 : 0],
    [METRIC.examined, examined],
    [METRIC.redriven, results.redriven],
    [METRIC.settled, results.settled],
    [METRIC.kept, results.kept],
    [METRIC.keptAtCap, kept('AT_CAP')],
    [METRIC.keptForDecision, kept('DECISION_NEEDED') + kept('PROVIDER_WINDOW_OVER')],
    [METRIC.failed, results.failed],
    [METRIC.vanished, results.vanished],
    [METRIC.unconfirmed, results.unconfirmed],
    [METRIC.canariesFailed, canaries.filter(({ verdict }) => stopped(verdict)).length],
    [CONSUMER_METRICS.keysClaimed, results.rowsCreated],
    [CONSUMER_METRICS.terminalExpired, results.expired],
  ];
  for (const [metric, value] of figures) telemetry.count(metric, value);
}

function notStarted({ end, examined }: RedriveReport): boolean {
  const ends = ['another-run', 'consumer-paused', 'ledger-failed'];
  return examined === 0 && ends.includes(end);
}

function stopped(verdict: RedriveReport['canaries'][number]['verdict']): boolean {
  return verdict === 'failed' || verdict === 'undecided';
}
