import type { StatsCheck } from '#app/check-stats.ts';
import { BREAKER_LEVEL, STATS_METRICS as METRIC } from '#config/metrics.ts';
import type { Finding } from '#core/finding.ts';
import type { Telemetry } from '#ports';

const LOG_LEVEL = { page: 'error', warn: 'warn', info: 'info' } as const;

/**
 * One line for each finding, one line for the reading, every gauge that has a valid figure, and
 * the heartbeat last. A gauge without a figure is not published: the alarm keeps its state by its
 * missing-data policy, and `InvalidStats` says why.
 */
export function publishCheck(telemetry: Telemetry, check: StatsCheck): void {
  for (const finding of check.findings) {
    const since = timeOf(finding.since);
    telemetry.log(LOG_LEVEL[finding.severity], 'finding', { ...finding, since });
  }
  const gauges = gaugesOf(check);
  for (const [metric, value] of gauges) if (value !== null) telemetry.gauge(metric, value);
  telemetry.log('info', 'reading', readingLine(check));
  telemetry.gauge(METRIC.heartbeat, 1);
}

function gaugesOf({
  signals,
  history,
  findings,
}: StatsCheck): readonly (readonly [string, number | null])[] {
  const { at, queue, unresolved, breaker, marker, invalid, failed } = signals;
  const figures = queue.kind === 'figures' ? queue : null;
  const latest = history.readings.at(-1);
  const silentSince = marker?.lastRunAt ?? history.watchedSince;
  const markerKnown = marker !== null || signals.ledgerFailure === null;
  return [
    [METRIC.available, figures?.available ?? null],
    [METRIC.inFlight, figures?.inFlight ?? null],
    [METRIC.delayed, figures?.delayed ?? null],
    [METRIC.deadLetters, signals.deadLetters],
    [METRIC.oldestMessageAgeSeconds, figures?.oldestAgeSeconds ?? null],
    [METRIC.staleSeconds, latest?.staleSeconds ?? null],
    [METRIC.unconfirmedPublishes, latest?.unconfirmed ?? null],
    [METRIC.unresolvedRows, unresolved?.rows ?? null],
    [METRIC.parkedRows, unresolved?.parked ?? null],
    [METRIC.oldestUnresolvedSeconds, unresolved && secondsSince(unresolved.oldestAt, at)],
    [METRIC.breaker, breaker && BREAKER_LEVEL[breaker.mode.kind]],
    [
      METRIC.breakerOpenSeconds,
      breaker && (breaker.mode.kind === 'running' ? 0 : secondsSince(breaker.since, at)),
    ],
    [METRIC.stoppedChannels, breaker && Object.keys(breaker.channels).length],
    [METRIC.unrecordedReceipts, breaker?.unrecorded.length ?? null],
    [METRIC.consumerSilentSeconds, markerKnown ? secondsSince(silentSince, at) : null],
    [METRIC.balanceUsd, signals.balanceUsd],
    [METRIC.invalidStats, invalid.length + failed.length],
    [METRIC.queueMissing, queue.kind === 'missing' ? 1 : 0],
    [METRIC.ledgerUnreadable, signals.ledgerFailure === null ? 0 : 1],
    [METRIC.findings, findings.filter(isPage).length],
  ];
}

/** For whoever reads the line at night. */
function timeOf(at: number): string {
  return new Date(at).toISOString();
}

function isPage(finding: Finding): boolean {
  return finding.severity === 'page';
}

function secondsSince(since: number | null, now: number): number {
  return since === null ? 0 : Math.max(0, Math.floor((now - since) / 1000));
}

function readingLine({ signals, findings }: StatsCheck): Parameters<Telemetry['log']>[2] {
  const { queue, deadLetters, balanceUsd, unresolved, breaker, marker } = signals;
  const figures = queue.kind === 'figures' ? queue : null;
  return {
    queue: queue.kind,
    available: figures?.available,
    inFlight: figures?.inFlight,
    delayed: figures?.delayed,
    deadLetters,
    oldestAgeSeconds: figures?.oldestAgeSeconds,
    balanceUsd,
    unresolved: unresolved?.rows,
    parked: unresolved?.parked,
    breaker: breaker?.mode.kind,
    breakerReason: breaker?.reason,
    breakerSince: breaker === null ? undefined : timeOf(breaker.since),
    breakerBy: breaker?.by,
    stoppedChannels: breaker === null ? undefined : Object.keys(breaker.channels).join(','),
    lastRunAt: marker === null ? undefined : timeOf(marker.lastRunAt),
    lastRunEnd: marker?.lastEnd,
    findings: findings.map(({ code }) => code).join(','),
  };
}
