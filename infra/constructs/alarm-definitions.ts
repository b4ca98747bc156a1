import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { statsSchema } from '#config/stats-config.ts';
import type { AlarmDefinition } from '#infra/constructs/alarm-definition.ts';
import { consumerAlarms } from '#infra/constructs/consumer-alarms.ts';
import { everyMinutes, FUNCTION_ROLES, type FunctionRole } from '#infra/constructs/defaults.ts';
import type { PipelineFunction } from '#infra/constructs/pipeline-function.ts';
import type { PipelineMetrics } from '#infra/constructs/pipeline-metrics.ts';
import {
  errorAlarm,
  lostInvocationsAlarm,
  notRunningAlarm,
  tableAlarms,
} from '#infra/constructs/platform-alarms.ts';
import type { PipelineSettings } from '#infra/constructs/settings.ts';
import { statsAlarms } from '#infra/constructs/stats-alarms.ts';
import { timeoutSeconds } from '#infra/constructs/timeouts.ts';

export type WatchedParts = {
  readonly metrics: PipelineMetrics;
  readonly functions: Readonly<Record<FunctionRole, PipelineFunction>>;
  readonly lostInvocations: IQueue;
};

/** Every alarm of a pipeline. What a schedule that is off would publish is not watched. */
export function alarmDefinitions(
  settings: PipelineSettings,
  { metrics, functions, lostInvocations }: WatchedParts,
): readonly AlarmDefinition[] {
  const alarms: AlarmDefinition[] = [
    ...tableAlarms(metrics),
    lostInvocationsAlarm(lostInvocations),
  ];
  for (const role of FUNCTION_ROLES) {
    const minutes = everyMinutes(settings, role);
    if (minutes !== 'off') alarms.push(errorAlarm(role, functions[role].lambda, minutes));
  }
  const consumerMinutes = everyMinutes(settings, 'consumer');
  if (consumerMinutes !== 'off') {
    const timeout = timeoutSeconds(settings, 'consumer');
    alarms.push(
      notRunningAlarm(functions.consumer.lambda, consumerMinutes, timeout),
      ...consumerAlarms(metrics, consumerMinutes),
    );
  }
  const statsMinutes = everyMinutes(settings, 'stats');
  if (statsMinutes !== 'off') {
    alarms.push(...statsAlarms(metrics, statsMinutes, statsSchema.parse(settings.stats ?? {})));
  }
  return alarms;
}
