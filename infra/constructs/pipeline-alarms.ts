import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AlarmDefinition } from '#infra/constructs/alarm-definition.ts';

export type PipelineAlarmsProps = {
  readonly definitions: readonly AlarmDefinition[];
  readonly topic: ITopic;
  readonly runbookUrl: string;
};

/** Makes the alarms of their definitions; each speaks when it begins and when it ends. */
export class PipelineAlarms extends Construct {
  /** By the definition's id. */
  readonly byId: ReadonlyMap<string, Alarm>;

  constructor(scope: Construct, id: string, props: PipelineAlarmsProps) {
    super(scope, id);
    const action = new SnsAction(props.topic);
    this.byId = new Map(
      props.definitions.map((definition) => {
        const alarm = new Alarm(this, definition.id, {
          alarmDescription: `${definition.meaning} ${definition.advice} Runbook: ${props.runbookUrl}#${definition.section}`,
          metric: definition.metric,
          comparisonOperator: definition.operator,
          threshold: definition.threshold,
          evaluationPeriods: definition.of,
          datapointsToAlarm: definition.datapoints,
          treatMissingData: definition.missing,
        });
        alarm.addAlarmAction(action);
        alarm.addOkAction(action);
        return [definition.id, alarm] as const;
      }),
    );
  }
}
