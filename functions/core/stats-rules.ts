import type { EpochMs } from '#core/brand.ts';
import { type MarkerTotal, totalOf } from '#core/consumer-marker.ts';
import {
  FINDINGS,
  type Finding,
  type FindingCode,
  type FindingKind,
  finding,
} from '#core/finding.ts';
import { grewLately, openSince, type PastReading, type StatsHistory } from '#core/stats-history.ts';
import type { QueueFigures } from '#core/stats-reading.ts';
import type { Signals } from '#core/stats-signals.ts';

/** What the rules and the CloudWatch alarms compare with. */
export type StatsThresholds = {
  readonly staleSeconds: number;
  readonly deadLetterQuietSeconds: number;
  readonly unresolvedRows: number;
  readonly balanceUsd: number;
  readonly consumerSilentSeconds: number;
};

/**
 * How long the figures must agree before the queue is said to be stale or its consumer slow: five
 * readings, one a minute. Fewer would page for one long garbage collection of somebody else's.
 */
const AGREEMENT_MS = 240_000;
/** Three readings: the service's stats may trail a publish by a moment. */
const DENIAL_MS = 110_000;
/** How long a count that grew stays a finding: as long as the alarms sum it up. */
const GREW_WITHIN_MS = 900_000;

/**
 * Everything that is wrong, by all the rules: pure, over this reading and what is remembered of
 * earlier ones.
 * @param history with this reading in it (`withReading`)
 */
export function judge(
  history: StatsHistory,
  signals: Signals,
  thresholds: StatsThresholds,
): readonly Finding[] {
  const found = [
    ...queueFindings(history, signals, thresholds),
    ...sourceFindings(signals),
    ...ledgerFindings(signals, thresholds),
    ...breakerFindings(signals),
    ...consumerFindings(history, signals, thresholds),
  ];
  return found.map((one) => settled(one, history, signals.at));
}

/** A finding that was open before keeps its beginning; a hasty one only warns at first. */
function settled(found: Finding, history: StatsHistory, now: EpochMs): Finding {
  const since = Math.min(openSince(history, found) ?? found.since, found.since);
  const kind: FindingKind = FINDINGS[found.code];
  const hasty = now - since < (kind.pagesAfterSeconds ?? 0) * 1000;
  return { ...found, since, severity: hasty ? 'warn' : found.severity };
}

function queueFindings(
  history: StatsHistory,
  signals: Signals,
  thresholds: StatsThresholds,
): readonly Finding[] {
  const { at, queue } = signals;
  const found: Finding[] = [...deadLetterFindings(history, signals, thresholds)];
  if (queue.kind === 'missing') {
    const reason = history.queueSeenAt === null ? 'NEVER_SEEN' : 'VANISHED';
    found.push(finding('QUEUE_MISSING', { reason, since: at }));
  }
  if (queue.kind !== 'figures') return found;
  const { staleSeconds } = thresholds;
  const lately = agreeing(history, AGREEMENT_MS);
  const latest = history.readings.at(-1);
  const age = { seen: latest?.oldestAgeSeconds ?? null, allowed: staleSeconds, since: at };
  if (lately?.every((reading) => (reading.staleSeconds ?? 0) >= staleSeconds)) {
    found.push(finding('NOBODY_CONSUMING', { ...age, reason: whyNobody(signals, thresholds) }));
  } else if (
    lately !== undefined &&
    climbsWithWork(lately, staleSeconds) &&
    ageIsOurs(history, queue)
  ) {
    found.push(finding('SLOW_PROVIDER', { ...age, reason: 'IN_FLIGHT_AND_AGEING' }));
  } else if (onlyDelayed(queue, staleSeconds)) {
    found.push(finding('DELAYED_BACKLOG', { ...age, reason: 'ALL_DELAYED' }));
  }
  const denials = agreeing(history, DENIAL_MS);
  if (denials?.every((reading) => (reading.unconfirmed ?? 0) > 0)) {
    const seen = latest?.unconfirmed ?? null;
    const reason = 'NONE_DELAYED';
    found.push(finding('PUBLISHES_UNCONFIRMED', { reason, since: at, seen, allowed: 0 }));
  }
  return found;
}

/** Dead letters may come and be redriven; what stays for a quiet hour waits for a person. */
function deadLetterFindings(
  history: StatsHistory,
  { at, deadLetters }: Signals,
  { deadLetterQuietSeconds }: StatsThresholds,
): readonly Finding[] {
  const since = history.deadLettersSince;
  if (since === null || at - since < deadLetterQuietSeconds * 1000) return [];
  const reason = deadLetters === null ? 'LAST_KNOWN_ABOVE_ZERO' : 'ABOVE_ZERO';
  return [finding('DEAD_LETTERS_WAITING', { reason, since, seen: deadLetters, allowed: 0 })];
}

/** The newest readings that span `spanMs` together; undefined while there are too few. */
function agreeing(history: StatsHistory, spanMs: number): readonly PastReading[] | undefined {
  const { readings } = history;
  const latest = readings.at(-1);
  if (latest === undefined) return undefined;
  const from = readings.findLastIndex((reading) => reading.at <= latest.at - spanMs);
  return from === -1 ? undefined : readings.slice(from);
}

function whyNobody(signals: Signals, thresholds: StatsThresholds): string {
  if (signals.breaker?.mode.kind === 'paused') return 'BREAKER_PAUSED';
  const { marker, at } = signals;
  const silent = at - (marker?.lastRunAt ?? 0) >= thresholds.consumerSilentSeconds * 1000;
  return silent ? 'CONSUMER_SILENT' : 'CONSUMER_TAKES_NOTHING';
}

