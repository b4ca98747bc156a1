import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRIC_NAMESPACE } from '#config/metrics.ts';
import type { LogValue, Telemetry } from '#ports';

export type TelemetrySettings = { readonly service: string; readonly stage: string };

/** A line longer than this is a fault of ours: values are codes, counts and keyed references. */
const MAX_TEXT = 200;

/** Structured log lines and EMF metrics by Powertools; both go to standard output. */
export class PowertoolsTelemetry implements Telemetry {
  readonly #logger: Logger;
  readonly #metrics: Metrics;

  constructor({ service, stage }: TelemetrySettings) {
    this.#logger = new Logger({ serviceName: service, persistentKeys: { stage } });
    this.#metrics = new Metrics({
      namespace: METRIC_NAMESPACE,
      serviceName: service,
      defaultDimensions: { stage },
    });
  }

  log(
    level: 'info' | 'warn' | 'error',
    event: string,
    fields: Readonly<Record<string, LogValue>>,
  ): void {
    this.#logger[level](event, Object.fromEntries(Object.entries(fields).map(bounded)));
  }

  count(metric: string, value = 1): void {
    this.#metrics.addMetric(metric, MetricUnit.Count, value);
  }

  gauge(metric: string, value: number): void {
    this.#metrics.addMetric(metric, MetricUnit.NoUnit, value);
  }

  sample(metric: string, value: number): void {
    const unit = metric.endsWith('Seconds') ? MetricUnit.Seconds : MetricUnit.Milliseconds;
    this.#metrics.addMetric(metric, unit, value);
  }

  /**
   * Writes out what was added since the last flush. Once per invocation. With nothing to write,
   * Powertools would warn in a line that is no JSON, on every dry run of a redrive.
   */
  flush(): void {
    if (this.#metrics.hasStoredMetrics()) this.#metrics.publishStoredMetrics();
  }

  /** Puts the invocation's id on every line until the next invocation. */
  startInvocation(requestId: string): void {
    this.#logger.appendKeys({ requestId });
  }
}

function bounded([name, value]: [string, LogValue]): [string, LogValue] {
  return [name, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value];
}
