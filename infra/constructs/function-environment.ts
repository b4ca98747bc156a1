import type { ConsumerEnv, RedriveEnv, SHARED_ENV, StatsEnv } from '#config/environment.ts';
import { DEFAULT_PIPELINE } from '#config/metrics.ts';
import { withReferences } from '#infra/constructs/secret-sources.ts';
import type { KeyEpochSettings, PipelineSettings } from '#infra/constructs/settings.ts';

type SharedEnv = Record<(typeof SHARED_ENV)[number], string>;

/** What settings leave open: names and ARNs that exist once the ledger does. */
export type LedgerReferences = {
  readonly table: string;
  readonly apiKeySecret: string;
  readonly keyEpochSecret: (epochId: string) => string;
  /** By the names of `channelSources`. */
  readonly channelSecret: (name: string) => string;
};

export type EnvironmentInput = {
  readonly settings: PipelineSettings;
  readonly keyEpochs: readonly KeyEpochSettings[];
  readonly references: LedgerReferences;
  /** `JSON.stringify`, or the stack's own where values are unresolved. */
  readonly toJson: (value: unknown) => string;
};

/** A reference for checks before there is anything to refer to. */
export const PLACEHOLDER_ARN =
  'arn:aws:secretsmanager:eu-central-1:111111111111:secret:placeholder';

/** Lambda's limit on all names and values of a function together, bytes. */
export const ENVIRONMENT_LIMIT_BYTES = 4096;

export function consumerEnvironment(input: EnvironmentInput): ConsumerEnv {
  return { ...sharedEnvironment(input), DRAIN: input.toJson(input.settings.drain ?? {}) };
}

export function redriveEnvironment(input: EnvironmentInput): RedriveEnv {
  return { ...sharedEnvironment(input), REDRIVE: input.toJson(input.settings.redrive ?? {}) };
}

export function statsEnvironment(input: EnvironmentInput): StatsEnv {
  return { ...sharedEnvironment(input), STATS: input.toJson(input.settings.stats ?? {}) };
}

function sharedEnvironment({
  settings,
  keyEpochs,
  references,
  toJson,
}: EnvironmentInput): SharedEnv {
  return {
    STAGE: settings.stage,
    PIPELINE: settings.pipeline ?? DEFAULT_PIPELINE,
    QUEUE_NAME: settings.queueName,
    INFRAI_BASE_URL: settings.infraiBaseUrl ?? 'https://api.infrai.cc',
    INFRAI_API_KEY_SECRET: references.apiKeySecret,
    INFRAI_DIALECT: toJson(settings.dialect ?? {}),
    LEDGER_TABLE: references.table,
    KEY_EPOCHS: toJson(
      keyEpochs.map((epoch) => ({ ...epoch, secretRef: references.keyEpochSecret(epoch.id) })),
    ),
    CHANNELS: toJson(
      Object.fromEntries(
        Object.entries(settings.channels).map(([name, channel]) => [
          name,
          withReferences(name, channel, references.channelSecret),
        ]),
      ),
    ),
    DEFAULT_CHANNEL: settings.defaultChannel ?? '',
    DELIVERY: toJson(settings.delivery ?? {}),
  };
}
