import * as z from 'zod';
import { retryAfterSchema } from '../retry-after-form.ts';

export const QUEUE_ROUTES = [
  'queue.create',
  'queue.get',
  'queue.list',
  'queue.delete',
  'queue.update',
  'queue.publish',
  'queue.publish_batch',
  'queue.consume',
  'queue.ack',
  'queue.nack',
  'queue.stats',
  'queue.dlq.list',
  'queue.dlq.redrive',
  'account.balance',
  'discovery.list',
  'discovery.get',
] as const;
export type QueueRoute = (typeof QUEUE_ROUTES)[number];

/** What may happen to one call instead of, or around, its ordinary answer. */
export const queueFaultSchema = z.discriminatedUnion('kind', [
  /** 429 with `Retry-After` as seconds, as an HTTP date, or absent. Nothing is applied. */
  z.strictObject({ kind: z.literal('rate-limited'), retryAfter: retryAfterSchema.optional() }),
  /** 402 INSUFFICIENT_CREDIT. Nothing is applied. */
  z.strictObject({ kind: z.literal('insufficient-credit') }),
  /** 5xx (503) with a body that is not JSON, nothing done unless `applied`. */
  z.strictObject({
    kind: z.literal('server-error'),
    status: z.number().int().min(500).max(599).optional(),
    applied: z.boolean().optional(),
  }),
  /** An envelope with `ok: false` under HTTP 200 and code INTERNAL when not given. Nothing is applied. */
  z.strictObject({
    kind: z.literal('not-ok'),
    status: z.number().int().min(200).max(599).optional(),
    code: z.string().optional(),
    retryable: z.boolean().optional(),
    /** The `error` is a plain string, as one client allows. */
    plainString: z.boolean().optional(),
  }),
  /** The connection is reset before or after the work was done. */
  z.strictObject({ kind: z.literal('dropped'), applied: z.boolean() }),
  /** Done, and the answer breaks off in the middle. */
  z.strictObject({ kind: z.literal('cut') }),
  /** Never answered; the connection stays open. */
  z.strictObject({ kind: z.literal('hang'), applied: z.boolean().optional() }),
  /** Done at once, answered `latencyMs` later (wall time). */
  z.strictObject({ kind: z.literal('slow'), latencyMs: z.number().nonnegative() }),
  /** ack: answered with success, and the message is delivered once more. */
  z.strictObject({ kind: z.literal('redeliver-acked') }),
  /** consume: the leases end this soon, so that two consumers hold the same message. */
  z.strictObject({ kind: z.literal('short-lease'), leaseMs: z.number().nonnegative() }),
]);
export type QueueFault = z.infer<typeof queueFaultSchema>;
