import { describe, expect, test } from 'vitest';
import { instantOf, parseInstant } from '#core/instant.ts';

function canonical(text: string): string {
  const parsed = parseInstant(text);
  return parsed.ok ? parsed.instant.canonical : parsed.fault;
}

describe('field report 71: one instant, every spelling, one canonical text', () => {
  const EVERY_SPELLING = [
    '2026-07-26T09:00:00Z',
    '2026-07-26T09:00:00z',
    '2026-07-26t09:00:00Z',
    '2026-07-26t09:00:00z',
    '2026-07-26T09:00:00+00:00',
    '2026-07-26T09:00:00-00:00',
    '2026-07-26T11:00:00+02:00',
    '2026-07-26T05:00:00-04:00',
    '2026-07-26T14:30:00+05:30',
    '2026-07-26T14:45:00+05:45',
    '2026-07-25T21:00:00-12:00',
    '2026-07-27T08:59:00+23:59',
    '2026-07-25T09:01:00-23:59',
    '2026-07-26T09:00:00.0Z',
    '2026-07-26T09:00:00.000Z',
    '2026-07-26T09:00:00.000000Z',
    '2026-07-26T09:00:00.000000000Z',
    '2026-07-26T09:00:00.000000000000Z',
    '2026-07-26T11:00:00.000+02:00',
  ];

  test.each(EVERY_SPELLING)('%s', (text) => {
    expect(parseInstant(text)).toEqual({
      ok: true,
      instant: { canonical: '2026-07-26T09:00:00Z', epochMs: Date.UTC(2026, 6, 26, 9) },
    });
  });

  test('the repeated hour of a daylight-saving night is two instants', () => {
    expect(canonical('2026-10-25T02:30:00+02:00')).toBe('2026-10-25T00:30:00Z');
    expect(canonical('2026-10-25T02:30:00+01:00')).toBe('2026-10-25T01:30:00Z');
  });
});

describe('different instants differ, down to the nanosecond', () => {
  test.each([
    ['2026-07-26T09:00:00.1Z', '2026-07-26T09:00:00.1Z'],
    ['2026-07-26T09:00:00.10Z', '2026-07-26T09:00:00.1Z'],
    ['2026-07-26T09:00:00.01Z', '2026-07-26T09:00:00.01Z'],
    ['2026-07-26T09:00:00.000000001Z', '2026-07-26T09:00:00.000000001Z'],
    ['2026-07-26T09:00:00.000000002Z', '2026-07-26T09:00:00.000000002Z'],
    ['2026-07-26T09:00:00.999999999Z', '2026-07-26T09:00:00.999999999Z'],
    ['2026-07-26T11:00:00.123456789+02:00', '2026-07-26T09:00:00.123456789Z'],
    ['2026-07-26T09:00:01Z', '2026-07-26T09:00:01Z'],
  ])('%s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test('the millisecond figure is cut, not rounded', () => {
    const parsed = parseInstant('2026-07-26T09:00:00.123999999Z');
    expect(parsed.ok && parsed.instant.epochMs).toBe(Date.UTC(2026, 6, 26, 9, 0, 0, 123));
  });

  test('before 1970 the cut millisecond is still the one before the instant', () => {
    const parsed = parseInstant('1969-12-31T23:59:59.9999Z');
    expect(parsed.ok && parsed.instant.epochMs).toBe(-1);
  });
});

describe('leap years', () => {
  test.each(['2028-02-29', '2000-02-29', '2400-02-29', '0000-02-29'])('%s exists', (date) => {
    expect(canonical(`${date}T00:00:00Z`)).toBe(`${date}T00:00:00Z`);
  });

  test.each(['2026-02-29', '2100-02-29', '1900-02-29', '2028-02-30'])('%s does not', (date) => {
    expect(canonical(`${date}T00:00:00Z`)).toBe('IMPOSSIBLE_DATE');
  });
});

describe('years 0 to 99 are themselves', () => {
  test.each(['0000-01-01T00:00:00Z', '0099-12-31T23:59:59Z'])('%s', (text) => {
    expect(canonical(text)).toBe(text);
  });
});

describe('refused, with the reason', () => {
  test.each([
    [undefined, 'NOT_A_STRING'],
    [null, 'NOT_A_STRING'],
    [1_785_056_400_000, 'NOT_A_STRING'],
    [new Date(0), 'NOT_A_STRING'],
    [['2026-07-26T09:00:00Z'], 'NOT_A_STRING'],
    ['', 'NOT_RFC3339'],
    ['2026-07-26', 'NOT_RFC3339'],
    ['2026-07-26 09:00:00Z', 'NOT_RFC3339'],
    ['2026-07-26T09:00Z', 'NOT_RFC3339'],
    ['2026-07-26T09:00:00,5Z', 'NOT_RFC3339'],
    ['2026-07-26T09:00:00.Z', 'NOT_RFC3339'],
    ['2026-07-26T09:00:00+0200', 'NOT_RFC3339'],
    ['2026-07-26T09:00:00+02', 'NOT_RFC3339'],
    ['2026-07-26T09:00:00\u221202:00', 'NOT_RFC3339'],
    ['2026-7-26T09:00:00Z', 'NOT_RFC3339'],
    ['+002026-07-26T09:00:00Z', 'NOT_RFC3339'],
    ['-2026-07-26T09:00:00Z', 'NOT_RFC3339'],
    [' 2026-07-26T09:00:00Z', 'NOT_RFC3339'],
    ['2026-07-26T09:00:00Z\n', 'NOT_RFC3339'],
    ['2026-07-26T09:00:00Z[Europe/Berlin]', 'NOT_RFC3339'],
    ['\u0662\u0660\u0662\u0666-07-26T09:00:00Z', 'NOT_RFC3339'],
    ['1785056400', 'NOT_RFC3339'],
    ['2026-07-26T09:00:00', 'NO_OFFSET'],
    ['2026-00-26T09:00:00Z', 'IMPOSSIBLE_DATE'],
    ['2026-13-26T09:00:00Z', 'IMPOSSIBLE_DATE'],
    ['2026-07-00T09:00:00Z', 'IMPOSSIBLE_DATE'],
    ['2026-07-32T09:00:00Z', 'IMPOSSIBLE_DATE'],
    ['2026-04-31T09:00:00Z', 'IMPOSSIBLE_DATE'],
    ['2026-07-26T24:00:00Z', 'IMPOSSIBLE_TIME'],
    ['2026-07-26T09:60:00Z', 'IMPOSSIBLE_TIME'],
    ['2016-12-31T23:59:60Z', 'IMPOSSIBLE_TIME'],
    ['2026-07-26T09:00:00+24:00', 'IMPOSSIBLE_OFFSET'],
    ['2026-07-26T09:00:00+02:60', 'IMPOSSIBLE_OFFSET'],
    ['2026-07-26T09:00:00.0000000001Z', 'FINER_THAN_NANOSECONDS'],
    ['0000-01-01T00:00:00+00:01', 'OUT_OF_RANGE'],
    ['9999-12-31T23:59:59-00:01', 'OUT_OF_RANGE'],
  ])('%j', (value, fault) => {
    expect(parseInstant(value)).toEqual({ ok: false, fault });
  });
});

test('an instant of epoch milliseconds is the one that its text gives', () => {
  expect(instantOf(Date.UTC(2026, 6, 26, 9, 0, 0, 120))).toEqual({
    canonical: '2026-07-26T09:00:00.12Z',
    epochMs: Date.UTC(2026, 6, 26, 9, 0, 0, 120),
  });
  expect(() => instantOf(8.64e15)).toThrow(RangeError);
});
