import { ConfigError } from '#core/errors.ts';
import type { ReminderLedgerProps } from '#infra/constructs/reminder-ledger.ts';
import type { PipelineSettings } from '#infra/constructs/settings.ts';

/** One installation: its pipeline, its ledger, and where it lives. */
export type StageSettings = PipelineSettings &
  Pick<ReminderLedgerProps, 'keyEpochs' | 'apiKeySecret' | 'adoptTable'> & {
    /** Throw-away stages only: nothing is retained, protected or backed up. */
    readonly disposableLedger?: boolean;
    /** Adds the channel `sink`: a provider of our own that only answers, for a first try. */
    readonly testSink?: boolean;
    /** Default: where the credentials of the deployment point. */
    readonly account?: string;
    readonly region?: string;
  };

/** The settings of every stage. `-c stage=<name>` selects one; nothing else is read from context. */
export const STAGES: Readonly<Record<string, Omit<StageSettings, 'stage'>>> = {
  dev: {
    queueName: 'reminders-dev',
    channels: {
      push: {
        provider: 'http',
        url: 'https://push.example.com/v1/send',
        class: 'dedupes',
        windowSeconds: 86_400,
        secretRef: 'create',
      },
    },
    defaultChannel: 'push',
    testSink: true,
    consumerConcurrency: 2,
    logRetentionDays: 7,
  },
  prod: {
    queueName: 'reminders',
    channels: {
      push: {
        provider: 'http',
        url: 'https://push.example.com/v1/send',
        class: 'dedupes',
        windowSeconds: 86_400,
        secretRef: 'create',
      },
    },
    defaultChannel: 'push',
    logRetentionDays: 90,
  },
};

/** The settings of a stage by name. Throws ConfigError for a name that has none. */
export function stageSettings(name: unknown, stages = STAGES): StageSettings {
  const settings = typeof name === 'string' && Object.hasOwn(stages, name) && stages[name];
  if (settings) return { ...settings, stage: String(name) };
  throw new ConfigError([
    {
      setting: 'stage',
      problem: `is ${JSON.stringify(name) ?? 'missing'}; allowed: ${Object.keys(stages).join(', ')}; pass -c stage=<name>, or add the stage to infra/stages.ts`,
    },
  ]);
}
