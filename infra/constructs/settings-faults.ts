import { channelsSchema } from '#config/channels.ts';
import { loadConsumerConfig } from '#config/consumer-config.ts';
import { drainSchema } from '#config/drain-config.ts';
import { CRON_LIMIT_SECONDS, worstDeliveryMs } from '#config/nested-times.ts';
import { loadStatsConfig } from '#config/stats-config.ts';
import { ConfigError, type ConfigFault } from '#core/errors.ts';
import { CONSUMER_MARGIN_SECONDS, DEFAULTS } from '#infra/constructs/defaults.ts';
import {
  consumerEnvironment,
  type LedgerReferences,
  statsEnvironment,
} from '#infra/constructs/function-environment.ts';
import { ownFaults } from '#infra/constructs/own-faults.ts';
import type { KeyEpochSettings, PipelineSettings } from '#infra/constructs/settings.ts';

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

/** The consumer's timeout: its run budget and the longest delivery that it may have begun. */
export function consumerTimeoutSeconds(settings: PipelineSettings): number {
  return settings.functions?.consumer?.timeoutSeconds ?? leastConsumerTimeout(settings) ?? 0;
}

/** Undefined while channels or drain are invalid: those faults are reported by themselves. */
function leastConsumerTimeout(settings: PipelineSettings): number | undefined {
  const drain = drainSchema.safeParse(settings.drain ?? {});
  const input = { settings, keyEpochs: [], references: placeholders(settings), toJson };
  const channels = channelsSchema.safeParse(JSON.parse(consumerEnvironment(input).CHANNELS));
  if (!drain.success || !channels.success) return undefined;
  const worstSeconds = Math.ceil(worstDeliveryMs(channels.data, drain.data) / 1000);
  return drain.data.runBudgetSeconds + worstSeconds + CONSUMER_MARGIN_SECONDS;
}

function timeoutFaults(settings: PipelineSettings): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  const least = leastConsumerTimeout(settings);
  const chosen = settings.functions?.consumer?.timeoutSeconds ?? least;
  if (chosen !== undefined && chosen >= CRON_LIMIT_SECONDS) {
    faults.push({
      setting: 'functions.consumer.timeoutSeconds',
      problem: `is ${chosen}; it must be below ${CRON_LIMIT_SECONDS}; lower drain.runBudgetSeconds or the channels' sendTimeoutMs`,
    });
  }
  if (chosen !== undefined && least !== undefined && chosen < least) {
    faults.push({
      setting: 'functions.consumer.timeoutSeconds',
      problem: `is ${chosen}; it must be at least ${least} (run budget, worst delivery and ${CONSUMER_MARGIN_SECONDS} s), or a run is cut off in the middle of a send`,
    });
  }
  for (const role of ['redrive', 'stats'] as const) {
    const seconds = settings.functions?.[role]?.timeoutSeconds ?? DEFAULTS.timeoutSeconds[role];
    if (!Number.isInteger(seconds) || seconds < 10 || seconds >= CRON_LIMIT_SECONDS) {
      faults.push({
        setting: `functions.${role}.timeoutSeconds`,
        problem: `is ${seconds}; allowed: a whole number from 10 to ${CRON_LIMIT_SECONDS - 1}`,
      });
    }
  }
  return faults;
}

/** Each function's own loader, over what it would be given; shared settings are judged thrice. */
function runtimeFaults(
  settings: PipelineSettings,
  keyEpochs: readonly KeyEpochSettings[],
): readonly ConfigFault[] {
  const input = { settings, keyEpochs, references: placeholders(settings), toJson };
  const faults = [
    ...faultsOf(() => loadConsumerConfig(consumerEnvironment(input))),
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
