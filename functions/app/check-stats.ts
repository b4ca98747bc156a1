import { readSignals, type SignalSources } from '#app/read-signals.ts';
import type { EpochMs } from '#core/brand.ts';
import type { Finding } from '#core/finding.ts';
import {
  freshHistory,
  readHistoryDocument,
  STATS_DOCUMENT,
  type StatsHistory,
  withOpen,
  withReading,
} from '#core/stats-history.ts';
import { judge, type StatsThresholds } from '#core/stats-rules.ts';
import type { Signals } from '#core/stats-signals.ts';
import type { Clock, ControlStore } from '#ports';

export type CheckDeps = SignalSources & { readonly clock: Pick<Clock, 'now'> };

/** One check: what was read, what is remembered, and what is wrong. */
export type StatsCheck = {
  readonly signals: Signals;
  readonly history: StatsHistory;
  readonly findings: readonly Finding[];
};

/**
 * Reads the queue, the account and the ledger once and judges them together with the last readings.
 * Never throws for what is wrong outside: that is what the findings are for.
 *
 * @param options.remember true for the scheduled function, which keeps the reading for the next
 *   check; false for a person who only looks (`status`)
 */
export async function checkStats(
  deps: CheckDeps,
  thresholds: StatsThresholds,
  options: { readonly remember: boolean },
): Promise<StatsCheck> {
  const at = deps.clock.now();
  const [past, signals] = await Promise.all([
    readHistory(deps.controls, at),
    readSignals(deps, at),
  ]);
  const seen = { ...signals, ledgerFailure: signals.ledgerFailure ?? past.failure };
  const history = withReading(past.history, seen);
  const findings = judge(history, seen, thresholds);
  if (options.remember && past.failure === null) {
    // A lost race is a doubled invocation: the other one has kept the same reading.
    await deps.controls.write(STATS_DOCUMENT, withOpen(history, findings), past.version);
  }
  return { signals: seen, history, findings };
}

async function readHistory(
  controls: Pick<ControlStore, 'read'>,
  now: EpochMs,
): Promise<{ history: StatsHistory; version: number; failure: string | null }> {
  const answer = await controls.read(STATS_DOCUMENT);
  if (answer.kind === 'failed') {
    return { history: freshHistory(now), version: 0, failure: answer.code };
  }
  if (answer.kind === 'absent') return { history: freshHistory(now), version: 0, failure: null };
  // What an other release has remembered is worth less than a check that works.
  const history = readHistoryDocument(answer.value) ?? freshHistory(now);
  return { history, version: answer.version, failure: null };
}
