import type { EpochMs } from '#core/brand.ts';

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `3 h 5 min`: two units at most, cut, never rounded up. */
export function spanWords(seconds: number): string {
  let left = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [size, name] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** UTC to the second: people compare it with log lines. */
export function instantWords(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** The instant and how far it is from `now`. */
export function whenWords(at: EpochMs, now: EpochMs): string {
  const seconds = (at - now) / 1000;
  const distance = seconds > 0 ? `in ${spanWords(seconds)}` : `${spanWords(-seconds)} ago`;
  return `${instantWords(at)} (${distance})`;
}
