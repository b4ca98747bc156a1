import { describe, expect, test } from 'vitest';
import type { PartReport } from '#test/proof/part.ts';
import { MODEL_PARTS } from '#test/proof/parts.ts';

/** The short form of every proof; `npm run prove` runs the full one. */
const TIMEOUT_MS = 300_000;

describe('the short form of the proofs finds no violation', () => {
  test.each(MODEL_PARTS)('$name: $shows', { timeout: TIMEOUT_MS }, async (part) => {
    const report = await part.run({ seed: 1, scale: 'short', log: () => {} });
    expect(report.violations).toEqual([]);
    expectsOf[part.name]?.(report);
  });
});

/** Figures below which a part has not shown what it claims to show. */
const expectsOf: Record<string, (report: PartReport) => void> = {
  boundaries: (report) => {
    expect(report.counts['ends']).toBeGreaterThan(4_000);
    const met = [
      'clock.sleep',
      'ledger.claim',
      'ledger.replace',
      'queue.ack',
      'queue.consume',
      'queue.publish',
      'senders.query',
      'senders.send',
    ];
    expect(report.notes).toContain(`boundaries met: ${met.join(', ')}`);
  },
  interleavings: ({ counts }) => {
    expect(counts['runs']).toBe(1_500);
    expect(counts['steps']).toBeGreaterThan(30_000);
  },
  redrives: ({ counts }) => {
    expect(counts['runs']).toBe(150);
    expect(counts['began as a dead letter']).toBeGreaterThan(50);
    expect(counts['redriven 1 times']).toBeGreaterThan(10);
  },
  simulation: ({ counts }) => {
    expect(counts['episodes']).toBe(17);
    for (const met of ['ended-before', 'ended-after', 'answer-lost', 'not-applied', 'frozen']) {
      expect(counts[met], met).toBeGreaterThan(0);
    }
    expect(counts['redrive runs']).toBeGreaterThan(0);
    expect(counts['decided sent']).toBeGreaterThan(0);
    expect(counts['decided not-sent']).toBeGreaterThan(0);
    expect(counts['plays of one seed']).toBe(3);
    expect(counts['at rest SENT']).toBeGreaterThan(3_000);
  },
};
