import * as z from 'zod/mini';
import type { EpochMs } from '#core/brand.ts';
import type { ConsumerMarker, MarkerTotal } from '#core/consumer-marker.ts';
import { copiesDueAfter, MARKER_TOTALS, totalOf } from '#core/consumer-marker.ts';
import type { Finding } from '#core/finding.ts';
import { NO_QUEUE_FIGURES, type QueueFigures } from '#core/stats-reading.ts';
import type { Signals } from '#core/stats-signals.ts';

/** Name of its control document. */
export const STATS_DOCUMENT = 'stats';
const HISTORY_FORMAT = 'stats/1';

const instant = z.int().check(z.nonnegative());
const figure = z.nullable(z.number().check(z.nonnegative()));

const pastReading = z.object({
  at: instant,
  available: figure,
  inFlight: figure,
  oldestAgeSeconds: figure,
  staleSeconds: figure,
  /** Copies that must be delayed while the queue counts none. */
  unconfirmed: figure,
});
export type PastReading = z.output<typeof pastReading>;

const growth = z.object({ total: instant, grownAt: z.nullable(instant) });

const historySchema = z.object({
  format: z.literal(HISTORY_FORMAT),
  watchedSince: instant,
  /** The last minutes, oldest first. */
  readings: z.array(pastReading),
  /** Start of the unbroken time with dead letters, invalid and missing readings looked over. */
  deadLettersSince: z.nullable(instant),
  /** When the queue last gave its figures. */
  queueSeenAt: z.nullable(instant),
  /** The consumer's totals and when each last grew. */
  growth: z.record(z.string(), growth),
  /** What is open and since when, by finding and subject. */
  open: z.record(z.string(), instant),
});

/**
 * What the rules remember between readings: a few minutes of figures, and instants for everything
 * longer. It fits one or two kilobytes however long it goes on.
 */
export type StatsHistory = z.output<typeof historySchema>;

/** Undefined for a document that this release cannot read: the rules then start afresh. */
export function readHistoryDocument(value: unknown): StatsHistory | undefined {
  const parsed = historySchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

export function freshHistory(now: EpochMs): StatsHistory {
  return {
    format: HISTORY_FORMAT,
    watchedSince: now,
    readings: [],
    deadLettersSince: null,
    queueSeenAt: null,
    growth: {},
    open: {},
  };
}

/** Enough for the longest look back, whether a reading is made every minute or every quarter. */
const KEPT_READINGS = 12;
const KEPT_MS = 7_200_000;
/** A second reading within this is the same one made twice: a doubled invocation. */
const SAME_READING_MS = 20_000;

/**
 * While the consumer took something within this, messages that wait are between two ticks: nobody
 * can say from one look, taken as the consumer starts, that nobody consumes.
 */
const CONSUMING_WITHIN_MS = 300_000;
/** A copy that is due this soon may have become available between publish and stats. */
const DUE_SOON_MS = 60_000;

/** The history with this reading in it, not yet judged. */
export function withReading(history: StatsHistory, signals: Signals): StatsHistory {
  const { at, queue, marker } = signals;
  const grown: StatsHistory = {
    ...history,
    deadLettersSince: deadLettersSince(history, signals),
    queueSeenAt: queue.kind === 'figures' ? at : history.queueSeenAt,
    growth: growthOf(history, marker, at),
  };
  const earlier = history.readings.filter(
    (reading) => reading.at < at - SAME_READING_MS && reading.at >= at - KEPT_MS,
  );
  const figures = queue.kind === 'figures' ? queue : NO_QUEUE_FIGURES;
  const { available, inFlight, oldestAgeSeconds } = figures;
  const latest: PastReading = {
    at,
    available,
    inFlight,
    oldestAgeSeconds,
    staleSeconds: staleSecondsOf(figures, grown, at),
    unconfirmed: unconfirmedOf(figures, marker, at),
  };
  return { ...grown, readings: [...earlier, latest].slice(-KEPT_READINGS) };
}

/**
 * The oldest message's age where messages wait and nobody takes them, else 0. A queue whose
 * messages are all delayed is not stale, however old its oldest message is.
 */
function staleSecondsOf(figures: QueueFigures, grown: StatsHistory, at: EpochMs): number | null {
  const { available, inFlight, oldestAgeSeconds } = figures;
  if (available === null || inFlight === null || oldestAgeSeconds === null) return null;
  if (available === 0 || inFlight > 0) return 0;
  return grewLately(grown, 'deliveries', at, CONSUMING_WITHIN_MS) ? 0 : oldestAgeSeconds;
}

/**
 * Only "none at all" counts as a denial: a publish that repeats an earlier copy's key is answered
 * with success and makes no new message, so that fewer than published is no fault.
 */
function unconfirmedOf(
  { delayed }: QueueFigures,
  marker: ConsumerMarker | null,
  at: EpochMs,
): number | null {
  if (delayed === null) return null;
  return delayed > 0 ? 0 : copiesDueAfter(marker ?? undefined, at + DUE_SOON_MS);
}

/** A figure that was refused neither starts nor ends the time. */
function deadLettersSince(history: StatsHistory, { at, deadLetters }: Signals): EpochMs | null {
  if (deadLetters === null) return history.deadLettersSince;
  return deadLetters === 0 ? null : (history.deadLettersSince ?? at);
}

function growthOf(
  history: StatsHistory,
  marker: ConsumerMarker | null,
  at: EpochMs,
): StatsHistory['growth'] {
  if (marker === null) return history.growth;
  const entries = MARKER_TOTALS.map((name) => {
    const total = totalOf(marker, name);
    const before = history.growth[name];
    // A total that is seen for the first time may be old news.
    const grew = before !== undefined && total > before.total;
    return [name, { total, grownAt: grew ? at : (before?.grownAt ?? null) }] as const;
  });
  return Object.fromEntries(entries);
}

/** Whether the consumer's total grew within `withinMs`. */
export function grewLately(
  history: StatsHistory,
  name: MarkerTotal,
  now: EpochMs,
  withinMs: number,
): boolean {
  const grownAt = history.growth[name]?.grownAt ?? null;
  return grownAt !== null && grownAt > now - withinMs;
}

/** The history after judging: what is still open keeps its beginning. */
export function withOpen(history: StatsHistory, findings: readonly Finding[]): StatsHistory {
  const open = findings.map((found) => [openName(found), found.since] as const);
  return { ...history, open: Object.fromEntries(open) };
}

/** Since when a finding has been open, as far as this history knows. */
export function openSince(
  history: StatsHistory,
  found: Pick<Finding, 'code' | 'subject'>,
): EpochMs | undefined {
  return history.open[openName(found)];
}

function openName({ code, subject }: Pick<Finding, 'code' | 'subject'>): string {
  return subject === null ? code : `${code}:${subject}`;
}
