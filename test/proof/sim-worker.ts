import { BreakerGuard } from '#app/breaker-guard.ts';
import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { drainQueue } from '#app/drain-queue.ts';
import { runRedrive } from '#app/redrive/run-redrive.ts';
import type { ControlStore, DeadLetters, Ledger, Telemetry } from '#ports';
import type { Mix } from '#test/proof/sim-mix.ts';
import { DRAIN } from '#test/support/world.ts';

/** The ports of a worker, whichever function it is. */
export type SimPorts = DeliveryDeps & {
  readonly ledger: Ledger;
  readonly controls: ControlStore;
  readonly deadLetters: DeadLetters;
};

const RUN_BUDGET_MS = 240_000;
const REDRIVE_BUDGET_MS = 440_000;
const REDRIVE_LIMITS = {
  maxPerRun: 1000,
  ratePerSecond: 20,
  canarySize: 2,
  cap: 3,
  canaryWaitSeconds: 180,
  runLeaseSeconds: 480,
  deadLetterLeaseSeconds: 120,
  worstDeadLetterMs: 20_000,
  queueCallMs: 10_000,
};

const SILENT: Telemetry = { log() {}, count() {}, gauge() {}, sample() {} };

/** One tick of the consumer, as the function runs it: what the breaker allows, watched. */
export async function consumeOnce(ports: SimPorts, mix: Mix): Promise<number> {
  const guard = new BreakerGuard({
    controls: ports.controls,
    ledger: ports.ledger,
    clock: ports.clock,
    telemetry: SILENT,
    concurrency: DRAIN.concurrency,
    tripsMetric: 'trips',
  });
  const start = await guard.start();
  if (start.kind !== 'go') return 0;
  const { watch, plan } = start;
  const { visibilityTimeoutSeconds } = mix;
  const budget = { endsAt: ports.clock.now() + RUN_BUDGET_MS };
  const settings = { ...DRAIN, visibilityTimeoutSeconds };
  try {
    const observe = watch.observe.bind(watch);
    const result = await drainQueue(ports, settings, budget, observe, plan);
    await watch.end(result);
    return result.tally.deliveries;
  } finally {
    await watch.settled();
  }
}

/** One scheduled run of the redrive function. */
export async function redriveOnce(ports: SimPorts): Promise<void> {
  const budget = { endsAt: ports.clock.now() + REDRIVE_BUDGET_MS };
  const deps = { ...ports, limits: REDRIVE_LIMITS };
  await runRedrive({ kind: 'scheduled' }, deps, budget, () => {});
}
