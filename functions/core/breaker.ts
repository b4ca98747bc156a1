import * as z from 'zod/mini';
import type { EpochMs } from '#core/brand.ts';

/** Name of its control document. */
export const BREAKER_DOCUMENT = 'breaker';
const BREAKER_FORMAT = 'breaker/1';

/** Why the breaker opened by itself. An operator's own reasons are other codes. */
export type TripReason =
  /** Receipts ahead of terminal rows: acceptances could not be recorded. */
  | 'RECORDS_FAILING'
  /** One send key has two receipts that no policy explains: the one thing that must never be. */
  | 'OTHER_RECEIPT'
  /** A channel's provider says yes again and again and never gives a receipt. */
  | 'NO_RECEIPTS'
  /** Terminal rows ahead of receipts: a row says SENT without proof. */
  | 'SENT_WITHOUT_RECEIPT';

const whole = z.int().check(z.nonnegative());
const instant = whole;
const code = z.string().check(z.minLength(1), z.maxLength(64));

const mode = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('running') }),
  /** At most this many sends at once, to each channel, in each consumer. */
  z.object({ kind: z.literal('limited'), concurrency: z.int().check(z.positive()) }),
  /** Nothing is consumed; by itself it resumes at `resumeAt`, or never. */
  z.object({ kind: z.literal('paused'), resumeAt: z.nullable(instant) }),
]);
export type BreakerMode = z.output<typeof mode>;

const channelStop = z.object({
  reason: code,
  since: instant,
  by: code,
  /** Refused probes so far; each doubles the wait for the next one. */
  refusals: whole,
  /** When one send may try the channel again; null: when an operator says so. */
  probeAt: z.nullable(instant),
});
export type ChannelStop = z.output<typeof channelStop>;

const unrecorded = z.object({
  sendKey: z.string(),
  attempt: whole,
  receipt: z.string(),
  /** The latest attempt up to this one that policy `resend` made; documents of old name none. */
  policyAttempt: z._default(z.nullable(whole), null),
  at: instant,
});
export type UnrecordedReceipt = z.output<typeof unrecorded>;

const withoutReceipt = z.object({
  channel: z.string(),
  sendKey: z.string(),
  attempt: whole,
});

const breakerSchema = z.object({
  format: z.literal(BREAKER_FORMAT),
  mode,
  /** A `TripReason`, or the code of who changed it last. */
  reason: code,
  since: instant,
  /** `breaker`, or an operator's name for himself. */
  by: code,
  channels: z.record(z.string(), channelStop),
  /** Acceptances whose row does not say so yet, oldest first. */
  unrecorded: z.array(unrecorded),
  /** Sends answered 2xx without a receipt since the channel's last receipt. */
  withoutReceipt: z.array(withoutReceipt),
});

/** The control row of protocol section 5, with the evidence that could still trip it. */
export type Breaker = z.output<typeof breakerSchema>;

/** What stands where no document does: a new installation runs. */
export const FRESH_BREAKER: Breaker = {
  format: BREAKER_FORMAT,
  mode: { kind: 'running' },
  reason: 'FRESH',
  since: 0,
  by: 'breaker',
  channels: {},
  unrecorded: [],
  withoutReceipt: [],
};

