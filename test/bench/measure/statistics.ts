/** Middle and ends of a few samples. */
export type Spread = { readonly median: number; readonly min: number; readonly max: number };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Ratios of samples taken side by side, round by round: what the machine does to both at once
 * cancels out, what it does to one of them shows in the spread.
 */
export function pairedRatio(over: readonly number[], under: readonly number[]): Spread {
  const pairs = Math.min(over.length, under.length);
  return spreadOf(Array.from({ length: pairs }, (_, i) => (over[i] ?? 0) / (under[i] ?? 0)));
}
