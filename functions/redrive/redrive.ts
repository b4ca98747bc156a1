import { PowertoolsTelemetry } from '#adapters/aws/telemetry.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import type { RedriveReport } from '#app/redrive/redrive-report.ts';
import { runRedrive } from '#app/redrive/run-redrive.ts';
import { deliverySettings } from '#config/delivery-config.ts';
import type { Environment } from '#config/environment.ts';
import {
  loadRedriveConfig,
  REDRIVE_END_MARGIN_MS,
  type RedriveConfig,
  worstDeadLetterMs,
} from '#config/redrive-config.ts';
import { RemindOnceError } from '#core/errors.ts';
import { readRedriveEvent } from '#core/redrive-request.ts';
import { runBudget } from '#core/run-budget.ts';
import { logDeadLetter, reportRedrive } from '#functions/redrive/report-redrive.ts';
import type { Clock, Random } from '#ports';
import { openBackends } from '#wiring/backends.ts';
import { type Invocation, type LambdaHandler, lambdaHandler } from '#wiring/lambda-stack.ts';
import { openOnce } from '#wiring/open-once.ts';
import { openSecrets } from '#wiring/open-secrets.ts';

/** A run works on one dead letter at a time. */
const CONCURRENCY = 4;

/**
 * The redrive function. Its event is nothing (a scheduled run) or a request, see
 * `redriveRequestSchema`; it answers the run's report. Configuration is checked here, at load, all
 * faults at once; secrets are read on the first invocation and again after a failure to read them.
 * Errors: REDRIVE_REQUEST_INVALID names every field that is wrong, and nothing was done.
 */
export function createRedrive(
  env: Environment,
  clock: Clock = systemClock,
  random: Random = systemRandom,
): LambdaHandler<RedriveReport> {
  const config = loadRedriveConfig(env);
  const telemetry = new PowertoolsTelemetry({ service: config.pipeline, stage: config.stage });
  const opened = openOnce(() =>
    openDeps(config, { clock, random, telemetry, secrets: openSecrets(env) }),
  );

  async function run(event: unknown, invocation: Invocation): Promise<RedriveReport> {
    const triggered = readRedriveEvent(event);
    if (triggered.kind === 'invalid') throw invalidRequest(triggered.problems);
    const deps = await opened();
    const budget = runBudget(
      clock.now(),
      config.redrive.runBudgetSeconds,
      invocation.getRemainingTimeInMillis(),
      REDRIVE_END_MARGIN_MS,
    );
    const report = await runRedrive(triggered, deps, budget, (message, sendKey, decision, acted) =>
      logDeadLetter(telemetry, message, sendKey, decision, acted),
    );
    reportRedrive(telemetry, report);
    return report;
  }

  return lambdaHandler(telemetry, run);
}

function invalidRequest(problems: readonly string[]): RemindOnceError {
  const lines = problems.map((problem) => `  ${problem}`).join('\n');
  return new RemindOnceError(
    'REDRIVE_REQUEST_INVALID',
    `the redrive request is not valid, and nothing was done:\n${lines}\nInvoke with no event for a scheduled run, or with {"mode":"plan"} for a dry run.`,
  );
}

async function openDeps(
  config: RedriveConfig,
  surroundings: Parameters<typeof openBackends>[2],
): Promise<RedriveDeps> {
  const { redrive } = config;
  const limits = { ...redrive, concurrency: CONCURRENCY };
  const { deadLetters, ledger, controls, senders, epochs } = await openBackends(
    config,
    limits,
    surroundings,
  );
  return {
    deadLetters,
    ledger,
    controls,
    senders,
    epochs,
    clock: surroundings.clock,
    random: surroundings.random,
    defaultChannel: config.defaultChannel,
    settings: deliverySettings(config.delivery),
    limits: { ...redrive, worstDeadLetterMs: worstDeadLetterMs(redrive) },
  };
}
