import * as z from 'zod/mini';
import { callBounds } from '#config/call-bounds.ts';
import type { Environment } from '#config/environment.ts';
import { count, FaultCollector, figure } from '#config/faults.ts';
import { readSharedConfig, type SharedConfig } from '#config/shared-config.ts';

/** Kept back at the end of a run for its last report and for giving the lease back, milliseconds. */
export const REDRIVE_END_MARGIN_MS = 20_000;

/** How dead letters go back; every figure has a default. */
export const redriveSchema = z.strictObject({
  /** Lifetime redrives of one reminder without force. 0: nothing is redriven by itself. */
  cap: z._default(count('redrives', 0, 100), 3),
  /** Dead letters that one run sends back at most. */
  maxPerRun: z._default(count('dead letters', 1, 10_000), 500),
  /** A recovering provider is not met with the whole outage at once. */
  ratePerSecond: z._default(figure('dead letters a second', 0.1, 100), 10),
  /** Dead letters per channel whose outcome decides about the rest; 0: none. */
  canarySize: z._default(count('dead letters', 0, 100), 5),
  /** Above the consumer's period (a minute), or every canary ends undecided. */
  canaryWaitSeconds: z._default(figure('seconds', 1, 600), 120),
  /** The run starts nothing that cannot end before this. Below the function timeout (< 900 s). */
  runBudgetSeconds: z._default(figure('seconds', 20, 840), 420),
  /** How long a run keeps others out; a run that dies keeps them out until then. */
  runLeaseSeconds: z._default(figure('seconds', 30, 900), 480),
  /**
   * How long the dead-letter queue hides a message that was read. Reading is the only way to see
   * one, so what a run keeps is hidden for this long, from the next run too.
   */
  deadLetterLeaseSeconds: z._default(count('seconds', 5, 600), 30),
  ...callBounds,
});
export type RedriveSettings = z.output<typeof redriveSchema>;

export type RedriveConfig = SharedConfig & { readonly redrive: RedriveSettings };

/** Reads and checks the redrive's environment. Throws ConfigError naming every fault at once. */
export function loadRedriveConfig(env: Environment): RedriveConfig {
  const faults = new FaultCollector();
  const shared = readSharedConfig(env, faults);
  const redrive = faults.checkJson('REDRIVE', redriveSchema, env['REDRIVE']);
  if (redrive !== undefined) {
    for (const [setting, problem] of redriveFaults(redrive)) faults.add(setting, problem);
  }
  faults.throwIfAny();
  return { ...(shared as SharedConfig), redrive: redrive as RedriveSettings };
}

/** The longest that one dead letter can take: look, reopen (twice at most), redrive, confirm; ms. */
export function worstDeadLetterMs(
  settings: Pick<RedriveSettings, 'ledgerCallMs' | 'queueCallMs'>,
): number {
  return 4 * settings.ledgerCallMs + settings.queueCallMs;
}

function redriveFaults(redrive: RedriveSettings): readonly (readonly [string, string])[] {
  const { runBudgetSeconds, runLeaseSeconds, canaryWaitSeconds } = redrive;
  const faults: (readonly [string, string])[] = [];
  const neededLease = runBudgetSeconds + REDRIVE_END_MARGIN_MS / 1000;
  if (runLeaseSeconds < neededLease) {
    faults.push([
      'REDRIVE.runLeaseSeconds',
      `is ${runLeaseSeconds}; it must be at least runBudgetSeconds + ${REDRIVE_END_MARGIN_MS / 1000} (${neededLease} s), or a second run could start while the first still works`,
    ]);
  }
  const neededBudget =
    canaryWaitSeconds + (worstDeadLetterMs(redrive) + redrive.queueCallMs) / 1000;
  if (runBudgetSeconds <= neededBudget) {
    faults.push([
      'REDRIVE.runBudgetSeconds',
      `is ${runBudgetSeconds}; it must exceed the ${neededBudget} s that one dead letter and the wait for its canary can take, or no run gets beyond its canary`,
    ]);
  }
  return faults;
}
