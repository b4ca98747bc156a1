import * as z from 'zod/mini';
import { figure } from '#config/faults.ts';

/** Bounds on single calls, of every function that sends or brings back. */
export const callBounds = {
  /** Bound on one ledger call, the SDK's own retries included. */
  ledgerCallMs: z._default(figure('milliseconds', 100, 30_000), 5000),
  /** Bound on one queue call, the transport's own retries included. */
  queueCallMs: z._default(figure('milliseconds', 100, 60_000), 10_000),
};
