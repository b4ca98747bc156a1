import { FRESH_BREAKER } from '#core/breaker.ts';
import { type ConsumerMarker, withRun } from '#core/consumer-marker.ts';
import type { Finding } from '#core/finding.ts';
import { freshHistory, type StatsHistory, withOpen, withReading } from '#core/stats-history.ts';
import type { QueueFigures } from '#core/stats-reading.ts';
import { judge, type StatsThresholds } from '#core/stats-rules.ts';
import type { Signals } from '#core/stats-signals.ts';

export const STARTED_AT = Date.UTC(2026, 6, 26, 9);
export const MINUTE_MS = 60_000;

export const THRESHOLDS: StatsThresholds = {
  staleSeconds: 900,
  deadLetterQuietSeconds: 3600,
  unresolvedRows: 1,
  balanceUsd: 5,
  consumerSilentSeconds: 900,
};

const CALM_QUEUE: QueueFigures = {
  available: 0,
  inFlight: 0,
  delayed: 0,
  deadLetters: 0,
  oldestAgeSeconds: 0,
};

/** A marker whose run has just ended with these totals. */
export function aMarker(
  at: number,
  totals: Partial<ConsumerMarker['totals']> = {},
): ConsumerMarker {
  const none = {
    deliveries: 0,
    receiptsAhead: 0,
    terminalAhead: 0,
    contentConflicts: 0,
    invalidMessages: 0,
    ledgerFailures: 0,
    crashed: 0,
    budgetStops: 0,
  };
  const marker = withRun(undefined, { end: 'queue-empty', totals: none, copies: [] }, at);
  return { ...marker, totals: { ...marker.totals, ...(totals as ConsumerMarker['totals']) } };
}

/** What a check reads on a calm minute. */
export function calmSignals(at: number, change: Partial<Signals> = {}): Signals {
  return {
    at,
    queue: { kind: 'figures', ...CALM_QUEUE },
    deadLetters: 0,
    balanceUsd: 100,
    invalid: [],
    failed: [],
    unresolved: { rows: 0, parked: 0, oldestAt: null, oldestParkedAt: null, complete: true },
    breaker: FRESH_BREAKER,
    marker: aMarker(at),
    ledgerFailure: null,
    ...change,
  };
}

export function queueSignal(figures: Partial<QueueFigures>): Signals['queue'] {
  return { kind: 'figures', ...CALM_QUEUE, ...figures };
}

/** The stats function without its surroundings: readings in, findings out. */
export class Judge {
  history: StatsHistory = freshHistory(STARTED_AT);
  readonly #thresholds: StatsThresholds;

  constructor(thresholds: StatsThresholds = THRESHOLDS) {
    this.#thresholds = thresholds;
  }

  read(signals: Signals): readonly Finding[] {
    const seen = withReading(this.history, signals);
    const findings = judge(seen, signals, this.#thresholds);
    // As it comes back from its document.
    this.history = JSON.parse(JSON.stringify(withOpen(seen, findings))) as StatsHistory;
    return findings;
  }

  /** One reading a minute, from minute `from` to minute `to`; the last one's findings. */
  minutes(from: number, to: number, signalsAt: (at: number, minute: number) => Signals) {
    let findings: readonly Finding[] = [];
    for (let minute = from; minute <= to; minute += 1) {
      const at = STARTED_AT + minute * MINUTE_MS;
      findings = this.read(signalsAt(at, minute));
    }
    return findings;
  }
}

export function codesOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ code, reason }) => `${code}:${reason}`);
}
