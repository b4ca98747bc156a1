import { PowertoolsTelemetry } from '#adapters/aws/telemetry.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import { BreakerGuard } from '#app/breaker-guard.ts';
import type { BreakerWatch } from '#app/breaker-watch.ts';
import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { type AfterDelivery, type DrainResult, drainQueue } from '#app/drain-queue.ts';
import { markRun } from '#app/mark-run.ts';
import { RecentOccurrences } from '#app/recent-occurrences.ts';
import { openTally } from '#app/tally.ts';
import { type ConsumerConfig, loadConsumerConfig } from '#config/consumer-config.ts';
import { deliverySettings } from '#config/delivery-config.ts';
import type { Environment } from '#config/environment.ts';
import { CONSUMER_METRICS } from '#config/metrics.ts';
import { finishMs, worstDeliveryMs } from '#config/nested-times.ts';
import { type RunBudget, runBudget } from '#core/run-budget.ts';
import { logDelivery, reportRun } from '#functions/consumer/run-report.ts';
import type { Clock, ControlStore, Random, Telemetry } from '#ports';
import { openBackends } from '#wiring/backends.ts';
import { type Invocation, type LambdaHandler, lambdaHandler } from '#wiring/lambda-stack.ts';
import { openOnce } from '#wiring/open-once.ts';
import { openSecrets } from '#wiring/open-secrets.ts';

/**
 * Kept back for the breaker, the run's mark and the metrics, so that the platform never cuts a run
 * off: with an unwell table, two calls to the control documents of at most 1.5 s in a row.
 */
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
  const opened = openOnce(() =>
    open(config, { clock, random, telemetry, secrets: openSecrets(env) }),
  );

  async function run(_event: unknown, invocation: Invocation): Promise<DrainResult> {
    const parts = await opened();
    const budget = runBudget(
      clock.now(),
      config.drain.runBudgetSeconds,
      invocation.getRemainingTimeInMillis(),
      END_MARGIN_MS,
    );
    const { result, watch } = await guardedDrain(parts, config, budget, telemetry);
    const [marked] = await Promise.all([
      markRun(parts.controls, clock, result),
      watch?.end(result),
    ]);
    if (marked.kind === 'failed') telemetry.log('warn', 'run_not_marked', { code: marked.code });
    reportRun(telemetry, result);
    return result;
  }

  return lambdaHandler(telemetry, run);
}

/** Drains what the breaker allows; without its word, nothing. */
async function guardedDrain(
  { deps, guard }: Opened,
  config: ConsumerConfig,
  budget: RunBudget,
  telemetry: Telemetry,
): Promise<{ readonly result: DrainResult; readonly watch: BreakerWatch | null }> {
  const start = await guard.start();
  if (start.kind === 'unreadable') {
    telemetry.log('error', 'breaker_unreadable', { code: start.code });
    return { result: { end: 'breaker-unreadable', tally: openTally() }, watch: null };
  }
  if (start.kind === 'paused') {
    const { reason, since, by } = start.breaker;
    const pausedSince = new Date(since).toISOString();
    telemetry.log('warn', 'consumption_paused', { reason, since: pausedSince, by });
    return { result: { end: 'paused', tally: openTally() }, watch: null };
  }
  const { watch, plan } = start;
  const afterDelivery: AfterDelivery = (report) => {
    logDelivery(telemetry, report);
    return watch.observe(report);
  };
  const drained = drainQueue(deps, config.drain, budget, afterDelivery, plan);
  const result = await drained.finally(() => watch.settled());
  result.tally.duplicatesByPolicy += watch.duplicatesByPolicy;
  return { result, watch };
}

type Opened = {
  readonly deps: DeliveryDeps;
  readonly controls: ControlStore;
  readonly guard: BreakerGuard;
};

async function open(
  config: ConsumerConfig,
  surroundings: Parameters<typeof openBackends>[2],
): Promise<Opened> {
  const { drain } = config;
  const channels = Object.keys(config.channels).length;
  const limits = { ...drain, concurrency: drain.concurrency * channels * 2 };
  const { queue, ledger, controls, senders, epochs } = await openBackends(
    config,
    limits,
    surroundings,
  );
  const { clock, telemetry } = surroundings;
  const guard = new BreakerGuard({
    controls,
    ledger,
    clock,
    telemetry,
    concurrency: drain.concurrency,
    tripsMetric: CONSUMER_METRICS.breakerTrips,
  });
  const deps: DeliveryDeps = {
    queue,
    ledger,
    senders,
    epochs,
    clock,
    random: surroundings.random,
    defaultChannel: config.defaultChannel,
    occurrences: new RecentOccurrences(),
    settings: deliverySettings(config.delivery),
    limits: {
      recordBudgetMs: drain.recordBudgetMs,
      finishMs: finishMs(drain),
      worstDeliveryMs: worstDeliveryMs(config.channels, drain),
    },
  };
  return { deps, controls, guard };
}
