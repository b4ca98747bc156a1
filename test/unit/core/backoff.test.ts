import { describe, expect, test } from 'vitest';
import {
  backoffSeconds,
  DEFAULT_LADDER_SECONDS,
  hopDelaySeconds,
  MAX_DELAY_SECONDS,
} from '#core/backoff.ts';

const LAST = 0.999_999_999;
const wait = (step: number, fraction: number, retryAfterSeconds?: number) =>
  backoffSeconds({ step, ladderSeconds: DEFAULT_LADDER_SECONDS, fraction, retryAfterSeconds });

describe('full jitter on the ladder 1 m, 5 m, 15 m, 1 h, 6 h', () => {
  test.each([
    [0, 60],
    [1, 300],
    [2, 900],
    [3, 3600],
    [4, 21_600],
    [5, 21_600],
    [500, 21_600],
  ])('step %d: 1 to %d s', (step, seconds) => {
    expect(wait(step, 0)).toBe(1);
    expect(wait(step, 0.5)).toBe(seconds / 2);
    expect(wait(step, LAST)).toBe(seconds);
  });
});

describe('Retry-After', () => {
  test('is a floor', () => {
    expect(wait(0, 0, 45)).toBe(45);
    expect(wait(4, LAST, 45)).toBe(21_600);
  });

  test('field report 67: of 0 means the least wait, not a hot loop', () => {
    expect(wait(0, 0, 0)).toBe(1);
  });

  test('field report 68: is capped by the ladder’s longest step and by the queue', () => {
    expect(wait(0, 0, 86_400)).toBe(21_600);
    expect(wait(0, 0, Number.MAX_SAFE_INTEGER)).toBe(21_600);
    const week = backoffSeconds({
      step: 0,
      ladderSeconds: [60, 2 * MAX_DELAY_SECONDS],
      fraction: 0,
      retryAfterSeconds: 700_000,
    });
    expect(week).toBe(MAX_DELAY_SECONDS);
  });

  test('the cap is the longest step wherever it stands', () => {
    const request = { step: 0, ladderSeconds: [600, 60], fraction: 0 };
    expect(backoffSeconds({ ...request, retryAfterSeconds: 500 })).toBe(500);
  });
});

describe('one hop', () => {
  const now = Date.UTC(2026, 6, 26, 9);

  test.each([
    [0, 0],
    [-5_000, 0],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [MAX_DELAY_SECONDS * 1000, MAX_DELAY_SECONDS],
    [MAX_DELAY_SECONDS * 1000 + 1, MAX_DELAY_SECONDS],
    [400 * 86_400_000, MAX_DELAY_SECONDS],
  ])('%d ms ahead: %d s, never early within a hop', (aheadMs, seconds) => {
    expect(hopDelaySeconds(now + aheadMs, now)).toBe(seconds);
  });
});
