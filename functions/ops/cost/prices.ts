/**
 * US dollars. Infrai's own price list (July 2026) and AWS's public prices for us-east-1; other
 * regions cost up to a third more. Change them here when a list changes.
 */
export const PRICES = {
  publish: 0.00002,
  /** DynamoDB on demand, a write or read request unit (1 KB written, 4 KB read consistently). */
  writeUnit: 0.625 / 1_000_000,
  readUnit: 0.125 / 1_000_000,
  /** Lambda on ARM: a gigabyte-second, and an invocation. */
  gigabyteSecond: 0.0000133334,
  invocation: 0.2 / 1_000_000,
} as const;

export function dollars(amount: number): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 6 : 2;
  return `$${amount.toFixed(digits)}`;
}
