import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { PipelineFunction } from '#infra/constructs/pipeline-function.ts';
import type { ChannelSettings } from '#infra/constructs/settings.ts';

/** The channel's name while a sink is deployed. */
export const SINK_CHANNEL = 'sink';

/**
 * A provider that only answers, so that a first deployment can be tried from end to end before any
 * real provider is named. Its URL is open to the world: whoever finds it gets a receipt for
 * nothing and can neither read nor reach anything.
 */
export class TestSink extends Construct {
  /** The channel that sends to this sink. */
  readonly channel: ChannelSettings;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { lambda } = new PipelineFunction(this, 'Sink', {
      entry: 'functions/sink/handler.ts',
      description: 'Remind Once: answers test reminders like a provider, and keeps nothing',
      environment: {},
      memoryMb: 128,
      timeoutSeconds: 5,
      reservedConcurrency: undefined,
      eventAgeSeconds: 60,
      logRetentionDays: 1,
    });
    const { url } = lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    this.channel = { provider: 'http', url, class: 'dedupes', windowSeconds: 86_400 };
  }
}
