import { describe, expect, it } from 'vitest';
import {
  copiesDueAfter,
  type RunMark,
  readMarkerDocument,
  totalOf,
  withRun,
} from '#core/consumer-marker.ts';

const NOW = Date.UTC(2026, 6, 26, 9);
const SLICE_MS = 300_000;

function aRun(change: Partial<RunMark> = {}): RunMark {
  const totals = {
    deliveries: 5,
    receiptsAhead: 0,
    terminalAhead: 0,
    contentConflicts: 1,
    invalidMessages: 0,
    ledgerFailures: 0,
    crashed: 0,
    budgetStops: 0,
  };
  return { end: 'queue-empty', totals, copies: [], ...change };
}

describe('the mark of a run', () => {
  it('adds up, and reads back what it is', () => {
    const twice = withRun(withRun(undefined, aRun(), NOW), aRun({ end: 'paused' }), NOW + 1);
    expect(totalOf(twice, 'runs')).toBe(2);
    expect(totalOf(twice, 'deliveries')).toBe(10);
    expect(twice).toMatchObject({ lastEnd: 'paused', lastRunAt: NOW + 1 });
    expect(readMarkerDocument(JSON.parse(JSON.stringify(twice)))).toEqual(twice);
    expect(readMarkerDocument({ ...twice, format: 'consumer/2' })).toBeUndefined();
  });

  it('never makes the last run older, whoever writes last', () => {
    const later = withRun(undefined, aRun(), NOW + 60_000);
    expect(withRun(later, aRun(), NOW).lastRunAt).toBe(NOW + 60_000);
  });
});

describe('postponed copies', () => {
  const copies = (...counts: readonly number[]) =>
    counts.map((count, slice) => ({ dueAt: NOW + (slice + 1) * SLICE_MS, count }));

  it('of one slice are added up; what is due is forgotten', () => {
    const marker = withRun(undefined, aRun({ copies: copies(1, 2) }), NOW);
    const again = withRun(marker, aRun({ copies: copies(4, 5) }), NOW + SLICE_MS);
    expect(again.copies).toEqual([{ dueAt: NOW + 2 * SLICE_MS, count: 7 }]);
  });

  it('that are due later than an instant are still expected', () => {
    const marker = withRun(undefined, aRun({ copies: copies(1, 2, 4) }), NOW);
    expect(copiesDueAfter(marker, NOW + SLICE_MS)).toBe(6);
    expect(copiesDueAfter(undefined, NOW)).toBe(0);
  });

  it('stay a handful, the farthest of them', () => {
    const many = copies(...Array.from({ length: 500 }, () => 1));
    const marker = withRun(undefined, aRun({ copies: many }), NOW);
    expect(marker.copies).toHaveLength(24);
    expect(marker.copies.at(-1)?.dueAt).toBe(NOW + 500 * SLICE_MS);
  });
});
