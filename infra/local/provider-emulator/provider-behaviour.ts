import * as z from 'zod';
import { retryAfterSchema } from '../retry-after-form.ts';

const clientError = z.number().int().min(400).max(499);
const serverError = z.number().int().min(500).max(599);

/** What a provider does with one call. Without a behaviour it accepts by its class. */
export const providerBehaviourSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('accept') }),
  /** Not accepted, come again: 429 (default) or 503. */
  z.strictObject({
    kind: z.literal('defer'),
    status: z.number().int().min(400).max(599).optional(),
    retryAfter: retryAfterSchema.optional(),
  }),
  /** Refused for good: 422 (default), 400, 404, 410, … */
  z.strictObject({
    kind: z.literal('reject'),
    status: clientError.optional(),
    code: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('auth-failure'),
    status: z.union([z.literal(401), z.literal(403)]).optional(),
  }),
  /** No answer ever; `accepted` says whether the message went out all the same. */
  z.strictObject({ kind: z.literal('hang'), accepted: z.boolean() }),
  z.strictObject({ kind: z.literal('reset'), accepted: z.boolean() }),
  /** Accepted, and the answer breaks off in the middle. */
  z.strictObject({ kind: z.literal('cut') }),
  /** 2xx that proves nothing; `accepted: false` plays the provider that threw the message away. */
  z.strictObject({ kind: z.literal('no-receipt'), accepted: z.boolean().optional() }),
  /** 5xx (500) with a body that is not JSON, after or before acceptance. */
  z.strictObject({
    kind: z.literal('server-error'),
    status: serverError.optional(),
    accepted: z.boolean(),
  }),
  /** Accepted `commitMs` after arrival (emulator's clock) even when the caller is gone; answered then. */
  z.strictObject({ kind: z.literal('slow-commit'), commitMs: z.number().nonnegative() }),
  /** Accepted at once, answered later (wall time). */
  z.strictObject({ kind: z.literal('slow-answer'), latencyMs: z.number().nonnegative() }),
  /** 409 as for the same key with another body. */
  z.strictObject({ kind: z.literal('conflict') }),
  /** 409 as for a key whose first request is still worked on. */
  z.strictObject({ kind: z.literal('in-progress') }),
  /** Breaks the promise of its class: a second message and receipt for a known key. */
  z.strictObject({ kind: z.literal('extra-receipt') }),
]);
export type ProviderBehaviour = z.infer<typeof providerBehaviourSchema>;
