import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffSeconds, hopDelaySeconds, MAX_DELAY_SECONDS } from '#core/backoff.ts';

const ladder = fc.array(fc.integer({ min: 1, max: MAX_DELAY_SECONDS }), {
  minLength: 1,
  maxLength: 20,
});
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a wait is whole, at least a second, within its step or at the capped floor', () => {
  fc.assert(
    fc.property(
      ladder,
      fc.nat(30),
      fraction,
      fc.option(fc.nat(2_000_000), { nil: undefined }),
      (ladderSeconds, step, drawn, retryAfterSeconds) => {
        const wait = backoffSeconds({ ladderSeconds, step, fraction: drawn, retryAfterSeconds });
        const longest = Math.max(...ladderSeconds);
        const own = ladderSeconds[Math.min(step, ladderSeconds.length - 1)] ?? 0;
        const floor = Math.min(retryAfterSeconds ?? 0, longest);
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(Math.max(1, floor));
        expect(wait).toBeLessThanOrEqual(Math.max(own, floor));
      },
    ),
    { numRuns: 2000 },
  );
});

test('hops add up to the instant: never early, less than a second late', () => {
  fc.assert(
    fc.property(fc.nat(Date.UTC(2026, 6, 26)), fc.nat(400 * 86_400_000), (from, aheadMs) => {
      const until = from + aheadMs;
      let now = from;
      for (let hop = 0; now < until; hop += 1) {
        expect(hop).toBeLessThan(60);
        const delay = hopDelaySeconds(until, now);
        expect(delay).toBeGreaterThanOrEqual(1);
        expect(delay).toBeLessThanOrEqual(MAX_DELAY_SECONDS);
        now += delay * 1000;
      }
      expect(now - until).toBeLessThan(1000);
    }),
  );
});
