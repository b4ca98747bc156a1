import { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { ReminderLedger } from '#infra/constructs/reminder-ledger.ts';
import { ReminderPipeline } from '#infra/constructs/reminder-pipeline.ts';
import type { ChannelsSettings } from '#infra/constructs/settings.ts';
import { checkBestPractices, install } from '#infra/stacks/installation.ts';
import { allowances } from '#test/support/policy-statements.ts';
import { production, resourcesOf, synthesise, testApp } from '#test/support/synthesise.ts';

const RECIPIENT = {
  from: 'directory',
  url: 'https://users.example.com/{user_id}',
  secretRef: 'create',
} as const;

const SES: ChannelsSettings = {
  mail: {
    provider: 'ses',
    from: 'Reminders <no-reply@mail.example.com>',
    configurationSet: 'reminders',
    content: { subject: 'Reminder', text: 'It is time.' },
    recipient: RECIPIENT,
  },
};

const SMS: ChannelsSettings = {
  sms: { provider: 'aws-sms', content: { text: 'It is time.' }, recipient: RECIPIENT },
};

const WEBHOOK: ChannelsSettings = {
  hook: {
    provider: 'http',
    url: 'https://hook.example.com/reminders',
    signing: { secretRef: 'create', previousSecretRef: 'create' },
    body: { secretRef: 'a word of the team, not a secret' },
  },
};

function withChannels(channels: ChannelsSettings) {
  const { defaultChannel: _none, ...settings } = production({ channels });
  return settings;
}

function sendingTo(channels: ChannelsSettings, action: string): readonly string[] {
  const { service } = synthesise(withChannels(channels));
  return allowances(service)
    .filter((allowance) => allowance.action === action)
    .map(({ policy, resource }) => `${policy} ${JSON.stringify(resource)}`);
}

describe('permissions of the AWS providers', () => {
  it('let the consumer send as the identities of the channel, and no other function', () => {
    const allowed = sendingTo(SES, 'ses:SendEmail');
    const names = allowed.map((one) => /:((identity|configuration-set)\/[^"]+)"/.exec(one)?.[1]);
    expect(names.toSorted()).toEqual([
      'configuration-set/reminders',
      'identity/example.com',
      'identity/mail.example.com',
      'identity/no-reply@mail.example.com',
    ]);
    expect(allowed.every((one) => one.startsWith('PipelineConsumer'))).toBe(true);
  });

  it('open every origin of the account only where the channel leaves the choice to AWS', () => {
    expect(sendingTo(SMS, 'sms-voice:SendTextMessage')).toHaveLength(3);
    const [sms] = Object.values(SMS);
    const chosen = { sms: { ...sms, originationIdentity: 'pool-0a1b' } } as ChannelsSettings;
    const [pool, ...others] = sendingTo(chosen, 'sms-voice:SendTextMessage');
    expect(pool).toContain(':pool/pool-0a1b');
    expect(others).toEqual([]);
  });

  it.each([
    ['ses', SES],
    ['aws-sms', SMS],
  ])('pass cdk-nag with a reason: %s', (_provider, channels) => {
    const app = testApp();
    install(app, withChannels(channels));
    checkBestPractices(app);
    expect(() => app.synth()).not.toThrow();
  });

  it('are not there without such a channel', () => {
    expect(sendingTo(WEBHOOK, 'ses:SendEmail')).toEqual([]);
    expect(sendingTo(WEBHOOK, 'sms-voice:SendTextMessage')).toEqual([]);
  });
});

describe('secrets of channels', () => {
  it('are made for each reference of a channel, however deep, and for no word of its body', () => {
    const { ledger, service } = synthesise(withChannels(WEBHOOK));
    const ids = Object.keys(resourcesOf(ledger, 'AWS::SecretsManager::Secret'));
    expect(ids.filter((id) => id.startsWith('LedgerChannel'))).toHaveLength(2);
    const consumer = Object.entries(resourcesOf(service, 'AWS::Lambda::Function')).find(([id]) =>
      id.startsWith('PipelineConsumer'),
    );
    const variables = JSON.stringify(consumer?.[1].Properties['Environment']);
    expect(variables).toMatch(/PublishOutputRefLedgerChannelhooksigning[0-9A-F]{8}/);
    expect(variables).toMatch(/PublishOutputRefLedgerChannelhooksigningpreviousSecretRef/);
    expect(variables).toContain('a word of the team');
  });

  it('are missed when the ledger was given other channels', () => {
    const stack = new Stack(testApp(), 'Foreign');
    const ledger = new ReminderLedger(stack, 'Ledger');
    const pipeline = () =>
      new ReminderPipeline(stack, 'Pipeline', {
        ledger,
        stage: 'prod',
        queueName: 'reminders',
        channels: WEBHOOK,
      });
    expect(pipeline).toThrow(/channels\.hook\.signing\.secretRef: is unknown to the ledger/);
  });
});
