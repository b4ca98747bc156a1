import { type DrainConfig, drainSchema } from '#config/drain-config.ts';
import type { Environment } from '#config/environment.ts';
import { FaultCollector } from '#config/faults.ts';
import { nestedTimeFaults, runBudgetFaults } from '#config/nested-times.ts';
import { readSharedConfig, type SharedConfig } from '#config/shared-config.ts';

export type ConsumerConfig = SharedConfig & { readonly drain: DrainConfig };

/** Reads and checks the consumer's environment. Throws ConfigError naming every fault at once. */
export function loadConsumerConfig(env: Environment): ConsumerConfig {
  const faults = new FaultCollector();
  const shared = readSharedConfig(env, faults);
  const drain = faults.checkJson('DRAIN', drainSchema, env['DRAIN']);
  if (shared !== undefined && drain !== undefined) {
    const { channels, delivery } = shared;
    for (const fault of [
      ...nestedTimeFaults(channels, delivery, drain.visibilityTimeoutSeconds),
      ...runBudgetFaults(channels, drain),
    ]) {
      faults.add(fault.setting, fault.problem);
    }
  }
  faults.throwIfAny();
  return { ...(shared as SharedConfig), drain: drain as DrainConfig };
}
