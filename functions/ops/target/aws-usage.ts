import {
  CloudWatchClient,
  GetMetricDataCommand,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import { CONSUMER_METRICS, METRIC_NAMESPACE } from '#config/metrics.ts';
import type { CostUsage } from '#functions/ops/cost/cost-usage.ts';
import { askAws } from './aws-fault.ts';
import type { DeployedFunction } from './aws-functions.ts';
import type { StackOutputs } from './aws-stack.ts';
import type { FunctionRole } from './target.ts';

const DAY_SECONDS = 86_400;
/** One data point an hour: a day's sum fits one page whatever the metric's resolution. */
const PERIOD_SECONDS = 3600;

type Wanted = {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
};

const CONSUMER_COUNTS = {
  deliveries: CONSUMER_METRICS.deliveries,
  keysClaimed: CONSUMER_METRICS.keysClaimed,
  takeOvers: CONSUMER_METRICS.takeOvers,
  receipts: CONSUMER_METRICS.receipts,
  duplicatesAbsorbed: CONSUMER_METRICS.duplicatesAbsorbed,
  published: CONSUMER_METRICS.publishes,
  submissions: CONSUMER_METRICS.submissions,
} as const;

/** The sums of the last 24 hours from CloudWatch. */
export async function awsUsage(
  outputs: StackOutputs,
  functions: Readonly<Record<FunctionRole, DeployedFunction>>,
): Promise<CostUsage> {
  const { STAGE: stage = '', PIPELINE: service = '' } = functions.consumer.environment;
  const wanted = new Map<string, Wanted>();
  for (const [name, metric] of Object.entries(CONSUMER_COUNTS)) {
    wanted.set(name, { namespace: METRIC_NAMESPACE, metric, dimensions: { service, stage } });
  }
  for (const [name, metric] of [
    ['writeUnits', 'ConsumedWriteCapacityUnits'],
    ['readUnits', 'ConsumedReadCapacityUnits'],
  ] as const) {
    const dimensions = { TableName: outputs.ledgerTable };
    wanted.set(name, { namespace: 'AWS/DynamoDB', metric, dimensions });
  }
  for (const [role, { name }] of Object.entries(functions)) {
    for (const metric of ['Invocations', 'Duration'] as const) {
      const dimensions = { FunctionName: name };
      wanted.set(`${role}${metric}`, { namespace: 'AWS/Lambda', metric, dimensions });
    }
  }
  const sums = await readSums(wanted);
  const sum = (name: string) => sums.get(name) ?? 0;
  const byRole = (value: (role: string) => number) =>
    Object.fromEntries(Object.keys(functions).map((role) => [role, value(role)]));
  return {
    source: 'CloudWatch, the last 24 hours',
    seconds: DAY_SECONDS,
    invocations: byRole((role) => sum(`${role}Invocations`)),
    durationMs: byRole((role) => sum(`${role}Duration`)),
    memoryMb: Object.fromEntries(
      Object.entries(functions).map(([role, { memoryMb }]) => [role, memoryMb ?? 0]),
    ),
    writeUnits: sum('writeUnits'),
    readUnits: sum('readUnits'),
    deliveries: sum('deliveries'),
    keysClaimed: sum('keysClaimed'),
    takeOvers: sum('takeOvers'),
    receipts: sum('receipts'),
    duplicatesAbsorbed: sum('duplicatesAbsorbed'),
    published: sum('published'),
    submissions: sum('submissions'),
  };
}

async function readSums(wanted: ReadonlyMap<string, Wanted>): Promise<ReadonlyMap<string, number>> {
  const queries = [...wanted].map(
    ([name, { namespace, metric, dimensions }]): MetricDataQuery => ({
      Id: name,
      MetricStat: {
        Stat: 'Sum',
        Period: PERIOD_SECONDS,
        Metric: {
          Namespace: namespace,
          MetricName: metric,
          Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
        },
      },
    }),
  );
  const EndTime = new Date();
  const StartTime = new Date(EndTime.getTime() - DAY_SECONDS * 1000);
  const question = { action: 'cloudwatch:GetMetricData', subject: 'the metrics of the stage' };
  const answer = await askAws(question, () =>
    new CloudWatchClient({}).send(
      new GetMetricDataCommand({ MetricDataQueries: queries, StartTime, EndTime }),
    ),
  );
  return new Map(
    (answer.MetricDataResults ?? []).map(({ Id = '', Values = [] }) => [
      Id,
      Values.reduce((total, value) => total + value, 0),
    ]),
  );
}
