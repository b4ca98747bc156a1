import * as z from 'zod/mini';
import type { EpochMs } from '#core/brand.ts';

/** Name of its control document. */
export const CONSUMER_DOCUMENT = 'consumer';
const MARKER_FORMAT = 'consumer/1';

/** What the marker adds up over all runs; rules look at how a total grows, never at its height. */
export const MARKER_TOTALS = [
  'runs',
  'deliveries',
  'receiptsAhead',
  'terminalAhead',
  'contentConflicts',
  'invalidMessages',
  'ledgerFailures',
  'crashed',
  'budgetStops',
] as const;
export type MarkerTotal = (typeof MARKER_TOTALS)[number];
export type MarkerTotals = Readonly<Record<MarkerTotal, number>>;

const whole = z.int().check(z.nonnegative());
const copies = z.object({ dueAt: whole, count: whole });

const markerSchema = z.object({
  format: z.literal(MARKER_FORMAT),
  lastRunAt: whole,
  /** How the last run ended, in one word. */
  lastEnd: z.string(),
  totals: z.record(z.string(), whole),
  /** Postponed copies that the queue must still hold back, by the start of their slice. */
  copies: z.array(copies),
});

/**
 * What the consumer leaves behind after every run: that it ran, what it met, which copies it
 * postponed. A killed run leaves nothing and falsifies nothing: totals that only grow miss its
 * share, and a copy that is not counted is not missed.
 */
export type ConsumerMarker = z.output<typeof markerSchema>;
export type DueCopies = z.output<typeof copies>;

/** Undefined for a document that this release cannot read. */
export function readMarkerDocument(value: unknown): ConsumerMarker | undefined {
  const parsed = markerSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

export type RunMark = {
  readonly end: string;
  readonly totals: Readonly<Record<Exclude<MarkerTotal, 'runs'>, number>>;
  readonly copies: readonly DueCopies[];
};

/** Two days in slices of five minutes would fill the document; the farthest matter most. */
const COPIES_KEPT = 24;

/** The marker after one more run. */
export function withRun(
  marker: ConsumerMarker | undefined,
  run: RunMark,
  now: EpochMs,
): ConsumerMarker {
  const added: MarkerTotals = { ...run.totals, runs: 1 };
  const totals = MARKER_TOTALS.map((name) => [name, totalOf(marker, name) + added[name]] as const);
  return {
    format: MARKER_FORMAT,
    lastRunAt: Math.max(marker?.lastRunAt ?? 0, now),
    lastEnd: run.end,
    totals: Object.fromEntries(totals),
    copies: mergedCopies([...(marker?.copies ?? []), ...run.copies], now),
  };
}

export function totalOf(marker: ConsumerMarker | undefined, name: MarkerTotal): number {
  return marker?.totals[name] ?? 0;
}

function mergedCopies(all: readonly DueCopies[], now: EpochMs): DueCopies[] {
  const bySlice = new Map<EpochMs, number>();
  for (const { dueAt, count } of all) {
    if (dueAt > now) bySlice.set(dueAt, (bySlice.get(dueAt) ?? 0) + count);
  }
  return [...bySlice]
    .map(([dueAt, count]) => ({ dueAt, count }))
    .sort((a, b) => a.dueAt - b.dueAt)
    .slice(-COPIES_KEPT);
}

/** Copies that are due after `at`: the queue must count at least one of them as delayed. */
export function copiesDueAfter(marker: ConsumerMarker | undefined, at: EpochMs): number {
  let count = 0;
  for (const copy of marker?.copies ?? []) if (copy.dueAt > at) count += copy.count;
  return count;
}
