import * as z from 'zod/mini';

/**
 * How the operator's command line finds a local stage that runs in another process: the stage
 * writes this file, `--local` reads it. It holds the stage's throw-away secrets, nothing real.
 */
export const LOCAL_CONNECTION_FORMAT = 'remind-once-local/1';
export const LOCAL_CONNECTION_FILE = 'reports/local-stage.json';
/** Names another file than `LOCAL_CONNECTION_FILE`. */
export const LOCAL_CONNECTION_VARIABLE = 'REMIND_ONCE_LOCAL_STAGE';

export const localConnectionSchema = z.object({
  format: z.literal(LOCAL_CONNECTION_FORMAT),
  pid: z.int().check(z.positive()),
  /** Of the stage's own control server, `http://127.0.0.1:<port>`. */
  controlUrl: z.string(),
  /** Epoch milliseconds of the wall; tells one stage from the next. */
  startedAt: z.int(),
  /** The stage's clock is the wall clock plus this. */
  offsetMs: z.number(),
  /** What the three functions find in their environment. */
  env: z.record(z.string(), z.string()),
});
export type LocalConnection = z.output<typeof localConnectionSchema>;

/** What the stage answers to `GET /state`: its schedules, and what ran since it started. */
export const localStateSchema = z.object({
  startedAt: z.int(),
  now: z.number(),
  /** Whether each function is ticked. */
  schedules: z.record(z.string(), z.boolean()),
  invocations: z.record(z.string(), z.number()),
  /** Wall time of the invocations together, by function. */
  durationMs: z.record(z.string(), z.number()),
  /** The consumers' counts, added up. */
  figures: z.object({
    deliveries: z.number(),
    keysClaimed: z.number(),
    takeOvers: z.number(),
    receipts: z.number(),
    duplicatesAbsorbed: z.number(),
    published: z.number(),
    submissions: z.number(),
  }),
});
export type LocalState = z.output<typeof localStateSchema>;
