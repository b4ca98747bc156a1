import * as z from 'zod/mini';
import { callBounds } from '#config/call-bounds.ts';
import { count, figure } from '#config/faults.ts';

/** How the consumer drains the queue; every figure has a default. */
export const drainSchema = z.strictObject({
  /** Sends under way at once, at most; lowered by itself while a provider is overloaded. */
  concurrency: z._default(count('sends at once', 1, 512), 32),
  /** Messages a pull asks for; nobody has been seen to get more than 10. */
  batchSize: z._default(count('messages', 1, 10), 10),
  /**
   * The run starts nothing that cannot end before this. Below the function timeout (< 900 s). By
   * default it pulls for some 250 s, so that with a tick a minute five runs share a backlog.
   */
  runBudgetSeconds: z._default(figure('seconds', 5, 840), 330),
  /** How long the queue hides a pulled message. Above the lease. */
  visibilityTimeoutSeconds: z._default(count('seconds', 1, 43_200), 60),
  /** Bound on recording an outcome: the retries that keep an accepted send from being forgotten. */
  recordBudgetMs: z._default(figure('milliseconds', 100, 60_000), 15_000),
  ...callBounds,
});
export type DrainConfig = z.output<typeof drainSchema>;

/** Switchable forms of the queue's API, where public clients disagree. */
export const dialectSchema = z.strictObject({
  ackField: z._default(z.enum(['message_id', 'receipt_handle']), 'message_id'),
  payloadField: z._default(z.enum(['payload', 'body']), 'payload'),
});
export type InfraiDialect = z.output<typeof dialectSchema>;
