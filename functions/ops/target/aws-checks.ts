import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { loadConsumerConfig } from '#config/consumer-config.ts';
import { loadRedriveConfig, REDRIVE_END_MARGIN_MS } from '#config/redrive-config.ts';
import { LEDGER_TABLE } from '#config/table.ts';
import { type Check, check, type Seen } from '#functions/ops/doctor/check.ts';
import { WHY } from '#functions/ops/doctor/why.ts';
import { oneLine } from '#functions/ops/ops-error.ts';
import { askAws } from './aws-fault.ts';
import type { DeployedFunction } from './aws-functions.ts';
import type { StackOutputs } from './aws-stack.ts';
import type { FunctionRole } from './target.ts';

type Functions = Readonly<Record<FunctionRole, DeployedFunction>>;

const DEPLOY_AGAIN = 'deploy the stage again; somebody has changed it by hand';

/** What only AWS can say about an installation. One question that fails fails one check. */
export async function awsChecks(
  outputs: StackOutputs,
  functions: Functions,
): Promise<readonly Check[]> {
  const table = outputs.ledgerTable;
  return Promise.all([
    asked('table-ttl', WHY['table-ttl'], () => timeToLive(table)),
    asked('table-recovery', WHY['table-recovery'], () => recovery(table)),
    asked('table-protection', WHY['table-protection'], () => protection(table)),
    asked('schedule-consumer', WHY.schedule, () => schedule(outputs.consumerSchedule)),
    asked('schedule-redrive', WHY.schedule, () => schedule(outputs.redriveSchedule)),
    asked('schedule-stats', WHY.schedule, () => schedule(outputs.statsSchedule)),
    asked('alarm-subscriber', WHY['alarm-subscriber'], () => subscribers(outputs.alarmTopic)),
    asked('function-time', WHY['function-time'], async () => functionTime(functions)),
  ]);
}

async function asked(name: string, why: string, look: () => Promise<Seen>): Promise<Check> {
  try {
    return check(name, why, await look());
  } catch (error) {
    const { message } = oneLine(error);
    return check(name, why, { level: 'fail', what: message, mend: 'mend this first' });
  }
}

async function timeToLive(table: string): Promise<Seen> {
  const question = { action: 'dynamodb:DescribeTimeToLive', subject: `table ${table}` };
  const answer = await askAws(question, () =>
    new DynamoDBClient({}).send(new DescribeTimeToLiveCommand({ TableName: table })),
  );
  const { TimeToLiveStatus, AttributeName } = answer.TimeToLiveDescription ?? {};
  const on = TimeToLiveStatus === 'ENABLED' || TimeToLiveStatus === 'ENABLING';
  const right = on && AttributeName === LEDGER_TABLE.timeToLiveAttribute;
  return right
    ? { level: 'ok', what: `TTL is on, by ${AttributeName}` }
    : {
        level: 'warn',
        what: `TTL is ${TimeToLiveStatus ?? 'not known'}, attribute ${AttributeName ?? 'none'}`,
        mend: DEPLOY_AGAIN,
      };
}

async function recovery(table: string): Promise<Seen> {
  const question = { action: 'dynamodb:DescribeContinuousBackups', subject: `table ${table}` };
  const answer = await askAws(question, () =>
    new DynamoDBClient({}).send(new DescribeContinuousBackupsCommand({ TableName: table })),
  );
  const status =
    answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  return status === 'ENABLED'
    ? { level: 'ok', what: 'point-in-time recovery is on' }
    : {
        level: 'fail',
        what: `point-in-time recovery is ${status ?? 'not known'}`,
        mend: 'take disposableLedger out of the stage settings, or switch it on by hand, and deploy again',
      };
}

async function protection(table: string): Promise<Seen> {
  const question = { action: 'dynamodb:DescribeTable', subject: `table ${table}` };
  const answer = await askAws(question, () =>
    new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: table })),
  );
  return answer.Table?.DeletionProtectionEnabled === true
    ? { level: 'ok', what: 'deletion protection is on' }
    : {
        level: 'fail',
        what: 'deletion protection is off',
        mend: 'take disposableLedger out of the stage settings, or switch it on by hand, and deploy again',
      };
}

async function schedule(name: string): Promise<Seen> {
  const question = { action: 'scheduler:GetSchedule', subject: `schedule ${name}` };
  const answer = await askAws(question, () =>
    new SchedulerClient({}).send(new GetScheduleCommand({ Name: name })),
  );
  const { State, ScheduleExpression = '' } = answer;
  return State === 'ENABLED'
    ? { level: 'ok', what: `enabled, ${ScheduleExpression}` }
    : {
        level: 'fail',
        what: `the schedule ${name} is ${State ?? 'not known'}`,
        mend: 'set "every" of this function in infra/stages.ts to minutes, and deploy again',
      };
}

async function subscribers(topic: string): Promise<Seen> {
  const question = { action: 'sns:ListSubscriptionsByTopic', subject: 'the alarm topic' };
  const answer = await askAws(question, () =>
    new SNSClient({}).send(new ListSubscriptionsByTopicCommand({ TopicArn: topic })),
  );
  const all = answer.Subscriptions ?? [];
  const confirmed = all.filter(({ SubscriptionArn }) => SubscriptionArn?.startsWith('arn:'));
  if (confirmed.length > 0) {
    return { level: 'ok', what: `${confirmed.length} confirmed subscribers of the alarm topic` };
  }
  const pending = all.length > 0 ? `${all.length} wait for their confirmation mail` : 'none at all';
  return {
    level: 'fail',
    what: `the alarm topic has no confirmed subscriber (${pending})`,
    mend: 'name e-mail addresses under alarms.emails in infra/stages.ts or subscribe a pager, and confirm',
  };
}

/** Lambda's limit on one invocation. */
const LONGEST_SECONDS = 900;

function functionTime({ consumer, redrive }: Functions): Seen {
  const { drain } = loadConsumerConfig(consumer.environment);
  const { redrive: settings } = loadRedriveConfig(redrive.environment);
  const pairs = [
    ['consumer', consumer.timeoutSeconds, drain.runBudgetSeconds],
    ['redrive', redrive.timeoutSeconds, settings.runBudgetSeconds + REDRIVE_END_MARGIN_MS / 1000],
  ] as const;
  const short = pairs.filter(
    ([, timeout, budget]) => timeout === null || timeout <= budget || timeout > LONGEST_SECONDS,
  );
  const words = (list: typeof short) =>
    list.map(([role, timeout, budget]) => `${role}: ${timeout} s over ${budget} s`).join(', ');
  return short.length === 0
    ? { level: 'ok', what: `time-outs cover the run budgets (${words([...pairs])})` }
    : {
        level: 'fail',
        what: `time-outs do not cover the run budgets (${words(short)})`,
        mend: DEPLOY_AGAIN,
      };
}
