import { Stack, Token, Validations } from 'aws-cdk-lib';
import type { ChannelConfig } from '#config/channels.ts';
import type { PipelineFunction } from '#infra/constructs/pipeline-function.ts';

/** Lets the consumer send by AWS's own services, from the channels' senders only. */
export function allowProviders(
  consumer: PipelineFunction,
  channels: Readonly<Record<string, ChannelConfig>>,
): void {
  for (const channel of Object.values(channels)) {
    if (channel.provider === 'ses') allowSes(consumer, channel);
    if (channel.provider === 'aws-sms') allowSms(consumer, channel);
  }
}

type Channel<Provider> = Extract<ChannelConfig, { readonly provider: Provider }>;

/**
 * Sending is allowed by identity, configuration set and template. An address may be verified as
 * itself or by its domain or a parent of it, and SES asks for whichever it finds.
 */
function allowSes(consumer: PipelineFunction, channel: Channel<'ses'>): void {
  const address = /<([^>]+)>/.exec(channel.from)?.[1] ?? channel.from;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const labels = domain.split('.');
  const domains = labels.slice(0, -1).map((_label, index) => labels.slice(index).join('.'));
  const names = [...domains, address].map((identity) => `identity/${identity}`);
  if (channel.configurationSet !== undefined) {
    names.push(`configuration-set/${channel.configurationSet}`);
  }
  if (channel.template !== undefined) names.push(`template/${channel.template.id}`);
  consumer.allow(
    ['ses:SendEmail'],
    names.map((name) => arn(consumer, 'ses', name, channel.region)),
  );
}

function allowSms(consumer: PipelineFunction, channel: Channel<'aws-sms'>): void {
  const { originationIdentity, region } = channel;
  const names = smsOrigins(originationIdentity);
  const resources = names.map((name) =>
    name.startsWith('arn:') ? name : arn(consumer, 'sms-voice', name, region),
  );
  consumer.allow(['sms-voice:SendTextMessage'], resources);
  for (const resource of resources.filter((one) => one.includes('*'))) {
    Validations.of(consumer.role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${asFindingShows(consumer, resource)}]`,
      reason:
        'The channel names a number or sender id whose ARN cannot be derived, or leaves the choice by country to AWS; only origins of this account and region are open, for sending only.',
    });
  }
}

/** Only an ARN or the id of a resource says which one it is. */
function smsOrigins(identity: string | undefined): readonly string[] {
  if (identity?.startsWith('arn:')) return [identity];
  if (identity?.startsWith('phone-')) return [`phone-number/${identity}`];
  if (identity?.startsWith('pool-')) return [`pool/${identity}`];
  return ['phone-number/*', 'sender-id/*', 'pool/*'];
}

function arn(consumer: PipelineFunction, service: string, name: string, region?: string): string {
  const stack = Stack.of(consumer);
  return `arn:${stack.partition}:${service}:${region ?? stack.region}:${stack.account}:${name}`;
}

/** An acknowledgement names its finding, which shows what synthesis leaves open by reference. */
function asFindingShows(consumer: PipelineFunction, resource: string): string {
  const { partition, region, account } = Stack.of(consumer);
  const references = [
    [partition, '<AWS::Partition>'],
    [region, '<AWS::Region>'],
    [account, '<AWS::AccountId>'],
  ] as const;
  return references.reduce(
    (text, [value, reference]) =>
      Token.isUnresolved(value) ? text.replaceAll(value, reference) : text,
    resource,
  );
}
