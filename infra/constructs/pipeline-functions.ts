import { Stack } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { unusedProviderSdks } from '#config/provider-sdks.ts';
import { DEFAULTS, everyMinutes, type FunctionRole, memoryMb } from '#infra/constructs/defaults.ts';
import {
  consumerEnvironment,
  type EnvironmentInput,
  redriveEnvironment,
  statsEnvironment,
} from '#infra/constructs/function-environment.ts';
import { FunctionSchedule } from '#infra/constructs/function-schedule.ts';
import { PipelineFunction } from '#infra/constructs/pipeline-function.ts';
import { allowProviders } from '#infra/constructs/provider-permissions.ts';
import { type ReminderLedger, unresolvedIndexArn } from '#infra/constructs/reminder-ledger.ts';
import type { PipelineSettings } from '#infra/constructs/settings.ts';
import { parsedChannels, timeoutSeconds } from '#infra/constructs/timeouts.ts';

export type PipelineFunctions = Readonly<Record<FunctionRole, PipelineFunction>>;

/** Lambda and the scheduler keep no event for less than a minute. */
const LEAST_EVENT_AGE_SECONDS = 60;
const LONGEST_EVENT_AGE_SECONDS = 300;

export function pipelineFunctions(
  scope: Construct,
  settings: PipelineSettings,
  ledger: ReminderLedger,
  lostInvocations: IQueue,
): PipelineFunctions {
  const input = environmentInput(scope, settings, ledger);
  const channels = parsedChannels(settings) ?? {};
  const unusedPackages = unusedProviderSdks(channels);
  const common = (role: FunctionRole) => ({
    memoryMb: memoryMb(settings, role),
    eventAgeSeconds: eventAgeSeconds(settings, role),
    logRetentionDays: settings.logRetentionDays ?? DEFAULTS.logRetentionDays,
    reservedConcurrency: reservedConcurrency(settings, role),
  });
  const functions = {
    // A tick that finds every consumer busy is dropped, and a crash is made good by the next tick:
    // a failure destination would only fill up with ticks.
    consumer: new PipelineFunction(scope, 'Consumer', {
      ...common('consumer'),
      description: 'Remind Once: drains the queue within its run budget',
      entry: 'functions/consumer/handler.ts',
      environment: consumerEnvironment(input),
      timeoutSeconds: timeoutSeconds(settings, 'consumer'),
      unusedPackages,
    }),
    redrive: new PipelineFunction(scope, 'Redrive', {
      ...common('redrive'),
      description: 'Remind Once: brings dead letters back by the plan of the ledger',
      entry: 'functions/redrive/handler.ts',
      environment: redriveEnvironment(input),
      timeoutSeconds: timeoutSeconds(settings, 'redrive'),
      unusedPackages,
      onFailure: lostInvocations,
    }),
    stats: new PipelineFunction(scope, 'Stats', {
      ...common('stats'),
      description:
        'Remind Once: reads queue, account and ledger, publishes gauges, trips the breaker',
      entry: 'functions/stats-alarm/handler.ts',
      environment: statsEnvironment(input),
      timeoutSeconds: timeoutSeconds(settings, 'stats'),
      onFailure: lostInvocations,
    }),
  };
  grantAll(functions, ledger);
  allowProviders(functions.consumer, channels);
  return functions;
}

export function pipelineSchedules(
  scope: Construct,
  settings: PipelineSettings,
  functions: PipelineFunctions,
  lostInvocations: IQueue,
): Readonly<Record<FunctionRole, FunctionSchedule>> {
  const schedule = (role: FunctionRole, id: string) =>
    new FunctionSchedule(scope, id, {
      lambda: functions[role].lambda,
      everyMinutes: everyMinutes(settings, role),
      eventAgeSeconds: eventAgeSeconds(settings, role),
      description: `Remind Once: ticks the ${role} function of ${settings.queueName}`,
      deadLetters: lostInvocations,
    });
  return {
    consumer: schedule('consumer', 'ConsumerSchedule'),
    redrive: schedule('redrive', 'RedriveSchedule'),
    stats: schedule('stats', 'StatsSchedule'),
  };
}

function environmentInput(
  scope: Construct,
  settings: PipelineSettings,
  ledger: ReminderLedger,
): EnvironmentInput {
  const stack = Stack.of(scope);
  return {
    settings,
    keyEpochs: ledger.keyEpochs,
    references: {
      table: ledger.table.tableName,
      apiKeySecret: ledger.apiKeySecret.arn,
      keyEpochSecret: (epoch) => ledger.keyEpochSecrets.get(epoch)?.arn ?? '',
      channelSecret: (name) => ledger.channelSecrets.get(name)?.arn ?? '',
    },
    toJson: (value) => stack.toJsonString(value),
  };
}

/** By what each adapter calls: conditional puts and consistent gets; no update, scan or delete. */
function grantAll(functions: PipelineFunctions, ledger: ReminderLedger): void {
  const { table, apiKeySecret, keyEpochSecrets, channelSecrets } = ledger;
  const epochs = [...keyEpochSecrets.values()];
  const secrets = {
    consumer: [apiKeySecret, ...epochs, ...channelSecrets.values()],
    redrive: [apiKeySecret, ...epochs],
    stats: [apiKeySecret],
  };
  for (const role of ['consumer', 'redrive', 'stats'] as const) {
    functions[role].allow(['dynamodb:GetItem', 'dynamodb:PutItem'], [table.tableArn]);
    functions[role].allow(
      ['secretsmanager:GetSecretValue'],
      secrets[role].map((secret) => secret.policyArn),
    );
  }
  functions.stats.allow(['dynamodb:Query'], [unresolvedIndexArn(table)]);
}

/** No tick is worth more than the next one. */
function eventAgeSeconds(settings: PipelineSettings, role: FunctionRole): number {
  const minutes = everyMinutes(settings, role);
  const periodSeconds = minutes === 'off' ? LEAST_EVENT_AGE_SECONDS : minutes * 60;
  return Math.min(Math.max(periodSeconds, LEAST_EVENT_AGE_SECONDS), LONGEST_EVENT_AGE_SECONDS);
}

function reservedConcurrency(settings: PipelineSettings, role: FunctionRole): number | undefined {
  if (settings.reserveConcurrency === false) return undefined;
  if (role !== 'consumer') return 1;
  return settings.consumerConcurrency ?? DEFAULTS.consumerConcurrency;
}
