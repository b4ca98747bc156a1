import * as z from 'zod/mini';
import type { EpochMs, SendKey } from '#core/brand.ts';
import type { CanaryVerdict } from '#core/judge-canary.ts';
import { type ChannelHealth, HEALTHY, type RedriveRules } from '#core/plan-redrive.ts';

/** Name of the control document of the redrive, beside the ledger. */
export const REDRIVE_DOCUMENT = 'redrive';

/** A failing provider is asked again after 1 h, 2 h, 4 h, and then every 6 h. */
const FIRST_BACKOFF_MS = 3_600_000;
const LONGEST_BACKOFF_MS = 6 * 3_600_000;

const lease = z.object({ runId: z.string(), startedAt: z.int(), until: z.int() });
const setback = z.object({
  failures: z.int().check(z.minimum(1)),
  reason: z.string(),
  until: z.int(),
});
const early = z.object({ redrives: z.int().check(z.minimum(1)), until: z.int() });
const lastRun = z.object({
  startedAt: z.int(),
  endedAt: z.int(),
  trigger: z.string(),
  mode: z.string(),
  end: z.string(),
  examined: z.int(),
  redriven: z.int(),
  settled: z.int(),
  kept: z.int(),
  failed: z.int(),
});
const controlSchema = z.object({
  /** Null between runs. One that is over and still there belonged to a run that died. */
  lease: z.nullable(lease),
  /** Channels whose last canary failed. */
  setbacks: z.record(z.string(), setback),
  /** Redrives of reminders that were not due and so had no row, by send key. */
  early: z._default(z.record(z.string(), early), {}),
  lastRun: z.nullable(lastRun),
});

export type RedriveLease = Readonly<z.output<typeof lease>>;
export type LastRedrive = Readonly<z.output<typeof lastRun>>;
export type RedriveControl = {
  readonly lease: RedriveLease | null;
  readonly setbacks: Readonly<Record<string, Readonly<z.output<typeof setback>>>>;
  readonly early: Readonly<Record<string, EarlyRedrives>>;
  readonly lastRun: LastRedrive | null;
};
/** `until`: from then on the reminder is never sent, and its count is forgotten. */
export type EarlyRedrives = Readonly<z.output<typeof early>>;

export const NO_CONTROL: RedriveControl = { lease: null, setbacks: {}, early: {}, lastRun: null };

/** The stored document; undefined when it is not one that this release can read. */
export function parseRedriveControl(value: unknown): RedriveControl | undefined {
  const parsed = controlSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Whether another run may still be at work. */
export function leaseAlive(control: RedriveControl, now: EpochMs, skewMs: number): boolean {
  return control.lease !== null && now < control.lease.until + skewMs;
}

/**
 * Why a scheduled run leaves a channel alone. Without this memory, an outage of a day would use up
 * the caps of one canary after another. A person's request is not held back: its canary decides.
 */
export function rememberedHealth(
  control: RedriveControl,
  channel: string,
  trigger: RedriveRules['trigger'],
  now: EpochMs,
): ChannelHealth {
  const memory = control.setbacks[channel];
  if (trigger === 'requested' || memory === undefined || now >= memory.until) return HEALTHY;
  return { kind: 'unhealthy', reason: memory.reason };
}

/** What a run leaves for the next one to know. */
export type RunMemory = {
  readonly verdicts: ReadonlyMap<string, CanaryVerdict>;
  /** Reminders that went back before they were due, with the end of their use-by time. */
  readonly early: ReadonlyMap<SendKey, EpochMs>;
};

/** The document after a run: lease given back, verdicts and early redrives remembered. */
export function afterRun(
  control: RedriveControl,
  memory: RunMemory,
  run: LastRedrive,
): RedriveControl {
  const setbacks = { ...control.setbacks };
  for (const [channel, verdict] of memory.verdicts) {
    if (verdict.kind === 'passed') delete setbacks[channel];
    if (verdict.kind !== 'failed' && verdict.kind !== 'undecided') continue;
    const failures = (setbacks[channel]?.failures ?? 0) + 1;
    const reason = canaryReason(verdict);
    setbacks[channel] = { failures, reason, until: run.endedAt + backoffMs(failures) };
  }
  return { lease: null, setbacks, early: earlyAfter(control, memory, run.endedAt), lastRun: run };
}

/**
 * Entries are some 100 bytes; this many cost 20 write units a run. When there are more, those with
 * the lowest counts are forgotten: what comes back again and again is what must be counted.
 */
const MAX_EARLY = 200;

function earlyAfter(
  control: RedriveControl,
  memory: RunMemory,
  now: EpochMs,
): RedriveControl['early'] {
  const counted = { ...control.early };
  for (const [sendKey, until] of memory.early) {
    counted[sendKey] = { redrives: (counted[sendKey]?.redrives ?? 0) + 1, until };
  }
  const kept = Object.entries(counted).filter(([, { until }]) => now < until);
  return Object.fromEntries(
    kept.sort(([, a], [, b]) => b.redrives - a.redrives).slice(0, MAX_EARLY),
  );
}

/** The code under which a canary's verdict is shown. */
export function canaryReason(
  verdict: Extract<CanaryVerdict, { kind: 'failed' | 'undecided' }>,
): string {
  return verdict.kind === 'failed' ? `CANARY_${verdict.reason}` : 'CANARY_UNDECIDED';
}

function backoffMs(failures: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(10, failures - 1));
}
