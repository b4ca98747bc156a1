import { Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { ReminderLedger } from '#infra/constructs/reminder-ledger.ts';
import { ReminderPipeline } from '#infra/constructs/reminder-pipeline.ts';
import { install } from '#infra/stacks/installation.ts';
import { allowances } from '#test/support/policy-statements.ts';
import { production, resourcesOf, testApp } from '#test/support/synthesise.ts';

const CHANNELS = { push: { provider: 'http', url: 'https://push.example.com/send' } } as const;

/** The construct as another application would use it: one stack, all defaults. */
function foreignApp(...names: readonly string[]) {
  const app = testApp();
  const stack = new Stack(app, 'Foreign');
  const pipelines = names.map((pipeline) => {
    const ledger = new ReminderLedger(stack, `${pipeline}Ledger`);
    const queueName = `queue-${pipeline}`;
    const settings = { pipeline, stage: 'prod', queueName, channels: CHANNELS };
    return new ReminderPipeline(stack, `${pipeline}Pipeline`, { ledger, ...settings });
  });
  return { app, stack, pipelines };
}

describe('ReminderPipeline in an application of somebody else', () => {
  it('needs a queue and a channel, and fills in the rest', () => {
    const { stack } = foreignApp('orders');
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::Lambda::Function', 3);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
  });

  it('lives twice in one account: own functions, own metrics, own alarms', () => {
    const { stack } = foreignApp('orders', 'visits');
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::Lambda::Function', 6);
    const services = Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm'))
      .filter(({ Properties }) => Properties['Namespace'] === 'RemindOnce')
      .map(({ Properties }) => JSON.stringify(Properties['Dimensions']));
    expect(new Set(services)).toEqual(
      new Set([
        '[{"Name":"service","Value":"orders"},{"Name":"stage","Value":"prod"}]',
        '[{"Name":"service","Value":"visits"},{"Name":"stage","Value":"prod"}]',
      ]),
    );
  });

  it('refuses two pipelines of one name, and two on one ledger', () => {
    const { app, stack, pipelines } = foreignApp('orders');
    const [first] = pipelines;
    new ReminderPipeline(stack, 'Second', {
      ledger: first?.ledger ?? new ReminderLedger(stack, 'Unused'),
      pipeline: 'orders',
      stage: 'prod',
      queueName: 'other',
      channels: CHANNELS,
    });
    expect(() => app.synth()).toThrow(/exists twice[\s\S]*shares its ledger/);
  });

  it('grants an operator what the command line does, and a viewer only a look', () => {
    const { stack, pipelines } = foreignApp('orders');
    const role = (id: string) =>
      new Role(stack, id, { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
    pipelines[0]?.grantReadLedger(role('Viewer'));
    pipelines[0]?.grantOperate(role('Operator'));
    const actions = (id: string) =>
      allowances(Template.fromStack(stack))
        .filter(({ policy }) => policy.startsWith(id))
        .map(({ action }) => action);
    expect(new Set(actions('Viewer'))).toEqual(new Set(['dynamodb:GetItem', 'dynamodb:Query']));
    expect([...new Set(actions('Operator'))].toSorted()).toEqual([
      'cloudformation:DescribeStacks',
      'cloudwatch:GetMetricData',
      'dynamodb:DescribeContinuousBackups',
      'dynamodb:DescribeTable',
      'dynamodb:DescribeTimeToLive',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'lambda:GetFunctionConfiguration',
      'lambda:InvokeFunction',
      'scheduler:GetSchedule',
      'secretsmanager:GetSecretValue',
      'sns:ListSubscriptionsByTopic',
    ]);
  });

  it('gives its metrics with its own dimensions', () => {
    const [pipeline] = foreignApp('orders').pipelines;
    expect(pipeline?.metricReceipts().toMetricConfig().metricStat).toMatchObject({
      namespace: 'RemindOnce',
      metricName: 'Receipts',
      statistic: 'Sum',
      dimensions: [
        { name: 'service', value: 'orders' },
        { name: 'stage', value: 'prod' },
      ],
    });
    expect(pipeline?.metricDeadLetters().toMetricConfig().metricStat?.statistic).toBe('Maximum');
    expect(pipeline?.metricEndToEndSeconds().toMetricConfig().metricStat?.statistic).toBe('p99');
  });

  it('reserves nothing in an account that is too small for it', () => {
    const app = testApp();
    const { service } = install(app, production({ reserveConcurrency: false }));
    for (const { Properties } of Object.values(
      resourcesOf(Template.fromStack(service), 'AWS::Lambda::Function'),
    )) {
      expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
    }
  });

  it('refuses an environment above the 4 KB of Lambda, naming the largest variables', () => {
    const channels = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `channel-${index}`,
        { ...CHANNELS.push, url: `https://push.example.com/${'x'.repeat(60)}/${index}` },
      ]),
    );
    const { defaultChannel: _none, ...settings } = production({ channels });
    const app = testApp();
    install(app, settings);
    expect(() => app.synth()).toThrow(/Lambda allows 4096; largest: CHANNELS/);
  });

  it('warns of a key epoch that begins within the hour', () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const { ledger } = install(
      testApp(),
      production({ keyEpochs: [{ id: 'first' }, { id: 'next', from: soon }] }),
    );
    Annotations.fromStack(ledger).hasWarning('*', Match.stringLikeRegexp('starts within the hour'));
  });
});
