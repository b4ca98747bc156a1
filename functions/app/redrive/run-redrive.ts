import type { Acted } from '#app/redrive/act-on-dead-letter.ts';
import { Canaries } from '#app/redrive/canaries.ts';
import { type Consumption, readConsumption } from '#app/redrive/consumption.ts';
import { DeadLetterRun } from '#app/redrive/dead-letter-run.ts';
import type { RedriveDeps, Triggered } from '#app/redrive/redrive-deps.ts';
import { giveLeaseBack, type HeldLease, takeLease } from '#app/redrive/redrive-lease.ts';
import {
  type RedriveEnd,
  type RedriveReport,
  RedriveTally,
  redriveReport,
} from '#app/redrive/redrive-report.ts';
import type { EpochMs, SendKey } from '#core/brand.ts';
import type { RedriveDecision } from '#core/plan-redrive.ts';
import { afterRun, type RedriveControl, type RunMemory } from '#core/redrive-control.ts';
import type { RedriveRequest } from '#core/redrive-request.ts';
import type { RunBudget } from '#core/run-budget.ts';
import type { QueueMessage } from '#ports';

/** What one run is to do: a request over the stage's figures. */
export type RedriveOrder = Required<RedriveRequest> & {
  readonly trigger: 'scheduled' | 'requested';
};

/** Called after each dead letter that was decided; `acted` is null in a dry run. */
export type AfterDeadLetter = (
  message: QueueMessage,
  sendKey: SendKey | null,
  decision: RedriveDecision,
  acted: Exclude<Acted, { kind: 'moved' }> | null,
) => void;

/**
 * Plans or performs one redrive (protocol section 6). Expected trouble is in the report; throws for
 * bugs only, with the lease given back.
 *
 * A dry run changes nothing that a consumer could notice: it takes the run lease and it leases the
 * dead letters that it reads, for `deadLetterLeaseSeconds`, since there is no other way to see them.
 */
export async function runRedrive(
  triggered: Triggered,
  deps: RedriveDeps,
  budget: RunBudget,
  afterDeadLetter: AfterDeadLetter,
): Promise<RedriveReport> {
  const order = orderOf(triggered, deps);
  const startedAt = deps.clock.now();
  const lease = await takeLease(deps);
  if (lease.kind === 'another-run') return notRun(order, deps, startedAt, 'another-run', null);
  if (lease.kind === 'failed') return notRun(order, deps, startedAt, 'ledger-failed', lease.code);
  const canaries = new Canaries(deps, order.mode === 'plan' ? 0 : order.canary);
  const early = new Map<SendKey, EpochMs>();
  try {
    const parts = { order, deps, budget, lease, canaries, early, afterDeadLetter };
    const consumption = await readConsumption(deps);
    const obstacle = obstacleTo(order, consumption);
    const report =
      consumption.kind === 'failed' || obstacle !== null
        ? notRun(order, deps, startedAt, obstacle ?? 'ledger-failed', codeOf(consumption))
        : await perform({ ...parts, consumption });
    const memory = { verdicts: canaries.verdicts, early };
    const control = remembered(lease.control, memory, report);
    return { ...report, leaseGivenBack: await giveLeaseBack(deps, lease, control) };
  } catch (error) {
    await giveLeaseBack(deps, lease, lease.control);
    throw error;
  }
}

type Performance = {
  readonly order: RedriveOrder;
  readonly deps: RedriveDeps;
  readonly budget: RunBudget;
  readonly lease: HeldLease;
  readonly canaries: Canaries;
  readonly early: Map<SendKey, EpochMs>;
  readonly consumption: Extract<Consumption, { kind: 'known' }>;
  readonly afterDeadLetter: AfterDeadLetter;
};

async function perform(performance: Performance): Promise<RedriveReport> {
  const { order, deps, budget, lease, canaries, early, consumption } = performance;
  const startedAt = deps.clock.now();
  const run = new DeadLetterRun({
    order,
    deps,
    control: lease.control,
    stopped: consumption.stopped,
    canaries,
    early,
    budget: { endsAt: Math.min(budget.endsAt, lease.until) },
    afterDeadLetter: performance.afterDeadLetter,
  });
  const ended = await run.run();
  return redriveReport({
    ...ended,
    mode: order.mode,
    trigger: order.trigger,
    startedAt,
    endedAt: deps.clock.now(),
    tally: run.tally,
    canaries: canaries.reports(),
    left: await leftIn(deps),
    highestDeliveryCount: run.highestDeliveryCount,
    pausedReason: consumption.pausedReason,
    tookOver: lease.tookOver,
    leaseGivenBack: true,
  });
}

function orderOf(triggered: Triggered, { limits }: RedriveDeps): RedriveOrder {
  const stage = {
    mode: 'redrive',
    max: limits.maxPerRun,
    ratePerSecond: limits.ratePerSecond,
    canary: limits.canarySize,
    force: false,
    filter: {},
  } as const;
  return triggered.kind === 'scheduled'
    ? { ...stage, trigger: 'scheduled' }
    : { ...stage, ...triggered.request, trigger: 'requested' };
}

/** A dry run goes on while the consumer is paused: it says what could go back afterwards. */
function obstacleTo(order: RedriveOrder, consumption: Consumption): RedriveEnd | null {
  if (consumption.kind === 'failed') return 'ledger-failed';
  const paused = consumption.pausedReason !== null && order.mode === 'redrive';
  return paused ? 'consumer-paused' : null;
}

function codeOf(consumption: Consumption): string | null {
  return consumption.kind === 'failed' ? consumption.code : consumption.pausedReason;
}

function remembered(
  control: RedriveControl,
  memory: RunMemory,
  report: RedriveReport,
): RedriveControl {
  const { results, mode, trigger, end, startedAt, endedAt, examined } = report;
  if (results === null) return control;
  const { redriven, settled, kept, failed } = results;
  const run = { mode, trigger, end, startedAt, endedAt, examined };
  return afterRun(control, memory, { ...run, redriven, settled, kept, failed });
}

function notRun(
  order: RedriveOrder,
  deps: RedriveDeps,
  startedAt: EpochMs,
  end: RedriveEnd,
  endCode: string | null,
): RedriveReport {
  return redriveReport({
    mode: order.mode,
    trigger: order.trigger,
    startedAt,
    end,
    endCode,
    endedAt: deps.clock.now(),
    tally: new RedriveTally(),
    examined: 0,
    filteredOut: 0,
    canaries: [],
    left: null,
    highestDeliveryCount: null,
    pausedReason: end === 'consumer-paused' ? endCode : null,
    tookOver: false,
    leaseGivenBack: true,
  });
}

/** A figure that is no count is no figure: `left` is then unknown, never 0. */
async function leftIn({ deadLetters }: RedriveDeps): Promise<number | null> {
  const answer = await deadLetters.stats();
  if (answer.kind === 'failed') return null;
  const names = ['available_count', 'in_flight_count', 'delayed_count'];
  const counts = names.map((name) => answer.figures[name]);
  const valid = counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0);
  return valid ? counts.reduce((total: number, count) => total + (count as number), 0) : null;
}
