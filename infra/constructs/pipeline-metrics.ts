import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  CONSUMER_METRICS,
  METRIC_NAMESPACE,
  REDRIVE_METRICS,
  STATS_METRICS,
} from '#config/metrics.ts';
import type { LedgerTableReference } from '#infra/constructs/reminder-ledger.ts';

export type ConsumerCount = keyof typeof CONSUMER_METRICS;
export type RedriveCount = keyof typeof REDRIVE_METRICS;
export type StatsGauge = keyof typeof STATS_METRICS;

/** The metrics that one pipeline publishes, and those that AWS publishes about its table. */
export class PipelineMetrics {
  readonly #dimensions: Readonly<Record<string, string>>;
  readonly #table: LedgerTableReference;

  constructor(pipeline: string, stage: string, table: LedgerTableReference) {
    this.#dimensions = { service: pipeline, stage };
    this.#table = table;
  }

  /** A count of the consumer; summed over the period unless said otherwise. */
  count(count: ConsumerCount, options: MetricOptions = {}): Metric {
    return this.#own(CONSUMER_METRICS[count], { statistic: Stats.SUM, ...options });
  }

  /** A count of the redrive; summed over the period unless said otherwise. */
  redriveCount(count: RedriveCount, options: MetricOptions = {}): Metric {
    return this.#own(REDRIVE_METRICS[count], { statistic: Stats.SUM, ...options });
  }

  /** A gauge of the stats function; its maximum over the period unless said otherwise. */
  gauge(gauge: StatsGauge, options: MetricOptions = {}): Metric {
    return this.#own(STATS_METRICS[gauge], { statistic: Stats.MAXIMUM, ...options });
  }

  #own(metricName: string, options: MetricOptions): Metric {
    return new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      dimensionsMap: { ...this.#dimensions },
      period: Duration.minutes(5),
      ...options,
    });
  }

  throttles(kind: 'Read' | 'Write'): Metric {
    return this.#ofTable(`${kind}ThrottleEvents`);
  }

  consumedUnits(kind: 'Read' | 'Write'): Metric {
    return this.#ofTable(`Consumed${kind}CapacityUnits`);
  }

  #ofTable(metricName: string): Metric {
    return new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: this.#table.tableName },
      statistic: Stats.SUM,
      period: Duration.minutes(5),
    });
  }
}
