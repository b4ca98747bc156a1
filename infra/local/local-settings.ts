import type { ChannelsConfig } from '#config/channels.ts';
import type { ConsumerEnv, RedriveEnv, StatsEnv } from '#config/environment.ts';
import type { BlindPolicy, ProviderClass } from '#core/send-result.ts';

/** The channels of the local stage; all of them reach the provider emulator. */
export const LOCAL_CHANNELS = ['push', 'email', 'sms', 'webhook'] as const;
export const LOCAL_DEFAULT_CHANNEL = 'push';
export const LOCAL_TABLE = 'remind-once-local';
export const LOCAL_QUEUE = 'reminders';

const DAY = 86_400;
/** Queue retention 30 d, delay 7 d, and one to spare: what the TTL must exceed beside use-by. */
const HORIZON_DAYS = 38;

export type LocalSettings = {
  readonly infraiUrl: string;
  readonly infraiApiKey: string;
  readonly queueName: string;
  readonly providerUrl: string;
  readonly providerClass: ProviderClass;
  readonly blindPolicy: BlindPolicy;
  readonly seed: number;
  readonly useBySeconds: number;
  readonly concurrency: number;
  /** Endpoint, region and credentials of the embedded DynamoDB. */
  readonly dynamoEnvironment: Readonly<Record<string, string>>;
};

/** The environments of all three functions in one: none of them minds the others' variables. */
export type LocalEnvironment = ConsumerEnv &
  RedriveEnv &
  StatsEnv &
  Readonly<Record<string, string>>;

/**
 * What the handlers find in their environment on the local stage: the deployed settings with
 * seconds where a day of production has minutes and hours, so that a minute shows it all.
 */
export function localEnvironment(settings: LocalSettings): LocalEnvironment {
  return {
    STAGE: 'local',
    PIPELINE: 'remind-once',
    QUEUE_NAME: settings.queueName,
    INFRAI_BASE_URL: settings.infraiUrl,
    INFRAI_API_KEY_SECRET: 'env:INFRAI_API_KEY',
    INFRAI_API_KEY: settings.infraiApiKey,
    INFRAI_DIALECT: '',
    LEDGER_TABLE: LOCAL_TABLE,
    KEY_EPOCHS: JSON.stringify([
      { id: 'local', secretRef: 'env:SEND_KEY_SECRET', keyFields: ['order_id'] },
    ]),
    SEND_KEY_SECRET: `local-stage-only-${settings.seed}`,
    PROVIDER_TOKEN: 'local-provider-token',
    CHANNELS: JSON.stringify(localChannels(settings)),
    DEFAULT_CHANNEL: LOCAL_DEFAULT_CHANNEL,
    DELIVERY: JSON.stringify({
      useBySeconds: settings.useBySeconds,
      ttlDays: HORIZON_DAYS + Math.ceil(settings.useBySeconds / DAY) + 1,
      ladderSeconds: [1, 2, 3, 4, 4, 4, 4],
      leaseSeconds: 4,
      skewSeconds: 0.5,
      settleSeconds: 1,
      holdJitterSeconds: 0.5,
      channelStoppedSeconds: 3,
    }),
    DRAIN: JSON.stringify({
      concurrency: settings.concurrency,
      runBudgetSeconds: 25,
      visibilityTimeoutSeconds: 5,
      ledgerCallMs: 2500,
      recordBudgetMs: 4000,
      queueCallMs: 2500,
    }),
    REDRIVE: JSON.stringify({
      ratePerSecond: 50,
      canarySize: 2,
      canaryWaitSeconds: 10,
      runBudgetSeconds: 45,
      runLeaseSeconds: 65,
      deadLetterLeaseSeconds: 5,
      ledgerCallMs: 2500,
      queueCallMs: 2500,
    }),
    STATS: JSON.stringify({
      staleSeconds: 60,
      deadLetterQuietSeconds: 60,
      consumerSilentSeconds: 60,
    }),
    ...settings.dynamoEnvironment,
  };
}

function localChannels({ providerUrl, providerClass, blindPolicy }: LocalSettings) {
  const channels = LOCAL_CHANNELS.map((name) => [
    name,
    {
      provider: 'http',
      url: `${providerUrl}/send/${name}`,
      class: providerClass,
      ...(providerClass === 'dedupes' && { windowSeconds: DAY }),
      ...(providerClass === 'queryable' && {
        queryUrl: `${providerUrl}/messages/${name}?key={key}`,
        queryReceiptPath: 'items.0.id',
      }),
      blindPolicy,
      secretRef: 'env:PROVIDER_TOKEN',
      sendTimeoutMs: 1500,
      commitSeconds: 0.5,
    },
  ]);
  return Object.fromEntries(channels) as Partial<ChannelsConfig>;
}