/** The age climbs although messages are in flight all the time: worked on, but too slowly. */
function climbsWithWork(readings: readonly PastReading[], staleSeconds: number): boolean {
  const first = readings[0];
  const last = readings.at(-1);
  if (first === undefined || last === undefined) return false;
  const working = readings.every((reading) => (reading.inFlight ?? 0) > 0);
  const old = (last.oldestAgeSeconds ?? 0) >= staleSeconds;
  const climbs = (last.oldestAgeSeconds ?? 0) > (first.oldestAgeSeconds ?? 0);
  return working && old && climbs;
}

/** Fewer readings than this can rise one after another by chance. */
const RISING_READINGS = 8;

/**
 * Whether the oldest age is that of a message which waits to be taken. Where messages are delayed
 * as well it may be one of theirs; then only a backlog that rises from reading to reading tells.
 */
function ageIsOurs({ readings }: StatsHistory, { delayed }: QueueFigures): boolean {
  if (delayed === 0) return true;
  const waiting = readings.map(({ available }) => available ?? 0);
  const rises = waiting.every((count, n) => n === 0 || count > (waiting[n - 1] ?? 0));
  return waiting.length >= RISING_READINGS && rises;
}

function onlyDelayed(
  queue: Extract<Signals['queue'], { kind: 'figures' }>,
  staleSeconds: number,
): boolean {
  const { available, inFlight, delayed, oldestAgeSeconds } = queue;
  const waiting = available === 0 && inFlight === 0 && (delayed ?? 0) > 0;
  return waiting && (oldestAgeSeconds ?? 0) >= staleSeconds;
}

/** Figures that were refused, and sources that gave none. */
function sourceFindings({ at, invalid, failed }: Signals): readonly Finding[] {
  return [
    ...invalid.map(({ figure, fault }) =>
      finding('STATS_INVALID', { reason: fault, subject: figure, since: at }),
    ),
    ...failed.map(({ source, code }) =>
      finding('STATS_INVALID', { reason: code, subject: source, since: at }),
    ),
  ];
}

function ledgerFindings(
  { at, ledgerFailure, unresolved, balanceUsd }: Signals,
  thresholds: StatsThresholds,
): readonly Finding[] {
  const found: Finding[] = [];
  if (ledgerFailure !== null) {
    found.push(finding('LEDGER_UNREADABLE', { reason: ledgerFailure, since: at }));
  }
  if (unresolved !== null && unresolved.parked >= thresholds.unresolvedRows) {
    found.push(
      finding('OUTCOMES_PARKED', {
        reason: 'UNKNOWN_AND_RESTING',
        since: unresolved.oldestParkedAt ?? at,
        seen: unresolved.parked,
        allowed: thresholds.unresolvedRows - 1,
      }),
    );
  }
  if (balanceUsd !== null && balanceUsd < thresholds.balanceUsd) {
    const figures = { seen: balanceUsd, allowed: thresholds.balanceUsd };
    found.push(finding('BALANCE_LOW', { reason: 'BELOW_FLOOR', since: at, ...figures }));
  }
  return found;
}

function breakerFindings({ breaker }: Signals): readonly Finding[] {
  if (breaker === null) return [];
  const { mode, reason, since } = breaker;
  const found: Finding[] = Object.entries(breaker.channels).map(([channel, stop]) =>
    finding('CHANNEL_STOPPED', { reason: stop.reason, subject: channel, since: stop.since }),
  );
  if (mode.kind === 'paused') found.push(finding('BREAKER_PAUSED', { reason, since, seen: 0 }));
  if (mode.kind === 'limited') {
    found.push(finding('BREAKER_LIMITED', { reason, since, seen: mode.concurrency }));
  }
  return found;
}

/** Counts of the consumer that must not grow, with the reason that each stands for. */
const MUST_NOT_GROW: readonly (readonly [MarkerTotal, FindingCode, string])[] = [
  ['receiptsAhead', 'RECEIPTS_AHEAD', 'ACCEPTED_NOT_RECORDED'],
  ['terminalAhead', 'TERMINAL_AHEAD', 'SENT_WITHOUT_RECEIPT'],
  ['contentConflicts', 'CONTENT_CONFLICTS', 'SAME_KEY_OTHER_BODY'],
  ['invalidMessages', 'INVALID_MESSAGES', 'NO_KEY_CAN_BE_MADE'],
  ['ledgerFailures', 'LEDGER_FAILING', 'CALLS_FAIL'],
  ['crashed', 'DELIVERIES_CRASHED', 'A_BUG_OR_A_POISON'],
  ['budgetStops', 'RUNS_STOPPED_BY_BUDGET', 'BACKLOG_OUTLIVES_RUNS'],
];

function consumerFindings(
  history: StatsHistory,
  { at, marker, ledgerFailure }: Signals,
  { consumerSilentSeconds }: StatsThresholds,
): readonly Finding[] {
  const found: Finding[] = [];
  for (const [total, code, reason] of MUST_NOT_GROW) {
    if (!grewLately(history, total, at, GREW_WITHIN_MS)) continue;
    const since = history.growth[total]?.grownAt ?? at;
    found.push(finding(code, { reason, since, seen: totalOf(marker ?? undefined, total) }));
  }
  // An unreadable marker says nothing about the consumer; it is a finding of its own.
  if (marker === null && ledgerFailure !== null) return found;
  const since = marker?.lastRunAt ?? history.watchedSince;
  const silentSeconds = Math.floor((at - since) / 1000);
  if (silentSeconds >= consumerSilentSeconds) {
    const reason = marker === null ? 'NEVER_RAN' : 'NO_RUN_ENDED';
    const figures = { seen: silentSeconds, allowed: consumerSilentSeconds };
    found.push(finding('CONSUMER_SILENT', { reason, since, ...figures }));
  }
  return found;
}
