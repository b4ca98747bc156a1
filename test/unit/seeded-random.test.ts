import { describe, expect, it } from 'vitest';
import { randomId, seededRandom } from '#infra/local/seeded-random.ts';

describe('seeded randomness', () => {
  it('repeats itself by seed, and differs between neighbouring seeds', () => {
    const first = (seed: number) => Array.from({ length: 5 }, seededRandom(seed).fraction);
    expect(first(1)).toEqual(first(1));
    expect(first(1)).not.toEqual(first(2));
    expect(seededRandom(1).token()).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is spread evenly over 0…1', () => {
    const random = seededRandom(42);
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let n = 0; n < 100_000; n += 1) {
      const bucket = Math.floor(random.fraction() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  it('makes ids of the length asked for', () => {
    for (const length of [1, 6, 20, 24]) {
      expect(randomId(seededRandom(length), length)).toMatch(new RegExp(`^[a-z0-9]{${length}}$`));
    }
  });
});
