import { PowertoolsTelemetry } from '#adapters/aws/telemetry.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { type DrainResult, drainQueue } from '#app/drain-queue.ts';
import { type ConsumerConfig, loadConsumerConfig } from '#config/consumer-config.ts';
import { deliverySettings } from '#config/delivery-config.ts';
import type { Environment } from '#config/environment.ts';
import { finishMs, worstDeliveryMs } from '#config/nested-times.ts';
import { runBudget } from '#core/run-budget.ts';
import { logDelivery, reportRun } from '#functions/consumer/run-report.ts';
import type { Clock, Random } from '#ports';
import { openBackends } from '#wiring/backends.ts';
import { type Invocation, type LambdaHandler, lambdaHandler } from '#wiring/lambda-stack.ts';
import { openSecrets } from '#wiring/open-secrets.ts';

/** Kept back for flushing metrics and answering, so that the platform never cuts a run off. */
const END_MARGIN_MS = 5000;

/**
 * The consumer function. Configuration is checked here, at load, all faults at once; secrets are
 * read on the first invocation and again after a failure to read them.
 * Returns the run's end and tally, the source of its metrics.
 */
export function createConsumer(
  env: Environment,
  clock: Clock = systemClock,
  random: Random = systemRandom,
): LambdaHandler<DrainResult> {
  const config = loadConsumerConfig(env);
  const telemetry = new PowertoolsTelemetry({ service: config.pipeline, stage: config.stage });
  let opening: Promise<DeliveryDeps> | undefined;

  async function run(_event: unknown, invocation: Invocation): Promise<DrainResult> {
    opening ??= openDeps(config, { clock, random, telemetry, secrets: openSecrets(env) });
    const deps = await opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    const budget = runBudget(
      clock.now(),
      config.drain.runBudgetSeconds,
      invocation.getRemainingTimeInMillis(),
      END_MARGIN_MS,
    );
    const result = await drainQueue(deps, config.drain, budget, (report) => {
      logDelivery(telemetry, report);
      return 'go-on';
    });
    reportRun(telemetry, result);
    return result;
  }

  return lambdaHandler(telemetry, run);
}

async function openDeps(
  config: ConsumerConfig,
  surroundings: Parameters<typeof openBackends>[2],
): Promise<DeliveryDeps> {
  const { drain } = config;
  const channels = Object.keys(config.channels).length;
  const limits = { ...drain, concurrency: drain.concurrency * channels * 2 };
  const { queue, ledger, senders, epochs } = await openBackends(config, limits, surroundings);
  return {
    queue,
    ledger,
    senders,
    epochs,
    clock: surroundings.clock,
    random: surroundings.random,
    defaultChannel: config.defaultChannel,
    settings: deliverySettings(config.delivery),
    limits: {
      recordBudgetMs: drain.recordBudgetMs,
      finishMs: finishMs(drain),
      worstDeliveryMs: worstDeliveryMs(config.channels, drain),
    },
  };
}
