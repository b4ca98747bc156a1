/**
 * Environment variables of the functions, by function. Infra types what it passes with these
 * lists, so that a missing or misspelt name does not compile. No variable holds a secret: names
 * that end in SECRET hold a reference (`env:NAME` or a Secrets Manager ARN).
 */
export const SHARED_ENV = [
  'STAGE',
  'PIPELINE',
  'QUEUE_NAME',
  'INFRAI_BASE_URL',
  'INFRAI_API_KEY_SECRET',
  'INFRAI_DIALECT',
  'LEDGER_TABLE',
  'KEY_EPOCHS',
  'CHANNELS',
  'DEFAULT_CHANNEL',
  'DELIVERY',
] as const;
export const CONSUMER_ENV = [...SHARED_ENV, 'DRAIN'] as const;
export const REDRIVE_ENV = [...SHARED_ENV, 'REDRIVE'] as const;
export const STATS_ENV = [...SHARED_ENV, 'STATS'] as const;

export type ConsumerEnv = Record<(typeof CONSUMER_ENV)[number], string>;
export type RedriveEnv = Record<(typeof REDRIVE_ENV)[number], string>;
export type StatsEnv = Record<(typeof STATS_ENV)[number], string>;

/** What a handler reads: any environment, every value possibly absent. */
export type Environment = Readonly<Record<string, string | undefined>>;
