import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { addPipelineOutputs } from '#infra/constructs/pipeline-outputs.ts';
import type { ReminderLedger } from '#infra/constructs/reminder-ledger.ts';
import { ReminderPipeline } from '#infra/constructs/reminder-pipeline.ts';
import type { PipelineSettings } from '#infra/constructs/settings.ts';
import { SINK_CHANNEL, TestSink } from '#infra/constructs/test-sink.ts';

export type ServiceStackProps = StackProps & {
  readonly ledger: ReminderLedger;
  /** Adds a channel that sends to a provider of our own, which only answers. */
  readonly testSink: boolean;
};

/** Everything that a release may change, replace or remove. */
export class ServiceStack extends Stack {
  readonly pipeline: ReminderPipeline;

  constructor(
    scope: Construct,
    id: string,
    settings: PipelineSettings,
    { ledger, testSink, ...props }: ServiceStackProps,
  ) {
    super(scope, id, props);
    const sink = testSink ? { [SINK_CHANNEL]: new TestSink(this, 'TestSink').channel } : {};
    this.pipeline = new ReminderPipeline(this, 'Pipeline', {
      ...settings,
      channels: { ...settings.channels, ...sink },
      ledger,
    });
    addPipelineOutputs(this, this.pipeline, settings.queueName);
  }
}
