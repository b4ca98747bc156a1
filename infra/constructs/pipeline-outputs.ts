import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { MARKER_FORMAT, OUTPUT } from '#config/outputs.ts';
import type { ReminderPipeline } from '#infra/constructs/reminder-pipeline.ts';

/** Everything that an operator's command line needs, on the stack under the keys of `OUTPUT`. */
export function addPipelineOutputs(
  stack: Stack,
  pipeline: ReminderPipeline,
  queueName: string,
): void {
  const { identity, ledger, functions, schedules } = pipeline;
  const arns = (secrets: ReadonlyMap<string, { readonly arn: string }>) =>
    stack.toJsonString(Object.fromEntries([...secrets].map(([name, { arn }]) => [name, arn])));
  const values: Readonly<Record<keyof typeof OUTPUT, string>> = {
    marker: `${MARKER_FORMAT} ${identity.stage} ${identity.pipeline}`,
    queueName,
    ledgerTable: ledger.table.tableName,
    apiKeySecret: ledger.apiKeySecret.arn,
    channelSecrets: arns(ledger.channelSecrets),
    keyEpochSecrets: arns(ledger.keyEpochSecrets),
    consumerFunction: functions.consumer.lambda.functionName,
    redriveFunction: functions.redrive.lambda.functionName,
    statsFunction: functions.stats.lambda.functionName,
    consumerSchedule: schedules.consumer.schedule.scheduleName,
    redriveSchedule: schedules.redrive.schedule.scheduleName,
    statsSchedule: schedules.stats.schedule.scheduleName,
    alarmTopic: pipeline.alarmTopic.topicArn,
    lostInvocations: pipeline.lostInvocations.queueUrl,
    dashboard: pipeline.dashboard.dashboard.dashboardName,
  };
  for (const [name, value] of Object.entries(values)) {
    const key = OUTPUT[name as keyof typeof OUTPUT];
    new CfnOutput(stack, `Output${key}`, { value }).overrideLogicalId(key);
  }
}
