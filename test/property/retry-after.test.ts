import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHttpDate, retryAfterSeconds } from '#core/retry-after.ts';

const instants = fc.date({
  min: new Date('1970-01-01T00:00:00Z'),
  max: new Date('2099-12-31T23:59:59Z'),
  noInvalidDate: true,
});

test('whatever comes, the result is a whole number of seconds or nothing', () => {
  const anyHeader = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'0123456789.-+eE, xX') }),
    fc.double().map(String),
    instants.map((date) => date.toUTCString()),
    instants.map((date) => date.toISOString()),
  );
  fc.assert(
    fc.property(
      anyHeader,
      fc.option(anyHeader, { nil: undefined }),
      instants,
      (header, date, now) => {
        const seconds = retryAfterSeconds(header, date, now.getTime());
        if (seconds === undefined) return;
        expect(Number.isSafeInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(/^\d+$/.test(header) || parseHttpDate(header, now.getTime()) !== undefined).toBe(
          true,
        );
      },
    ),
    { numRuns: 2_000 },
  );
});

test('whole seconds come back as they went in', () => {
  fc.assert(
    fc.property(fc.nat(), instants, (seconds, now) => {
      expect(retryAfterSeconds(String(seconds), undefined, now.getTime())).toBe(seconds);
    }),
  );
});

test('a date means the wait from the server’s own Date, however wrong its clock is', () => {
  fc.assert(
    fc.property(fc.nat({ max: 700_000 }), instants, instants, (seconds, serverNow, ourNow) => {
      const date = serverNow.toUTCString();
      const until = new Date(Date.parse(date) + seconds * 1000).toUTCString();
      expect(retryAfterSeconds(until, date, ourNow.getTime())).toBe(seconds);
    }),
  );
});

test('every HTTP date is read to the second it names', () => {
  fc.assert(
    fc.property(instants, (date) => {
      const whole = Math.floor(date.getTime() / 1000) * 1000;
      expect(parseHttpDate(date.toUTCString(), 0)).toBe(whole);
    }),
  );
});
