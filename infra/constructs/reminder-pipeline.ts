import { Annotations, Stack } from 'aws-cdk-lib';
import type { Alarm, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { channelWarnings } from '#config/channel-facts.ts';
import { DEFAULT_PIPELINE } from '#config/metrics.ts';
import { alarmDefinitions } from '#infra/constructs/alarm-definitions.ts';
import { AlarmTopic } from '#infra/constructs/alarm-topic.ts';
import { DEFAULTS, FUNCTION_ROLES, type FunctionRole } from '#infra/constructs/defaults.ts';
import type { FunctionSchedule } from '#infra/constructs/function-schedule.ts';
import { lostInvocationsQueue } from '#infra/constructs/lost-invocations.ts';
import { allowOperating, allowReading } from '#infra/constructs/operator-permissions.ts';
import { PipelineAlarms } from '#infra/constructs/pipeline-alarms.ts';
import { PipelineDashboard } from '#infra/constructs/pipeline-dashboard.ts';
import { allow, type PipelineFunction } from '#infra/constructs/pipeline-function.ts';
import { pipelineFunctions, pipelineSchedules } from '#infra/constructs/pipeline-functions.ts';
import {
  type ConsumerCount,
  PipelineMetrics,
  type RedriveCount,
  type StatsGauge,
} from '#infra/constructs/pipeline-metrics.ts';
import type { ReminderLedger } from '#infra/constructs/reminder-ledger.ts';
import type { PipelineSettings } from '#infra/constructs/settings.ts';
import { checkSettings } from '#infra/constructs/settings-faults.ts';
import { parsedChannels } from '#infra/constructs/timeouts.ts';

export type ReminderPipelineProps = PipelineSettings & {
  /** Table and secrets, of another stack as a rule: they outlive this one. One pipeline each. */
  readonly ledger: ReminderLedger;
};

/**
 * Drains one Infrai queue: consumer, redrive and stats functions with their schedules, alarms,
 * topic and dashboard. Several pipelines live in one account when their `pipeline` or `stage`
 * differ and each has a ledger of its own.
 *
 * ```ts
 * const channels = {
 *   push: { provider: 'http', url: 'https://push.example.com/send', secretRef: 'create' },
 * } as const;
 * const ledger = new ReminderLedger(stateful, 'Ledger', { channels });
 * new ReminderPipeline(service, 'Reminders', {
 *   ledger,
 *   stage: 'prod',
 *   queueName: 'reminders',
 *   channels,
 * });
 * ```
 */
export class ReminderPipeline extends Construct {
  /** Metric dimensions, and what tells this pipeline from others. */
  readonly identity: { readonly pipeline: string; readonly stage: string };
  readonly functions: Readonly<Record<FunctionRole, PipelineFunction>>;
  readonly schedules: Readonly<Record<FunctionRole, FunctionSchedule>>;
  readonly alarmTopic: ITopic;
  /** By the ids of `alarmDefinitions`. */
  readonly alarms: ReadonlyMap<string, Alarm>;
  readonly dashboard: PipelineDashboard;
  readonly lostInvocations: Queue;
  readonly ledger: ReminderLedger;
  readonly #metrics: PipelineMetrics;

  /** @throws ConfigError naming every fault of the settings at once */
  constructor(scope: Construct, id: string, props: ReminderPipelineProps) {
    super(scope, id);
    const { ledger, ...settings } = props;
    checkSettings(settings, ledger);
    this.ledger = ledger;
    this.identity = { pipeline: settings.pipeline ?? DEFAULT_PIPELINE, stage: settings.stage };
    this.#metrics = new PipelineMetrics(this.identity.pipeline, this.identity.stage, ledger.table);
    this.lostInvocations = lostInvocationsQueue(this, 'LostInvocations');
    this.functions = pipelineFunctions(this, settings, ledger, this.lostInvocations);
    this.schedules = pipelineSchedules(this, settings, this.functions, this.lostInvocations);
    const { emails = [], runbookUrl = DEFAULTS.runbookUrl } = settings.alarms ?? {};
    this.alarmTopic = new AlarmTopic(this, 'AlarmTopic', emails).topic;
    this.alarms = new PipelineAlarms(this, 'Alarms', {
      definitions: alarmDefinitions(settings, {
        metrics: this.#metrics,
        functions: this.functions,
        lostInvocations: this.lostInvocations,
      }),
      topic: this.alarmTopic,
      runbookUrl,
    }).byId;
    this.dashboard = new PipelineDashboard(this, 'Dashboard', {
      metrics: this.#metrics,
      lambdas: {
        consumer: this.functions.consumer.lambda,
        redrive: this.functions.redrive.lambda,
        stats: this.functions.stats.lambda,
      },
      alarms: [...this.alarms.values()],
      findings: this.functions.stats.lambda.logGroup,
    });
    this.#warnOfOffSchedules(settings);
    this.#warnOfChannels(settings);
    this.node.addValidation({ validate: () => this.#identityFaults() });
  }

  /** Lets somebody look: ledger rows, unresolved rows, control documents. */
  grantReadLedger(grantee: IGrantable): void {
    allowReading(this, grantee);
  }

  /**
   * Lets an operator run the command line, every command of it: the ledger, the secrets that it
   * needs, starting the functions, and looking at what is deployed. One permission, on metrics,
   * has no resource to be bound to.
   */
  grantOperate(grantee: IGrantable): void {
    allowOperating(this, grantee);
  }

  /** Lets somebody start one function out of turn. */
  grantInvoke(role: FunctionRole, grantee: IGrantable): void {
    allow(grantee, ['lambda:InvokeFunction'], [this.functions[role].lambda.functionArn]);
  }

  /** Any count of the consumer; summed over five minutes unless said otherwise. */
  metric(count: ConsumerCount, options?: MetricOptions): Metric {
    return this.#metrics.count(count, options);
  }

  /** Any count of the redrive; summed over five minutes unless said otherwise. */
  metricRedrive(count: RedriveCount, options?: MetricOptions): Metric {
    return this.#metrics.redriveCount(count, options);
  }

  /** Any gauge of the stats function; its maximum over five minutes unless said otherwise. */
  metricGauge(gauge: StatsGauge, options?: MetricOptions): Metric {
    return this.#metrics.gauge(gauge, options);
  }

  metricDeliveries(options?: MetricOptions): Metric {
    return this.metric('deliveries', options);
  }

  metricKeysClaimed(options?: MetricOptions): Metric {
    return this.metric('keysClaimed', options);
  }

  metricReceipts(options?: MetricOptions): Metric {
    return this.metric('receipts', options);
  }

  metricDeadLetters(options?: MetricOptions): Metric {
    return this.metricGauge('deadLetters', options);
  }

  metricUnresolvedRows(options?: MetricOptions): Metric {
    return this.metricGauge('unresolvedRows', options);
  }

  /** Seconds from a reminder's instant to its acceptance; give a percentile as statistic. */
  metricEndToEndSeconds(options: MetricOptions = { statistic: 'p99' }): Metric {
    return this.metric('endToEndSeconds', options);
  }

  #warnOfOffSchedules({ every = {} }: PipelineSettings): void {
    const off = FUNCTION_ROLES.filter((role) => every[role] === 'off');
    if (off.length === 0) return;
    Annotations.of(this).addWarningV2(
      'remind-once:schedule-off',
      `off: ${off.join(', ')}; nothing starts them, and the alarms that watch for their silence are left out`,
    );
  }

  #warnOfChannels(settings: PipelineSettings): void {
    for (const { setting, problem } of channelWarnings(parsedChannels(settings) ?? {})) {
      const where = setting.replace('CHANNELS', 'channels');
      Annotations.of(this).addWarningV2(`remind-once:${where}`, `${where} ${problem}`);
    }
  }

  /** Two pipelines with one name would add up in every metric and share every alarm. */
  #identityFaults(): string[] {
    const { pipeline, stage } = this.identity;
    const others = Stack.of(this)
      .node.root.node.findAll()
      .filter((node): node is ReminderPipeline => node instanceof ReminderPipeline)
      .filter((other) => other !== this);
    const faults: string[] = [];
    for (const { identity, node, ledger } of others) {
      if (identity.pipeline === pipeline && identity.stage === stage) {
        faults.push(
          `pipeline ${pipeline} of stage ${stage} exists twice (${node.path}); give one another "pipeline"`,
        );
      }
      if (ledger === this.ledger) {
        faults.push(
          `shares its ledger with ${node.path}; breaker and leases live there, so give each pipeline one of its own`,
        );
      }
    }
    return faults;
  }
}
