import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  LogQueryWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionRole } from '#infra/constructs/defaults.ts';
import type {
  ConsumerCount,
  PipelineMetrics,
  StatsGauge,
} from '#infra/constructs/pipeline-metrics.ts';

export type PipelineDashboardProps = {
  readonly metrics: PipelineMetrics;
  readonly lambdas: Readonly<Record<FunctionRole, IFunction>>;
  readonly alarms: readonly IAlarm[];
  /** Where the stats function says what it finds. */
  readonly findings: ILogGroup;
};

const WIDTH = 12;

/** One page: the alarms, the three signals, the queue, the functions, the table. */
export class PipelineDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(
    scope: Construct,
    id: string,
    { metrics, lambdas, alarms, findings }: PipelineDashboardProps,
  ) {
    super(scope, id);
    const counts = (title: string, ...names: ConsumerCount[]) =>
      graph(
        title,
        names.map((name) => metrics.count(name)),
      );
    const gauges = (title: string, ...names: StatsGauge[]) =>
      graph(
        title,
        names.map((name) => metrics.gauge(name)),
      );
    const functions = Object.values(lambdas);
    this.dashboard = new Dashboard(this, 'Dashboard', {
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 2 * WIDTH })],
        [
          // Metrics say that the breaker is open; its reason and its beginning are words.
          new LogQueryWidget({
            title: 'Findings: what, why, since when',
            logGroupNames: [findings.logGroupName],
            queryLines: [
              'fields @timestamp, severity, code, subject, reason, since, seen, allowed',
              'filter message = "finding"',
              'sort @timestamp desc',
              'limit 50',
            ],
            width: 2 * WIDTH,
          }),
        ],
        [
          counts('Signals', 'deliveries', 'keysClaimed', 'receipts', 'terminalSent'),
          graph('Seconds from due to accepted', [
            metrics.count('endToEndSeconds', { statistic: Stats.p(50) }),
            metrics.count('endToEndSeconds', { statistic: Stats.p(99) }),
          ]),
        ],
        [
          counts(
            'Absorbed and put off',
            'duplicatesAbsorbed',
            'postponed',
            'takeOvers',
            'lateAcks',
          ),
          counts(
            'Trouble',
            'left',
            'parked',
            'exhausted',
            'lostClaims',
            'recordFailures',
            'ledgerFailures',
          ),
        ],
        [
          gauges('Queue', 'available', 'inFlight', 'delayed', 'deadLetters'),
          gauges('Age and parked', 'oldestMessageAgeSeconds', 'unresolvedRows', 'parkedRows'),
        ],
        [
          gauges('Breaker', 'breaker', 'stoppedChannels', 'unrecordedReceipts'),
          counts('Runs', 'runs', 'runsStoppedByBudget', 'runsPaused', 'breakerTrips'),
        ],
        [
          graph(
            'Redrive',
            (['redriven', 'settled', 'kept', 'failed'] as const).map((name) =>
              metrics.redriveCount(name),
            ),
          ),
          gauges('Findings', 'findings'),
        ],
        [
          counts(
            'Producers: what they should look at',
            'contentConflicts',
            'invalidMessages',
            'closeOccurrences',
          ),
          counts('Policy resend: sent again, came twice', 'resentByPolicy', 'duplicatesByPolicy'),
        ],
        [
          graph(
            'Functions: errors',
            functions.map((lambda) => lambda.metricErrors()),
          ),
          graph(
            'Functions: duration',
            functions.map((lambda) => lambda.metricDuration({ statistic: Stats.p(99) })),
          ),
        ],
        [
          graph('Table: units', [metrics.consumedUnits('Read'), metrics.consumedUnits('Write')]),
          graph('Table: throttles', [metrics.throttles('Read'), metrics.throttles('Write')]),
        ],
      ],
    });
  }
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: WIDTH });
}
