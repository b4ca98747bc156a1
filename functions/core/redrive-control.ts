import * as z from 'zod';
import type { EpochMs } from '#core/brand.ts';
import type { CanaryVerdict } from '#core/judge-canary.ts';
import { type ChannelHealth, HEALTHY, type RedriveRules } from '#core/plan-redrive.ts';

/** Name of the control document of the redrive, beside the ledger. */
export const REDRIVE_DOCUMENT = 'redrive';

/** A failing provider is asked again after 1 h, 2 h, 4 h, and then every 6 h. */
const FIRST_BACKOFF_MS = 3_600_000;
const LONGEST_BACKOFF_MS = 6 * 3_600_000;

const lease = z.object({ runId: z.string(), startedAt: z.int(), until: z.int() });
const setback = z.object({ failures: z.int().min(1), reason: z.string(), until: z.int() });
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
  lease: lease.nullable(),
  /** Channels whose last canary failed. */
  setbacks: z.record(z.string(), setback),
  lastRun: lastRun.nullable(),
});

export type RedriveLease = Readonly<z.output<typeof lease>>;
export type LastRedrive = Readonly<z.output<typeof lastRun>>;
export type RedriveControl = {
  readonly lease: RedriveLease | null;
  readonly setbacks: Readonly<Record<string, Readonly<z.output<typeof setback>>>>;
  readonly lastRun: LastRedrive | null;
};

export const NO_CONTROL: RedriveControl = { lease: null, setbacks: {}, lastRun: null };

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

/** The document after a run: lease given back, verdicts remembered. */
export function afterRun(
  control: RedriveControl,
  verdicts: ReadonlyMap<string, CanaryVerdict>,
  run: LastRedrive,
): RedriveControl {
  const setbacks = { ...control.setbacks };
  for (const [channel, verdict] of verdicts) {
    if (verdict.kind === 'passed') delete setbacks[channel];
    if (verdict.kind !== 'failed' && verdict.kind !== 'undecided') continue;
    const failures = (setbacks[channel]?.failures ?? 0) + 1;
    const reason = canaryReason(verdict);
    setbacks[channel] = { failures, reason, until: run.endedAt + backoffMs(failures) };
  }
  return { lease: null, setbacks, lastRun: run };
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
