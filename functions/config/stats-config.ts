import * as z from 'zod/mini';
import type { Environment } from '#config/environment.ts';
import { count, FaultCollector, figure } from '#config/faults.ts';
import { readSharedConfig, type SharedConfig } from '#config/shared-config.ts';

const DAY = 86_400;

/**
 * What the stats function judges by; every figure has a default. The CloudWatch alarms take their
 * thresholds from the same figures, so that an alarm and a finding never disagree.
 */
export const statsSchema = z.strictObject({
  /** Age of the oldest message from which a queue that nobody reads is stale. */
  staleSeconds: z._default(figure('seconds', 60, DAY), 900),
  /** How long dead letters may be there before somebody is called: two redrive ticks and more. */
  deadLetterQuietSeconds: z._default(figure('seconds', 60, DAY), 3600),
  /** Parked outcomes from which somebody is called. */
  unresolvedRows: z._default(count('rows', 1, 10_000), 1),
  /** Below this balance somebody is called: a publish without credit leaves its reminder. */
  balanceUsd: z._default(figure('US dollars', 0, 1_000_000), 5),
  /** How long no consumer run may end: above the run budget and a tick. */
  consumerSilentSeconds: z._default(figure('seconds', 60, DAY), 900),
  /** Bound on one queue or account call, the transport's own retries included. */
  queueCallMs: z._default(figure('milliseconds', 100, 20_000), 8000),
  /** Bound on one ledger call. */
  ledgerCallMs: z._default(figure('milliseconds', 100, 10_000), 3000),
});
export type StatsConfig = z.output<typeof statsSchema>;

export type StatsFunctionConfig = SharedConfig & { readonly stats: StatsConfig };

/** Reads and checks the stats function's environment. Throws ConfigError naming every fault. */
export function loadStatsConfig(env: Environment): StatsFunctionConfig {
  const faults = new FaultCollector();
  const shared = readSharedConfig(env, faults);
  const stats = faults.checkJson('STATS', statsSchema, env['STATS']);
  faults.throwIfAny();
  return { ...(shared as SharedConfig), stats: stats as StatsConfig };
}
