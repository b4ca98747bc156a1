import type { EpochMs } from '#core/brand.ts';

const WHOLE_SECONDS = /^\d+$/;
/** `Sun, 06 Nov 1994 08:49:37 GMT` */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** `Sunday, 06-Nov-94 08:49:37 GMT` */
const RFC_850 =
  /^(Sun|Mon|Tue|Wed|Thu|Fri|Sat)(?:day|sday|nesday|rsday|urday), (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}:\d{2}:\d{2}) GMT$/;
/** `Sun Nov  6 08:49:37 1994` */
const ASCTIME = /^([A-Z][a-z]{2}) ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2}) (\d{4})$/;

/**
 * Reads a `Retry-After` header (RFC 9110 section 10.2.3): whole seconds, or an HTTP date.
 *
 * Anything else counts as absent: a loose date parser reads "1.5" and "-3" as years. A date is
 * taken relative to the answer's own `Date`, so that a server whose clock is wrong still means the
 * wait that it meant. A date in the past gives 0; the caller applies its own minimum and its cap.
 *
 * @param header the header's value as received
 * @param dateHeader the same answer's `Date`; when absent or unreadable, `now` stands in
 * @returns whole seconds ≥ 0, or undefined when the header is absent or says nothing
 */
export function retryAfterSeconds(
  header: string | undefined,
  dateHeader: string | undefined,
  now: EpochMs,
): number | undefined {
  if (header === undefined) return undefined;
  if (WHOLE_SECONDS.test(header)) return Math.min(Number(header), Number.MAX_SAFE_INTEGER);
  const until = parseHttpDate(header, now);
  if (until === undefined) return undefined;
  const from = (dateHeader === undefined ? undefined : parseHttpDate(dateHeader, now)) ?? now;
  return Math.max(0, Math.ceil((until - from) / 1000));
}

/**
 * An HTTP date in any of its three forms (RFC 9110 section 5.6.7), or undefined.
 * @param now decides the century of the old form with a two-digit year
 */
export function parseHttpDate(text: string, now: EpochMs): EpochMs | undefined {
  const fixed = IMF_FIXDATE.test(text) ? text : (fromRfc850(text, now) ?? fromAsctime(text));
  if (fixed === undefined) return undefined;
  const epochMs = Date.parse(fixed);
  // Written back, an impossible day or a wrong weekday reads differently.
  return new Date(epochMs).toUTCString() === fixed ? epochMs : undefined;
}

/** A two-digit year more than fifty years ahead belongs to the past century. */
function fromRfc850(text: string, now: EpochMs): string | undefined {
  const match = RFC_850.exec(text);
  if (match === null) return undefined;
  const [, weekday, day, month, shortYear, time] = match;
  const thisYear = new Date(now).getUTCFullYear();
  const near = thisYear - (thisYear % 100) + Number(shortYear);
  const year = near > thisYear + 50 ? near - 100 : near;
  return `${weekday}, ${day} ${month} ${year} ${time} GMT`;
}

function fromAsctime(text: string): string | undefined {
  const match = ASCTIME.exec(text);
  if (match === null) return undefined;
  const [, weekday, month, day, time, year] = match;
  return `${weekday}, ${day?.replace(' ', '0')} ${month} ${year} ${time} GMT`;
}
