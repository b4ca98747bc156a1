import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';

describe('the system clock', () => {
  test('sleeps no less than asked', async () => {
    const before = performance.now();
    await systemClock.sleep(20);
    // A timer may fire up to a millisecond early by this finer clock.
    expect(performance.now() - before).toBeGreaterThanOrEqual(19);
  });

  test('wakes at once when aborted, before or during a sleep, and never rejects', async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(3_600_000, controller.signal);
    controller.abort();
    await sleeping;
    await systemClock.sleep(3_600_000, controller.signal);
  });

  test('leaves no listener behind on a signal that lives long', async () => {
    const { signal } = new AbortController();
    for (let nap = 0; nap < 20; nap += 1) await systemClock.sleep(0, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('the system’s randomness', () => {
  test('fractions stay below one, tokens never repeat', () => {
    const fractions = Array.from({ length: 1_000 }, () => systemRandom.fraction());
    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
    expect(new Set(fractions).size).toBeGreaterThan(990);
    const tokens = Array.from({ length: 1_000 }, () => systemRandom.token());
    expect(new Set(tokens).size).toBe(1_000);
    expect(tokens.every((token) => /^[0-9a-f-]{36}$/.test(token))).toBe(true);
  });
});
