import {
  CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import {
  GetFunctionCommand,
  GetFunctionEventInvokeConfigCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { OUTPUT } from '#config/outputs.ts';
import { REGION } from './aws-stand-in.ts';

export type Outputs = Readonly<Record<(typeof OUTPUT)[keyof typeof OUTPUT], string>>;

/** What an account holds, read through the AWS SDK as an operator's tools would. */
export class DeployedInstallation {
  readonly #settings: { readonly endpoint: string; readonly region: string };

  constructor(endpoint: string) {
    this.#settings = { endpoint, region: REGION };
  }

  /** A stack's outputs; undefined when there is no such stack. */
  async outputs(stackName: string): Promise<Outputs | undefined> {
    const { Stacks = [] } = await new CloudFormationClient(this.#settings).send(
      new DescribeStacksCommand({}),
    );
    const stack = Stacks.find(({ StackName }) => StackName === stackName);
    if (stack === undefined) return undefined;
    const pairs = (stack.Outputs ?? []).map((one) => [one.OutputKey ?? '', one.OutputValue ?? '']);
    return Object.fromEntries(pairs) as Outputs;
  }

  /** The operator's deliberate step before a protected stack can go. */
  async unprotect(stackName: string): Promise<void> {
    await new CloudFormationClient(this.#settings).send(
      new UpdateTerminationProtectionCommand({
        StackName: stackName,
        EnableTerminationProtection: false,
      }),
    );
  }

  async table(name: string) {
    const client = new DynamoDBClient(this.#settings);
    const TableName = name;
    const [{ Table }, { TimeToLiveDescription }, { ContinuousBackupsDescription }] =
      await Promise.all([
        client.send(new DescribeTableCommand({ TableName })),
        client.send(new DescribeTimeToLiveCommand({ TableName })),
        client.send(new DescribeContinuousBackupsCommand({ TableName })),
      ]);
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    return { ...Table, timeToLive: TimeToLiveDescription, recovery };
  }

  /** A function's configuration and what becomes of its asynchronous invocations. */
  async lambda(name: string) {
    const client = new LambdaClient(this.#settings);
    const FunctionName = name;
    const [found, asynchronous] = await Promise.all([
      client.send(new GetFunctionCommand({ FunctionName })),
      client.send(new GetFunctionEventInvokeConfigCommand({ FunctionName })),
    ]);
    return {
      configuration: found.Configuration ?? {},
      concurrency: found.Concurrency?.ReservedConcurrentExecutions,
      retries: asynchronous.MaximumRetryAttempts,
      eventAgeSeconds: asynchronous.MaximumEventAgeInSeconds,
      onFailure: asynchronous.DestinationConfig?.OnFailure?.Destination,
    };
  }

  async schedule(name: string) {
    return new SchedulerClient(this.#settings).send(new GetScheduleCommand({ Name: name }));
  }

  async alarms() {
    const client = new CloudWatchClient(this.#settings);
    const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ MaxRecords: 100 }));
    return MetricAlarms;
  }

  async secrets() {
    const client = new SecretsManagerClient(this.#settings);
    const { SecretList = [] } = await client.send(new ListSecretsCommand({ MaxResults: 100 }));
    return SecretList;
  }

  /** Everything of the service that a changed setting could touch, comparable as text. */
  async fingerprint(outputs: Outputs): Promise<Readonly<Record<string, string>>> {
    const parts: Record<string, string> = {};
    for (const key of ['ConsumerFunction', 'RedriveFunction', 'StatsFunction'] as const) {
      const { configuration, ...asynchronous } = await this.lambda(outputs[key]);
      const { CodeSha256, Environment, MemorySize, Timeout } = configuration;
      parts[key] = text({ CodeSha256, Environment, MemorySize, Timeout, ...asynchronous });
    }
    for (const key of ['ConsumerSchedule', 'RedriveSchedule', 'StatsSchedule'] as const) {
      const { ScheduleExpression, State, Target } = await this.schedule(outputs[key]);
      parts[key] = text({ ScheduleExpression, State, Target });
    }
    for (const { AlarmName = '', Period, Threshold, EvaluationPeriods } of await this.alarms()) {
      const id = /PipelineAlarms(\w+?)[0-9A-F]{8}/.exec(AlarmName)?.[1] ?? AlarmName;
      parts[`alarm ${id}`] = text({ Period, Threshold, EvaluationPeriods });
    }
    const { KeySchema, GlobalSecondaryIndexes } = await this.table(outputs.LedgerTable);
    parts['LedgerTable'] = text({ KeySchema, GlobalSecondaryIndexes });
    return parts;
  }
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
