import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SendRequest } from '#ports';
import { plantAwsCredentials } from '#test/support/planted-aws-credentials.ts';
import { REMINDER, REQUEST } from '#test/support/sender-stand.ts';
import { type VendorServerSetup, vendor, vendorServer } from '#test/support/vendor-server.ts';
import { VENDOR_STANDS, type VendorStand } from '#test/support/vendor-stands.ts';

const cleanUps: (() => unknown)[] = [];
beforeEach(() => {
  cleanUps.push(plantAwsCredentials());
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function open(provider: VendorStand['provider'], setup: VendorServerSetup = {}) {
  const stand = await vendorServer(vendor(provider), setup);
  cleanUps.push(stand.close);
  return stand;
}

const send = (data: Readonly<Record<string, unknown>> = { plan: 'Pro' }): SendRequest => ({
  ...REQUEST,
  reminder: { ...REMINDER, data },
});
const HOSTILE = 'Pro\r\nBcc: victim@example.com\u2028<script>"&\'';

async function bodySent(
  provider: VendorStand['provider'],
  setup: VendorServerSetup = {},
  data?: Readonly<Record<string, unknown>>,
) {
  const { sender, toProvider } = await open(provider, setup);
  expect(await sender.send(send(data))).toMatchObject({ kind: 'accepted' });
  return JSON.parse(toProvider[0]?.text ?? '');
}

describe('what each provider is sent', () => {
  test('Infrai mail: words, or a template of theirs', async () => {
    expect(await bodySent('infrai-email', { channel: { from: 'Acme <a@example.com>' } })).toEqual({
      to: 'ann@example.com',
      from: 'Acme <a@example.com>',
      subject: 'Trial of Pro',
      text: 'Ends 2026-07-26T09:00:00Z.',
    });
    const template = { id: 'tpl_1', variables: { plan: '{{data.plan}}' } };
    expect(await bodySent('infrai-email', { channel: { content: undefined, template } })).toEqual({
      to: 'ann@example.com',
      template_id: 'tpl_1',
      template_vars: { plan: 'Pro' },
    });
  });

  test('Infrai SMS', async () => {
    expect(await bodySent('infrai-sms')).toEqual({
      to: '+15550002222',
      body: 'Your Pro trial ends.',
    });
  });

  test('Resend', async () => {
    const content = { subject: 'S', html: '<b>{{data.plan}}</b>' };
    expect(await bodySent('resend', { channel: { content, replyTo: 'r@example.com' } })).toEqual({
      from: 'Acme <hello@example.com>',
      to: ['ann@example.com'],
      reply_to: 'r@example.com',
      subject: 'S',
      html: '<b>Pro</b>',
    });
  });

  test('OneSignal: push, mail and SMS to the External ID, the key in the body', async () => {
    const common = {
      app_id: '0f0f0f0f-0000-4000-8000-000000000000',
      include_aliases: { external_id: ['planted-user'] },
      idempotency_key: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f',
    };
    expect(await bodySent('onesignal')).toEqual({
      ...common,
      target_channel: 'push',
      headings: { en: 'Trial' },
      contents: { en: 'Ends 2026-07-26T09:00:00Z' },
    });
    const content = { title: 'T', text: '<i>{{data.plan}}</i>' };
    expect(
      await bodySent('onesignal', { channel: { target: 'email', content } }, { plan: '<' }),
    ).toEqual({
      ...common,
      target_channel: 'email',
      email_subject: 'T',
      email_body: '<i>&lt;</i>',
    });
    const template = { id: 'tpl', variables: { plan: '{{data.plan}}' } };
    expect(
      await bodySent('onesignal', { channel: { target: 'sms', content: undefined, template } }),
    ).toEqual({
      ...common,
      target_channel: 'sms',
      template_id: 'tpl',
      custom_data: { plan: 'Pro' },
    });
  });

  test('SES: the send key as a message tag', async () => {
    expect(await bodySent('ses', { channel: { configurationSet: 'events' } })).toEqual({
      FromEmailAddress: 'hello@example.com',
      Destination: { ToAddresses: ['ann@example.com'] },
      ConfigurationSetName: 'events',
      Content: {
        Simple: {
          Subject: { Data: 'Trial of Pro', Charset: 'UTF-8' },
          Body: { Text: { Data: 'Ends 2026-07-26T09:00:00Z.', Charset: 'UTF-8' } },
        },
      },
      EmailTags: [{ Name: 'send_key', Value: REQUEST.sendKey }],
    });
    const template = { id: 'trial-ends', variables: { plan: '{{data.plan}}' } };
    const body = await bodySent('ses', { channel: { content: undefined, template } });
    expect(body.Content).toEqual({
      Template: { TemplateName: 'trial-ends', TemplateData: '{"plan":"Pro"}' },
    });
  });

  test('AWS SMS: the send key in the context', async () => {
    expect(await bodySent('aws-sms', { channel: { originationIdentity: 'Acme' } })).toEqual({
      DestinationPhoneNumber: '+15550002222',
      OriginationIdentity: 'Acme',
      MessageBody: 'Your Pro trial ends.',
      MessageType: 'TRANSACTIONAL',
      Context: { send_key: REQUEST.sendKey },
    });
  });

  test('Twilio: a form, the send key in the status callback', async () => {
    const { sender, toProvider } = await open('twilio');
    await sender.send(send({ plan: 'Pro & Co' }));
    const [seen] = toProvider;
    expect(seen?.path).toBe(`/2010-04-01/Accounts/AC${'0a'.repeat(16)}/Messages.json`);
    expect(seen?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(seen?.text))).toEqual({
      To: '+15550002222',
      From: '+15550001111',
      Body: 'Your Pro & Co trial ends.',
      StatusCallback: `https://hooks.example.com/twilio?send_key=${REQUEST.sendKey}`,
    });
  });

  test('FCM: tag and collapse id, so that a second push replaces the first', async () => {
    const content = { text: 'Ends soon', data: { plan: '{{data.plan}}' } };
    expect(await bodySent('fcm', { channel: { content } })).toEqual({
      message: {
        token: 'device-token-1',
        notification: { body: 'Ends soon' },
        data: { plan: 'Pro' },
        android: { notification: { tag: REQUEST.sendUuid } },
        apns: { headers: { 'apns-collapse-id': REQUEST.sendUuid } },
      },
    });
  });

  test('HTTP: the reminder and who it is for, or a body of the channel', async () => {
    const recipient = (url: string) => ({
      recipient: { from: 'directory', url: `${url}/directory/{user_id}?channel=email` },
    });
    expect(await bodySent('http', { channelOf: recipient })).toEqual({
      user_id: 'planted-user',
      reminder_id: 'trial-ends',
      scheduled_at: '2026-07-26T09:00:00Z',
      channel: 'push',
      data: { plan: 'Pro' },
      recipient: 'ann@example.com',
    });
    const body = {
      to: [{ mail: '{{recipient}}' }],
      plan: 'of {{data.plan}}',
      priority: 5,
      quiet: false,
    };
    expect(await bodySent('http', { channelOf: (url) => ({ ...recipient(url), body }) })).toEqual({
      to: [{ mail: 'ann@example.com' }],
      plan: 'of Pro',
      priority: 5,
      quiet: false,
    });
  });
});

describe('what a value cannot do', () => {
  test.each(['infrai-email', 'resend', 'ses'] as const)(
    'a subject of %s stays one line',
    async (provider) => {
      const body = await bodySent(provider, {}, { plan: HOSTILE });
      const subject = body.subject ?? body.Content.Simple.Subject.Data;
      expect(subject).toMatch(/^Trial of Pro Bcc: victim@example\.com <script>"&'$/);
    },
  );

  test.each(['infrai-email', 'resend', 'ses'] as const)(
    'html of %s stays text',
    async (provider) => {
      const content = { subject: 'S', html: '<p>{{data.plan}}</p>' };
      const body = await bodySent(provider, { channel: { content } }, { plan: HOSTILE });
      const html = body.html ?? body.Content.Simple.Body.Html.Data;
      expect(html).toContain('&lt;script&gt;&quot;&amp;&#39;');
      expect(html).not.toContain('<script>');
    },
  );

  test.each(['infrai-email', 'onesignal', 'ses'] as const)(
    'a variable of a template at %s stays one line: it may be for a subject',
    async (provider) => {
      const template = { id: 'tpl', variables: { plan: '{{data.plan}}' } };
      const setup = { channel: { content: undefined, template } };
      const text = JSON.stringify(await bodySent(provider, setup, { plan: HOSTILE }));
      expect(text).toContain('Pro Bcc: victim@example.com <script>');
    },
  );

  test.each(VENDOR_STANDS)('no value becomes a header of the call to $provider', async (stand) => {
    const { sender, toProvider } = await open(stand.provider);
    const hostile = { plan: HOSTILE };
    const { reminder } = send(hostile);
    await sender.send({ ...REQUEST, reminder: { ...reminder, reminderId: '苗条\r\nx-evil: 1' } });
    expect(toProvider).toHaveLength(1);
    expect(toProvider[0]?.headers['x-evil']).toBeUndefined();
    expect(JSON.stringify(toProvider[0]?.headers)).not.toMatch(/victim|script/);
  });
});

describe('a placeholder without a value', () => {
  const words = VENDOR_STANDS.filter(
    ({ provider }) => !['http', 'onesignal', 'fcm'].includes(provider),
  );

  test.each(words)('defers at $provider, before directory and provider', async (stand) => {
    const { sender, toProvider, toDirectory } = await open(stand.provider);
    expect(await sender.send(send({}))).toEqual({
      kind: 'deferred',
      code: 'CONTENT_VARIABLE_MISSING',
    });
    expect(toProvider).toHaveLength(0);
    expect(toDirectory).toHaveLength(0);
  });

  test('has a content of its own, so that nothing sent earlier is taken for it', async () => {
    const { sender } = await open('resend');
    expect(sender.content(send({}).reminder)).not.toBe(sender.content(send().reminder));
    expect(sender.content(send({}).reminder)).toBe(sender.content(send({}).reminder));
  });
});
