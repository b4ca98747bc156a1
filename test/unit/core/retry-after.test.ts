import { describe, expect, test } from 'vitest';
import { parseHttpDate, retryAfterSeconds } from '#core/retry-after.ts';

const NOW = Date.UTC(2026, 6, 26, 9, 0, 0);
const at = (offsetSeconds: number) => new Date(NOW + offsetSeconds * 1000).toUTCString();

describe('whole seconds', () => {
  test.each([
    ['0', 0],
    ['1', 1],
    ['007', 7],
    ['86400', 86_400],
    ['700000', 700_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('%s', (header, seconds) => {
    expect(retryAfterSeconds(header, undefined, NOW)).toBe(seconds);
  });
});

describe('field report 67: anything but digits or a real HTTP date counts as absent', () => {
  test.each([
    '1.5',
    '-3',
    '+3',
    '120, 60',
    ' 7 ',
    '',
    '1e3',
    '0x10',
    '١٢',
    '7s',
    'soon',
    '2026-07-26T09:02:00Z',
    'Sun, 26 Jul 2026 09:02:00',
    'Sun, 26 Jul 2026 09:02:00 +0000',
    'Sun, 26 Jul 2026 09:02:00 UTC',
    'Mon, 26 Jul 2026 09:02:00 GMT',
    'Sun, 31 Feb 2026 09:02:00 GMT',
    'Sun, 26 Jul 2026 25:02:00 GMT',
    'Sun, 26 Jul 2026 09:02:60 GMT',
    'Sun, 26-Jul-26 09:02:00 GMT',
    'Sunfooday, 26-Jul-26 09:02:00 GMT',
    'sun, 26 jul 2026 09:02:00 gmt',
  ])('%j', (header) => {
    expect(retryAfterSeconds(header, undefined, NOW)).toBeUndefined();
  });

  test('an absent header', () => {
    expect(retryAfterSeconds(undefined, at(0), NOW)).toBeUndefined();
  });
});

describe('field report 68: a date', () => {
  test('ahead of the answer’s own Date', () => {
    expect(retryAfterSeconds(at(120), at(0), NOW)).toBe(120);
  });

  test('of a server whose clock is ten minutes fast means the same wait', () => {
    expect(retryAfterSeconds(at(720), at(600), NOW)).toBe(120);
  });

  test('in the past is 0, for the caller’s own minimum', () => {
    expect(retryAfterSeconds(at(-120), at(0), NOW)).toBe(0);
  });

  test('without a readable Date is taken from now, rounded up', () => {
    expect(retryAfterSeconds(at(120), undefined, NOW)).toBe(120);
    expect(retryAfterSeconds(at(120), 'yesterday', NOW + 1)).toBe(120);
    expect(retryAfterSeconds(at(120), undefined, NOW + 1_001)).toBe(119);
  });
});

describe('the three forms of an HTTP date', () => {
  const same = Date.UTC(1994, 10, 6, 8, 49, 37);
  test.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ])('%s', (text) => {
    expect(parseHttpDate(text, NOW)).toBe(same);
  });

  test('a two-digit year is of this century unless more than fifty years ahead', () => {
    expect(parseHttpDate('Sunday, 26-Jul-26 09:00:00 GMT', NOW)).toBe(NOW);
    expect(parseHttpDate('Sunday, 26-Jul-76 09:00:00 GMT', NOW)).toBe(Date.UTC(2076, 6, 26, 9));
    expect(parseHttpDate('Tuesday, 26-Jul-77 09:00:00 GMT', NOW)).toBe(Date.UTC(1977, 6, 26, 9));
  });

  test.each(['Wednesday', 'Thursday', 'Saturday', 'Monday', 'Tuesday', 'Friday', 'Sunday'])(
    '%s in full',
    (weekday) => {
      const day = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
      const date = 26 + day.indexOf(weekday);
      const epochMs = Date.UTC(2026, 6, date, 9);
      const [, dd, month, year] = new Date(epochMs).toUTCString().split(' ');
      expect(parseHttpDate(`${weekday}, ${dd}-${month}-${year?.slice(2)} 09:00:00 GMT`, NOW)).toBe(
        epochMs,
      );
    },
  );
});
