import { PowertoolsTelemetry } from '#adapters/aws/telemetry.ts';
import { createInfraiAccount } from '#adapters/infrai/infrai-account.ts';
import { createInfraiDeadLetters } from '#adapters/infrai/infrai-queue.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import { type CheckDeps, checkStats, type StatsCheck } from '#app/check-stats.ts';
import type { Environment } from '#config/environment.ts';
import { loadStatsConfig, type StatsFunctionConfig } from '#config/stats-config.ts';
import { publishCheck } from '#functions/stats-alarm/publish-check.ts';
import type { Clock, Random } from '#ports';
import { openLedgerSide, openQueueSide, type Surroundings } from '#wiring/backends.ts';
import { type LambdaHandler, lambdaHandler } from '#wiring/lambda-stack.ts';
import { openOnce } from '#wiring/open-once.ts';
import { openSecrets } from '#wiring/open-secrets.ts';

/** Six reads at once: queue, dead letters, balance, rows, breaker, marker. */
const CALLS_AT_ONCE = 8;

/**
 * The stats function. Configuration is checked here, at load, all faults at once. It reads, judges
 * and publishes, and changes nothing but its own memory of the last readings.
 * Returns the check, the source of its metrics and lines.
 */
export function createStatsAlarm(
  env: Environment,
  clock: Clock = systemClock,
  random: Random = systemRandom,
): LambdaHandler<StatsCheck> {
  const config = loadStatsConfig(env);
  const telemetry = new PowertoolsTelemetry({ service: config.pipeline, stage: config.stage });
  const opened = openOnce(() =>
    openCheck(config, { clock, random, telemetry, secrets: openSecrets(env) }),
  );

  async function run(): Promise<StatsCheck> {
    const deps = await opened();
    const check = await checkStats(deps, config.stats, { remember: true });
    publishCheck(telemetry, check);
    return check;
  }

  return lambdaHandler(telemetry, run);
}

/** What a check reads, for the function and for the command line's `status`. */
export async function openCheck(
  config: StatsFunctionConfig,
  surroundings: Surroundings,
): Promise<CheckDeps> {
  const { queueCallMs, ledgerCallMs } = config.stats;
  const limits = { concurrency: CALLS_AT_ONCE, queueCallMs, ledgerCallMs };
  const { queue, transport } = await openQueueSide(config, limits, surroundings);
  const { ledger, controls } = openLedgerSide(config, limits, surroundings);
  return {
    queue,
    deadLetters: createInfraiDeadLetters({
      transport,
      name: config.queueName,
      telemetry: surroundings.telemetry,
      random: surroundings.random,
      ...config.dialect,
    }),
    account: createInfraiAccount(transport),
    ledger,
    controls,
    clock: surroundings.clock,
  };
}
