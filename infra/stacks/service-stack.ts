import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { addPipelineOutputs } from '#infra/constructs/pipeline-outputs.ts';
import type { ReminderLedger } from '#infra/constructs/reminder-ledger.ts';
import { ReminderPipeline } from '#infra/constructs/reminder-pipeline.ts';
import type { PipelineSettings } from '#infra/constructs/settings.ts';

/** Everything that a release may change, replace or remove. */
export class ServiceStack extends Stack {
  readonly pipeline: ReminderPipeline;

  constructor(
    scope: Construct,
    id: string,
    settings: PipelineSettings,
    ledger: ReminderLedger,
    props: StackProps,
  ) {
    super(scope, id, props);
    this.pipeline = new ReminderPipeline(this, 'Pipeline', { ...settings, ledger });
    addPipelineOutputs(this, this.pipeline, settings.queueName);
  }
}
