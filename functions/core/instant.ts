import type { EpochMs } from '#core/brand.ts';

/**
 * A point in time down to the nanosecond.
 * `canonical` is `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, UTC, no trailing zeros in the fraction: equal
 * instants have equal canonical texts, different ones differ. `epochMs` is cut to the millisecond.
 */
export type Instant = { readonly canonical: string; readonly epochMs: EpochMs };

export type InstantFault =
  | 'NOT_A_STRING'
  | 'NOT_RFC3339'
  | 'NO_OFFSET'
  | 'IMPOSSIBLE_DATE'
  | 'IMPOSSIBLE_TIME'
  | 'IMPOSSIBLE_OFFSET'
  | 'FINER_THAN_NANOSECONDS'
  | 'OUT_OF_RANGE';

export type ParsedInstant =
  | { readonly ok: true; readonly instant: Instant }
  | { readonly ok: false; readonly fault: InstantFault };

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})?$/;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * Reads an RFC 3339 date-time (RFC 3339 section 5.6). The offset is required: a wall time without
 * one names many instants. Leap seconds are refused, since no two systems agree on them.
 */
export function parseInstant(value: unknown): ParsedInstant {
  if (typeof value !== 'string') return fault('NOT_A_STRING');
  const match = RFC3339.exec(value);
  if (match === null) return fault('NOT_RFC3339');
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fraction = (match[7] ?? '').replace(/0+$/, '');
  const offset = match[8];
  if (offset === undefined) return fault('NO_OFFSET');
  if (day < 1 || day > daysIn(year, month)) return fault('IMPOSSIBLE_DATE');
  if (hour > 23 || minute > 59 || second > 59) return fault('IMPOSSIBLE_TIME');
  if (fraction.length > 9) return fault('FINER_THAN_NANOSECONDS');
  const offsetMinutes = minutesOf(offset);
  if (offsetMinutes === undefined) return fault('IMPOSSIBLE_OFFSET');
  const wholeSecond = utc(year, month, day, hour, minute, second) - offsetMinutes * 60_000;
  const text = new Date(wholeSecond).toISOString();
  if (!/^\d{4}-/.test(text)) return fault('OUT_OF_RANGE');
  return {
    ok: true,
    instant: {
      canonical: `${text.slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`,
      epochMs: wholeSecond + Number(fraction.slice(0, 3).padEnd(3, '0')),
    },
  };
}

/** The instant of an epoch-millisecond figure; for configuration and tests. */
export function instantOf(epochMs: EpochMs): Instant {
  const parsed = parseInstant(new Date(epochMs).toISOString());
  if (!parsed.ok) throw new RangeError(`epoch milliseconds out of range: ${epochMs}`);
  return parsed.instant;
}

function fault(code: InstantFault): ParsedInstant {
  return { ok: false, fault: code };
}

/** Days of the month, 0 for a month that does not exist, so that no day fits it. */
function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (DAYS_IN_MONTH[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Date.UTC reads the years 0 to 99 as 1900 to 1999; this does not. */
function utc(y: number, mo: number, d: number, h: number, mi: number, s: number): EpochMs {
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  date.setUTCHours(h, mi, s);
  return date.getTime();
}

function minutesOf(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
