import * as z from 'zod';
import { count, figure } from '#config/faults.ts';

/** How the consumer drains the queue; every figure has a default. */
export const drainSchema = z.strictObject({
  /** Sends under way at once, at most; lowered by itself while a provider is overloaded. */
  concurrency: count('sends at once', 1, 512).default(32),
  /** Messages a pull asks for; nobody has been seen to get more than 10. */
  batchSize: count('messages', 1, 10).default(10),
  /** The run starts nothing that cannot end before this. Below the function timeout (< 900 s). */
  runBudgetSeconds: figure('seconds', 5, 840).default(240),
  /** How long the queue hides a pulled message. Above the lease. */
  visibilityTimeoutSeconds: count('seconds', 1, 43_200).default(60),
  /** Bound on one ledger call, the SDK's own retries included. */
  ledgerCallMs: figure('milliseconds', 100, 30_000).default(5000),
  /** Bound on recording an outcome: the retries that keep an accepted send from being forgotten. */
  recordBudgetMs: figure('milliseconds', 100, 60_000).default(15_000),
  /** Bound on one queue call, the transport's own retries included. */
  queueCallMs: figure('milliseconds', 100, 60_000).default(10_000),
});
export type DrainConfig = z.output<typeof drainSchema>;

/** Switchable forms of the queue's API, where public clients disagree. */
export const dialectSchema = z.strictObject({
  ackField: z.enum(['message_id', 'receipt_handle']).default('message_id'),
  payloadField: z.enum(['payload', 'body']).default('payload'),
});
export type InfraiDialect = z.output<typeof dialectSchema>;
