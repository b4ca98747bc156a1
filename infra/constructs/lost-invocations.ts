import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/**
 * Ticks that could not be handed over and redrive or stats runs that failed for good. For a person
 * to read: nothing consumes it, and its alarm lasts until it is purged.
 */
export function lostInvocationsQueue(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason:
      'It is itself the dead-letter queue of schedules and functions, which CloudFormation states at the producers; nothing consumes it, so nothing could fail there.',
  });
  return queue;
}
