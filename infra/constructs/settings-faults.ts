import { loadConsumerConfig } from '#config/consumer-config.ts';
import { loadRedriveConfig } from '#config/redrive-config.ts';
import { loadStatsConfig } from '#config/stats-config.ts';
import { ConfigError, type ConfigFault } from '#core/errors.ts';
import {
  consumerEnvironment,
  type LedgerReferences,
  redriveEnvironment,
  statsEnvironment,
} from '#infra/constructs/function-environment.ts';
import { ownFaults } from '#infra/constructs/own-faults.ts';
import type { KeyEpochSettings, PipelineSettings } from '#infra/constructs/settings.ts';
import { timeoutFaults } from '#infra/constructs/timeouts.ts';

/** Throws ConfigError with every fault of the settings at once. */
export function checkSettings(
  settings: PipelineSettings,
  keyEpochs: readonly KeyEpochSettings[],
): void {
  const faults = settingsFaults(settings, keyEpochs);
  if (faults.length > 0) throw new ConfigError(faults);
}

/**
 * What is wrong with settings, before anything is made of them. The functions' own loaders judge
 * what the functions will read, so that infra and functions cannot disagree; infra's own limits
 * (timeouts, schedules, sizes) come on top.
 */
export function settingsFaults(
  settings: PipelineSettings,
  keyEpochs: readonly KeyEpochSettings[],
): readonly ConfigFault[] {
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
  const input = { settings, keyEpochs, references: placeholders(settings), toJson };
  const faults = [
    ...faultsOf(() => loadConsumerConfig(consumerEnvironment(input))),
    ...faultsOf(() => loadRedriveConfig(redriveEnvironment(input))),
    ...faultsOf(() => loadStatsConfig(statsEnvironment(input))),
  ];
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
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

const PLACEHOLDER_ARN = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:placeholder';

/** Stands for what only the ledger's deployment knows. */
function placeholders(settings: PipelineSettings): LedgerReferences {
  return {
    table: 'placeholder',
    apiKeySecret: PLACEHOLDER_ARN,
    keyEpochSecret: () => PLACEHOLDER_ARN,
    channelSecret: (name) =>
      settings.channels[name]?.secret === undefined ? undefined : PLACEHOLDER_ARN,
  };
}

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
