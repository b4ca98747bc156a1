import { Aws, Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  type IScheduleTarget,
  Schedule,
  ScheduleExpression,
  type ScheduleTargetConfig,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { allow } from '#infra/constructs/pipeline-function.ts';

export type FunctionScheduleProps = {
  readonly lambda: IFunction;
  /** `off` keeps the schedule, disabled. */
  readonly everyMinutes: number | 'off';
  readonly eventAgeSeconds: number;
  readonly description: string;
  /** Gets the ticks that could not be handed to the function at all. */
  readonly deadLetters: IQueue;
};

/** An EventBridge schedule that may invoke one function and nothing else. */
export class FunctionSchedule extends Construct {
  readonly schedule: Schedule;

  constructor(scope: Construct, id: string, props: FunctionScheduleProps) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    });
    allow(role, ['lambda:InvokeFunction'], [props.lambda.functionArn]);
    allow(role, ['sqs:SendMessage'], [props.deadLetters.queueArn]);
    const minutes = props.everyMinutes === 'off' ? 1 : props.everyMinutes;
    this.schedule = new Schedule(this, 'Schedule', {
      description: props.description,
      schedule: ScheduleExpression.rate(Duration.minutes(minutes)),
      enabled: props.everyMinutes !== 'off',
      target: new FunctionTarget(props, role),
    });
    // The first tick must not come before the role may act on it.
    this.schedule.node.addDependency(role);
  }
}

/**
 * CDK's own target grants every version and alias of the function by a wildcard and keeps events
 * for a day. A tick is worth nothing once the next one is due.
 */
class FunctionTarget implements IScheduleTarget {
  readonly #props: FunctionScheduleProps;
  readonly #role: Role;

  constructor(props: FunctionScheduleProps, role: Role) {
    this.#props = props;
    this.#role = role;
  }

  bind(): ScheduleTargetConfig {
    return {
      arn: this.#props.lambda.functionArn,
      role: this.#role,
      input: ScheduleTargetInput.fromObject({}),
      retryPolicy: {
        maximumRetryAttempts: 0,
        maximumEventAgeInSeconds: this.#props.eventAgeSeconds,
      },
      deadLetterConfig: { arn: this.#props.deadLetters.queueArn },
    };
  }
}
