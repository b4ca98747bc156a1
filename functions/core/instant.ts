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

/** Length of the Gregorian calendar's cycle of leap years: 146,097 days. */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * 86_400_000;
/** The years that four digits can name, 0000 to 9999. */
const FIRST_SECOND = utc(0, 1, 1, 0, 0, 0);
const LAST_SECOND = utc(9999, 12, 31, 23, 59, 59);

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * Reads an RFC 3339 date-time (RFC 3339 section 5.6). The offset is required: a wall time without
 * one names many instants. Leap seconds are refused, since no two systems agree on them.
 */
export function parseInstant(value: unknown): ParsedInstant {
  if (typeof value !== 'string') return fault('NOT_A_STRING');
  const match = RFC3339.exec(value);
  if (match === null) return fault('NOT_RFC3339');
  const part = (place: number) => Number(match[place]);
  const [year, month, day] = [part(1), part(2), part(3)] as const;
  const [hour, minute, second] = [part(4), part(5), part(6)] as const;
  const fraction = (match[7] ?? '').replace(/0+$/, '');
  const offset = match[8];
  if (offset === undefined) return fault('NO_OFFSET');
  if (day < 1 || day > daysIn(year, month)) return fault('IMPOSSIBLE_DATE');
  if (hour > 23 || minute > 59 || second > 59) return fault('IMPOSSIBLE_TIME');
  if (fraction.length > 9) return fault('FINER_THAN_NANOSECONDS');
  const offsetMinutes = minutesOf(offset);
  if (offsetMinutes === undefined) return fault('IMPOSSIBLE_OFFSET');
  const wholeSecond = utc(year, month, day, hour, minute, second) - offsetMinutes * 60_000;
  if (wholeSecond < FIRST_SECOND || wholeSecond > LAST_SECOND) return fault('OUT_OF_RANGE');
  const text = offsetMinutes === 0 ? value : new Date(wholeSecond).toISOString();
  const canonical = `${text.slice(0, 10)}T${text.slice(11, 19)}`;
  if (fraction === '') return instant(`${canonical}Z`, wholeSecond);
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return instant(`${canonical}.${fraction}Z`, wholeSecond + ms);
}

/** The instant of an epoch-millisecond figure; for configuration and tests. */
export function instantOf(epochMs: EpochMs): Instant {
  const parsed = parseInstant(new Date(epochMs).toISOString());
  if (!parsed.ok) throw new RangeError(`epoch milliseconds out of range: ${epochMs}`);
  return parsed.instant;
}

function instant(canonical: string, epochMs: EpochMs): ParsedInstant {
  return { ok: true, instant: { canonical, epochMs } };
}

function fault(code: InstantFault): ParsedInstant {
  return { ok: false, fault: code };
}

/** Days of the month, 0 for a month that does not exist, so that no day fits it. */
function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (DAYS_IN_MONTH[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Date.UTC reads the years 0 to 99 as 1900 to 1999, so it is asked one cycle of the calendar later. */
function utc(y: number, mo: number, d: number, h: number, mi: number, s: number): EpochMs {
  return Date.UTC(y + CYCLE_YEARS, mo - 1, d, h, mi, s) - CYCLE_MS;
}

function minutesOf(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
