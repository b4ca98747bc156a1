import { loadConsumerConfig } from '#config/consumer-config.ts';
import { deliverySchema } from '#config/delivery-config.ts';
import { drainSchema } from '#config/drain-config.ts';
import { nestedTimeFaults, runBudgetFaults } from '#config/nested-times.ts';
import { loadRedriveConfig } from '#config/redrive-config.ts';
import { loadStatsConfig } from '#config/stats-config.ts';
import { ConfigError, type ConfigFault } from '#core/errors.ts';
import {
  consumerEnvironment,
  type LedgerReferences,
  PLACEHOLDER_ARN,
  redriveEnvironment,
  statsEnvironment,
} from '#infra/constructs/function-environment.ts';
import { ownFaults } from '#infra/constructs/own-faults.ts';
import { channelSources } from '#infra/constructs/secret-sources.ts';
import type { KeyEpochSettings, PipelineSettings } from '#infra/constructs/settings.ts';
import { parsedChannels, timeoutFaults } from '#infra/constructs/timeouts.ts';
import { withoutTokens } from '#infra/constructs/unresolved.ts';

/** Throws ConfigError with every fault of the settings at once, given the ledger that they use. */
export function checkSettings(settings: PipelineSettings, ledger: KnownSecrets): void {
  const faults = [...settingsFaults(settings, ledger.keyEpochs), ...ledgerGaps(settings, ledger)];
  if (faults.length > 0) throw new ConfigError(faults);
}

type KnownSecrets = {
  readonly keyEpochs: readonly KeyEpochSettings[];
  readonly channelSecrets: ReadonlyMap<string, unknown>;
};

function ledgerGaps(settings: PipelineSettings, ledger: KnownSecrets): readonly ConfigFault[] {
  return Object.entries(settings.channels)
    .flatMap(([channel, channelSettings]) => channelSources(channel, channelSettings))
    .filter(({ name }) => !ledger.channelSecrets.has(name))
    .map(({ name }) => ({
      setting: `channels.${name}.secretRef`,
      problem: 'is unknown to the ledger; give the same channels to ledger and pipeline',
    }));
}

/**
 * What is wrong with settings, before anything is made of them. The functions' own loaders judge
 * what the functions will read, so that infra and functions cannot disagree; infra's own limits
 * (timeouts, schedules, sizes) come on top.
 */
export function settingsFaults(
  given: PipelineSettings,
  keyEpochs: readonly KeyEpochSettings[],
): readonly ConfigFault[] {
  const settings = withoutTokens(given);
  return [
    ...runtimeFaults(settings, keyEpochs),
    ...timeoutFaults(settings),
    ...ownFaults(settings),
  ];
}

/** Each function's own loader, over what it would be given; shared settings are judged thrice. */
function runtimeFaults(
  settings: PipelineSettings,
  keyEpochs: readonly KeyEpochSettings[],
): readonly ConfigFault[] {
  const input = { settings, keyEpochs, references: PLACEHOLDERS, toJson };
  const faults = [
    ...faultsOf(() => loadConsumerConfig(consumerEnvironment(input))),
    ...faultsOf(() => loadRedriveConfig(redriveEnvironment(input))),
    ...faultsOf(() => loadStatsConfig(statsEnvironment(input))),
    ...timeFaults(settings),
  ];
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

/**
 * The loaders compare times only once everything else is right; here all faults are named at once.
 */
function timeFaults(settings: PipelineSettings): readonly ConfigFault[] {
  const channels = parsedChannels(settings);
  const delivery = deliverySchema.safeParse(settings.delivery ?? {}).data;
  const drain = drainSchema.safeParse(settings.drain ?? {}).data;
  if (channels === undefined || delivery === undefined || drain === undefined) return [];
  return [
    ...nestedTimeFaults(channels, delivery, drain.visibilityTimeoutSeconds),
    ...runBudgetFaults(channels, drain),
  ].map(({ setting, problem }) => ({ setting: settingName(setting), problem }));
}

function faultsOf(load: () => unknown): readonly ConfigFault[] {
  try {
    load();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ setting, problem }) => ({ setting: settingName(setting), problem }));
  }
}

/** Stands for what only the ledger's deployment knows. */
const PLACEHOLDERS: LedgerReferences = {
  table: 'placeholder',
  apiKeySecret: PLACEHOLDER_ARN,
  keyEpochSecret: () => PLACEHOLDER_ARN,
  channelSecret: () => PLACEHOLDER_ARN,
};

function toJson(value: unknown): string {
  return JSON.stringify(value);
}

/** Whoever reads the fault knows settings, not the variables that they become. */
const SETTING_NAMES: Readonly<Record<string, string>> = {
  STAGE: 'stage',
  PIPELINE: 'pipeline',
  QUEUE_NAME: 'queueName',
  INFRAI_BASE_URL: 'infraiBaseUrl',
  INFRAI_DIALECT: 'dialect',
  KEY_EPOCHS: 'keyEpochs',
  CHANNELS: 'channels',
  DEFAULT_CHANNEL: 'defaultChannel',
  DELIVERY: 'delivery',
  DRAIN: 'drain',
  REDRIVE: 'redrive',
  STATS: 'stats',
};

function settingName(variable: string): string {
  const [first = '', ...path] = variable.split('.');
  return [SETTING_NAMES[first] ?? first, ...path].join('.');
}