/** Undefined for a document that this release cannot read: never to be taken for `running`. */
export function readBreakerDocument(value: unknown): Breaker | undefined {
  const parsed = breakerSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Sends at once per channel after a resume; it doubles with every clean run. */
export const RESUME_CONCURRENCY = 1;

/**
 * An unwell ledger heals by itself, and a breaker that then waits for a person lets reminders pass
 * their use-by. After this wait the consumer resumes, at `RESUME_CONCURRENCY`, if it can write that
 * it does: to the very table whose writes had failed. Any other trip waits for a person.
 */
const RECORDS_FAILING_PAUSE_MS = 600_000;

/** Who changes the breaker, and why: codes, no free text, since it goes into logs and findings. */
export type Change = { readonly by: string; readonly reason: string; readonly at: EpochMs };

/** Stops all consumption until somebody resumes it. Queue and ledger stay as they are. */
export function pause(breaker: Breaker, change: Change): Breaker {
  return moved(breaker, { kind: 'paused', resumeAt: null }, change);
}

/**
 * Lets consumers start again, slowly; evidence gathered before does not count again, yet an
 * unrecorded receipt is remembered, since the provider's next answer for its key must match it.
 */
export function resume(breaker: Breaker, change: Change): Breaker {
  return limit(breaker, RESUME_CONCURRENCY, change);
}

/** @param concurrency sends at once per channel and consumer, 1 or more */
export function limit(breaker: Breaker, concurrency: number, change: Change): Breaker {
  const limited = moved(breaker, { kind: 'limited', concurrency }, change);
  return { ...limited, withoutReceipt: [] };
}

/** Opens a channel again at once, as after its secret was mended. */
export function openChannel(breaker: Breaker, channel: string): Breaker {
  if (!Object.hasOwn(breaker.channels, channel)) return breaker;
  const { [channel]: _opened, ...channels } = breaker.channels;
  return { ...breaker, channels };
}

/** Stops one channel until somebody opens it; the others go on. */
export function stopChannel(breaker: Breaker, channel: string, change: Change): Breaker {
  const { by, reason, at } = change;
  const stop: ChannelStop = { reason, by, since: at, refusals: 0, probeAt: null };
  return { ...breaker, channels: { ...breaker.channels, [channel]: stop } };
}

/** After the row of an unrecorded acceptance was mended: nothing waits for its receipt any more. */
export function forgetReceipt(breaker: Breaker, sendKey: string): Breaker {
  const unrecorded = breaker.unrecorded.filter((entry) => entry.sendKey !== sendKey);
  return unrecorded.length === breaker.unrecorded.length ? breaker : { ...breaker, unrecorded };
}

/**
 * The breaker's own decision. A pause that waits for a person is never replaced by another, and
 * evidence older than the last change does not undo it.
 */
export function trip(breaker: Breaker, reason: TripReason, at: EpochMs): Breaker {
  if (at < breaker.since) return breaker;
  const resumeAt = reason === 'RECORDS_FAILING' ? at + RECORDS_FAILING_PAUSE_MS : null;
  if (breaker.mode.kind === 'paused' && (breaker.mode.resumeAt === null || resumeAt !== null)) {
    return breaker;
  }
  return moved(breaker, { kind: 'paused', resumeAt }, { by: 'breaker', reason, at });
}

/** The breaker at the start of a run: a pause whose time is over becomes a slow start. */
export function resumeIfDue(breaker: Breaker, now: EpochMs): Breaker {
  const { mode } = breaker;
  if (mode.kind !== 'paused' || mode.resumeAt === null || now < mode.resumeAt) return breaker;
  return resume(breaker, { by: 'breaker', reason: 'RESUMED_AFTER_PAUSE', at: now });
}

/**
 * After a clean run: one that recorded at least one receipt and met nothing of what trips the
 * breaker. An empty run proves nothing and leaves the limit where it is.
 * @param full the concurrency of the configuration, at which the breaker runs freely again
 */
export function rampUp(breaker: Breaker, full: number, at: EpochMs): Breaker {
  if (breaker.mode.kind !== 'limited') return breaker;
  const concurrency = breaker.mode.concurrency * 2;
  const next: BreakerMode =
    concurrency >= full ? { kind: 'running' } : { kind: 'limited', concurrency };
  const { reason, by, since } = breaker;
  // While it is still limited, since when and why stay visible.
  return next.kind === 'limited'
    ? moved(breaker, next, { reason, by, at: since })
    : moved(breaker, next, { reason: 'RAMPED_UP', by: 'breaker', at });
}

/** What one run may do. */
export type RunPlan = {
  /** Sends at once per channel. */
  readonly concurrency: number;
  /** Channels that are not tried in this run, with the reason. */
  readonly stopped: ReadonlyMap<string, string>;
  /** Channels that start with a single send: their last answer was a refusal. */
  readonly probing: ReadonlySet<string>;
};

/** The plan of a run that starts now; null while paused. */
export function planRun(breaker: Breaker, full: number, now: EpochMs): RunPlan | null {
  const { mode } = breaker;
  if (mode.kind === 'paused') return null;
  const stopped = new Map<string, string>();
  const probing = new Set<string>();
  for (const [channel, { probeAt, reason }] of Object.entries(breaker.channels)) {
    if (probeAt !== null && now >= probeAt) probing.add(channel);
    else stopped.set(channel, reason);
  }
  const concurrency = mode.kind === 'limited' ? Math.min(mode.concurrency, full) : full;
  return { concurrency, stopped, probing };
}

function moved(breaker: Breaker, next: BreakerMode, change: Change): Breaker {
  const { by, reason, at } = change;
  return { ...breaker, mode: next, by, reason, since: at };
}
