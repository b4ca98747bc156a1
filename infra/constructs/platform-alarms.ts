import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type AlarmDefinition, steadyPeriodMinutes } from '#infra/constructs/alarm-definition.ts';
import type { FunctionRole } from '#infra/constructs/defaults.ts';
import type { PipelineMetrics } from '#infra/constructs/pipeline-metrics.ts';

const AT_LEAST = ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD;
/** On-demand tables throttle for moments while they grow; a handful is absorbed by the retries. */
const THROTTLES = 10;

/**
 * The schedule ticks and nothing runs. A long run at concurrency 1 holds ticks off for as long as
 * its timeout, so the alarm waits longer than that.
 */
export function notRunningAlarm(
  lambda: IFunction,
  everyMinutes: number,
  timeoutSeconds: number,
): AlarmDefinition {
  const periodMinutes = steadyPeriodMinutes(everyMinutes);
  const longestGapMinutes = timeoutSeconds / 60 + 2 * everyMinutes;
  const periods = Math.max(3, 1 + Math.ceil(longestGapMinutes / periodMinutes));
  return {
    id: 'ConsumerNotRunning',
    section: 'consumer-silent',
    meaning: 'The consumer was not invoked although its schedule is on.',
    advice: "Look at the schedule, its role and the function's concurrency.",
    metric: lambda.metricInvocations({ period: Duration.minutes(periodMinutes) }),
    operator: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    datapoints: periods,
    of: periods,
    missing: TreatMissingData.BREACHING,
  };
}

export function errorAlarm(
  role: FunctionRole,
  lambda: IFunction,
  everyMinutes: number,
): AlarmDefinition {
  return {
    id: `${role.charAt(0).toUpperCase()}${role.slice(1)}Errors`,
    section: 'function-errors',
    meaning: `The ${role} function failed in two of three periods: crashes, timeouts or settings.`,
    advice: 'Read the code and message of its latest invocation_failed line.',
    metric: lambda.metricErrors({ period: Duration.minutes(steadyPeriodMinutes(everyMinutes)) }),
    operator: AT_LEAST,
    threshold: 1,
    datapoints: 2,
    of: 3,
    missing: TreatMissingData.NOT_BREACHING,
  };
}

export function tableAlarms(metrics: PipelineMetrics): readonly AlarmDefinition[] {
  return (['Read', 'Write'] as const).map((kind) => ({
    id: `Table${kind}Throttled`,
    section: 'table-throttled',
    meaning: `DynamoDB throttles ${kind.toLowerCase()}s of the ledger; reminders wait meanwhile.`,
    advice: "Lower the consumer's concurrency, then look for a hot key or an account limit.",
    metric: metrics.throttles(kind),
    operator: AT_LEAST,
    threshold: THROTTLES,
    datapoints: 2,
    of: 3,
    missing: TreatMissingData.NOT_BREACHING,
  }));
}

export function lostInvocationsAlarm(lostInvocations: IQueue): AlarmDefinition {
  return {
    id: 'LostInvocations',
    section: 'lost-invocations',
    meaning: 'A scheduled invocation could not be made, or failed for good.',
    advice: 'Read the message in the queue, mend the cause, then purge that queue.',
    metric: lostInvocations.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period: Duration.minutes(5),
    }),
    operator: AT_LEAST,
    threshold: 1,
    datapoints: 1,
    of: 1,
    missing: TreatMissingData.NOT_BREACHING,
  };
}
