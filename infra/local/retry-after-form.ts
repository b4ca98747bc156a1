import * as z from 'zod';
import type { EpochMs } from '#core/brand.ts';

/** How an emulated 429 or 503 states its wait; absent: not at all. */
export const retryAfterSchema = z.union([
  z.strictObject({ seconds: z.number() }),
  /** An HTTP date this far after the answer's own `Date`. */
  z.strictObject({ dateInSeconds: z.number() }),
  /** Sent as it is, to play nonsense. */
  z.strictObject({ raw: z.string() }),
]);
export type RetryAfterForm = z.infer<typeof retryAfterSchema>;

/** The `Date` follows the emulator's clock, so that the two headers agree whatever the clock says. */
export function retryAfterHeaders(
  form: RetryAfterForm | undefined,
  now: EpochMs,
): Record<string, string> {
  if (form === undefined) return {};
  if ('seconds' in form) return { 'retry-after': String(form.seconds) };
  if ('raw' in form) return { 'retry-after': form.raw };
  const until = new Date(now + form.dateInSeconds * 1000);
  return { date: new Date(now).toUTCString(), 'retry-after': until.toUTCString() };
}
