import * as z from 'zod/mini';
import { type Instant, type InstantFault, parseInstant } from '#core/instant.ts';

const decimal = z.pipe(z.int(), z.transform(String));

/**
 * An id as a payload or a request may spell it, in normal form C: a string, or a safe integer, which
 * counts as its decimal string (one rule, so that 4471 and "4471" are one user). An unsafe integer
 * may already be a neighbour's: refused with `error`. What a text must be is the caller's to add.
 */
export function idText(error: string) {
  return z.union([z.string(), decimal], { error }).check(z.normalize('NFC'));
}

/** An RFC 3339 instant with offset. @param messageOf words for what is wrong with it */
export function instantText(messageOf: (fault: InstantFault) => string) {
  return z.pipe(
    z.unknown(),
    z.transform((value, context): Instant => {
      const parsed = parseInstant(value);
      if (parsed.ok) return parsed.instant;
      context.issues.push({ code: 'custom', input: value, message: messageOf(parsed.fault) });
      return z.NEVER;
    }),
  );
}
