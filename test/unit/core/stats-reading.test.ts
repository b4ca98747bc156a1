import { describe, expect, it } from 'vitest';
import { readBalance, readDeadLetterStats, readQueueStats } from '#core/stats-reading.ts';

const GOOD = {
  available_count: 3,
  in_flight_count: 2,
  delayed_count: 40,
  dlq_count: 1,
  oldest_message_age_seconds: 12.5,
};

const BAD: readonly (readonly [string, unknown, string])[] = [
  ['a string', '7', 'NOT_A_NUMBER'],
  ['an empty string', '', 'NOT_A_NUMBER'],
  ['null', null, 'NULL'],
  ['a boolean', true, 'NOT_A_NUMBER'],
  ['an object', {}, 'NOT_A_NUMBER'],
  ['negative', -1, 'NEGATIVE'],
  ['infinite', JSON.parse('1e400'), 'NOT_FINITE'],
  ['NaN', Number.NaN, 'NOT_FINITE'],
  ['a fraction where a count belongs', 1.5, 'NOT_WHOLE'],
  ['beyond safe integers', 2 ** 60, 'TOO_LARGE'],
];

describe('figures of the queue', () => {
  it('reads good ones as they are', () => {
    expect(readQueueStats(GOOD)).toEqual({
      value: {
        available: 3,
        inFlight: 2,
        delayed: 40,
        deadLetters: 1,
        oldestAgeSeconds: 12.5,
      },
      invalid: [],
    });
  });

  it.each(BAD)(
    'field report 59: dlq_count as %s is no figure, never 0 and never NaN',
    (_what, value, fault) => {
      const reading = readQueueStats({ ...GOOD, dlq_count: value });
      expect(reading.value.deadLetters).toBeNull();
      expect(reading.value.available).toBe(3);
      expect(reading.invalid).toEqual([{ figure: 'dlq_count', fault }]);
    },
  );

  it('field report 59: a missing figure is named, the others stand', () => {
    const { dlq_count: _left, ...rest } = GOOD;
    const reading = readQueueStats(rest);
    expect(reading.value.deadLetters).toBeNull();
    expect(reading.invalid).toEqual([{ figure: 'dlq_count', fault: 'MISSING' }]);
  });

  it('takes no figure from a prototype', () => {
    expect(readQueueStats(Object.create(GOOD)).invalid).toHaveLength(5);
  });
});

describe('figures of the dead-letter queue', () => {
  it('adds up what waits, what is leased and what is delayed', () => {
    expect(readDeadLetterStats(GOOD)).toEqual({ value: 45, invalid: [] });
  });

  it('gives no sum when a part is missing', () => {
    const reading = readDeadLetterStats({ ...GOOD, in_flight_count: null });
    expect(reading.value).toBeNull();
    expect(reading.invalid).toEqual([{ figure: 'dlq.in_flight_count', fault: 'NULL' }]);
  });
});

describe('the balance', () => {
  it('may have cents', () => {
    expect(readBalance({ balance_usd: 12.34, currency: 'USD' })).toEqual({
      value: 12.34,
      invalid: [],
    });
  });

  it('is refused when negative', () => {
    expect(readBalance({ balance_usd: -0.01 }).invalid).toEqual([
      { figure: 'balance_usd', fault: 'NEGATIVE' },
    ]);
  });
});
