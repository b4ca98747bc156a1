import { Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { FUNCTION_ROLES } from '#infra/constructs/defaults.ts';
import { allow } from '#infra/constructs/pipeline-function.ts';
import { unresolvedIndexArn } from '#infra/constructs/reminder-ledger.ts';
import type { ReminderPipeline } from '#infra/constructs/reminder-pipeline.ts';

/** A look at the ledger: rows, control documents, the list of unresolved rows. */
export function allowReading({ ledger }: ReminderPipeline, grantee: IGrantable): void {
  allow(grantee, ['dynamodb:GetItem'], [ledger.table.tableArn]);
  allow(grantee, ['dynamodb:Query'], [unresolvedIndexArn(ledger.table)]);
}

/** What every command of the operator's command line asks of AWS; nothing that deletes. */
export function allowOperating(pipeline: ReminderPipeline, grantee: IGrantable): void {
  const { ledger, functions, schedules, alarmTopic } = pipeline;
  const { apiKeySecret, keyEpochSecrets, channelSecrets } = ledger;
  const secrets = [apiKeySecret, ...keyEpochSecrets.values(), ...channelSecrets.values()];
  allowReading(pipeline, grantee);
  allow(
    grantee,
    [
      'dynamodb:PutItem',
      'dynamodb:DescribeTable',
      'dynamodb:DescribeTimeToLive',
      'dynamodb:DescribeContinuousBackups',
    ],
    [ledger.table.tableArn],
  );
  allow(
    grantee,
    ['secretsmanager:GetSecretValue'],
    secrets.map((secret) => secret.policyArn),
  );
  allow(
    grantee,
    ['lambda:InvokeFunction', 'lambda:GetFunctionConfiguration'],
    FUNCTION_ROLES.map((role) => functions[role].lambda.functionArn),
  );
  allow(
    grantee,
    ['scheduler:GetSchedule'],
    FUNCTION_ROLES.map((role) => schedules[role].schedule.scheduleArn),
  );
  allow(grantee, ['sns:ListSubscriptionsByTopic'], [alarmTopic.topicArn]);
  allow(grantee, ['cloudformation:DescribeStacks'], [Stack.of(pipeline).stackId]);
  // Metrics have no ARN.
  allow(grantee, ['cloudwatch:GetMetricData'], ['*']);
}
