import type { RedriveReport } from '#app/redrive/redrive-report.ts';
import { type ConsumerConfig, loadConsumerConfig } from '#config/consumer-config.ts';
import type { Environment } from '#config/environment.ts';
import { loadRedriveConfig, type RedriveConfig } from '#config/redrive-config.ts';
import { loadStatsConfig, type StatsFunctionConfig } from '#config/stats-config.ts';
import type { CostUsage } from '#functions/ops/cost/cost-usage.ts';
import type { Check } from '#functions/ops/doctor/check.ts';
import type { Clock, Random, Secrets, Telemetry } from '#ports';

export type FunctionRole = 'consumer' | 'redrive' | 'stats';

/** One installation as the command line works on it: the very settings that its functions use. */
export type Target = {
  readonly kind: 'aws' | 'local';
  readonly stage: string;
  /** Tells installations apart where something is remembered about one: letters, digits, `-`. */
  readonly id: string;
  readonly environments: Readonly<Record<FunctionRole, Environment>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly secrets: Secrets;
  /** The operator's own calls leave no lines and no metrics in the pipeline's. */
  readonly telemetry: Telemetry;
  /** Runs the redrive function where it lives. Throws OpsError when it fails. */
  invokeRedrive(event: object): Promise<RedriveReport>;
  /** What only the platform can say: table settings, schedules, alarms, function time-outs. */
  platformChecks(): Promise<readonly Check[]>;
  /** What the last day cost in calls and time; a local stage: since it started. */
  usage(): Promise<CostUsage>;
};

export const SILENT: Telemetry = { log() {}, count() {}, gauge() {}, sample() {} };

export function consumerConfig({ environments }: Target): ConsumerConfig {
  return loadConsumerConfig(environments.consumer);
}

export function redriveConfig({ environments }: Target): RedriveConfig {
  return loadRedriveConfig(environments.redrive);
}

export function statsConfig({ environments }: Target): StatsFunctionConfig {
  return loadStatsConfig(environments.stats);
}
