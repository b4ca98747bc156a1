import { describe, expect, test } from 'vitest';
import { channelSecretRefs, channelWarnings, preparationMs } from '#config/channel-facts.ts';
import { type ChannelConfig, channelsSchema, PROVIDER_NAMES } from '#config/channels.ts';
import { deliverySchema } from '#config/delivery-config.ts';
import { drainSchema } from '#config/drain-config.ts';
import { FaultCollector } from '#config/faults.ts';
import { nestedTimeFaults, worstDeliveryMs } from '#config/nested-times.ts';
import { PROVIDER_SDKS, unusedProviderSdks } from '#config/provider-sdks.ts';
import { parsedChannel, VENDOR_STANDS } from '#test/support/vendor-stands.ts';

const URL_OF_TESTS = 'https://api.example.com';

function faultsOf(channel: object): Readonly<Record<string, string>> {
  const faults = new FaultCollector();
  faults.check('CHANNELS', channelsSchema, { c: channel });
  return Object.fromEntries(
    faults.faults.map(({ setting, problem }) => [setting.replace('CHANNELS.c.', ''), problem]),
  );
}
function channelOf(provider: ChannelConfig['provider'], more: object = {}): ChannelConfig {
  const stand = VENDOR_STANDS.find((each) => each.provider === provider);
  if (stand === undefined) throw new Error(`no stand for ${provider}`);
  return parsedChannel(stand, URL_OF_TESTS, more as Record<string, unknown>)[
    'under_test'
  ] as ChannelConfig;
}
const written = (provider: ChannelConfig['provider'], more: object = {}) => {
  const stand = VENDOR_STANDS.find((each) => each.provider === provider);
  return { provider, ...stand?.channel(URL_OF_TESTS), ...more };
};

test('every provider has a schema and a stand', () => {
  expect(VENDOR_STANDS.map(({ provider }) => provider)).toEqual([...PROVIDER_NAMES]);
  for (const { provider } of VENDOR_STANDS) expect(channelOf(provider).provider).toBe(provider);
});

test('an unknown provider is told the known ones', () => {
  expect(faultsOf({ provider: 'pigeon' })).toEqual({
    provider: `has no known provider; allowed: ${PROVIDER_NAMES.join(', ')}`,
  });
});

describe.each(PROVIDER_NAMES)('%s', (provider) => {
  test('takes no setting that it does not know', () => {
    expect(JSON.stringify(faultsOf(written(provider, { tokn: 'x' })))).toContain('tokn');
  });

  test('is called over HTTPS, and over HTTP on this machine only', () => {
    const faultsAt = (url: string) => {
      const stand = VENDOR_STANDS.find((each) => each.provider === provider);
      return Object.values(faultsOf({ provider, ...stand?.channel(url) }));
    };
    expect(faultsAt('https://api.example.com')).toEqual([]);
    expect(faultsAt('http://127.0.0.1:4000')).toEqual([]);
    expect(faultsAt('http://api.example.com').join()).toContain('must be an https URL');
    expect(faultsAt('http://127.0.0.1.example.com').join()).toContain('must be an https URL');
    const withPassword = faultsAt('https://user:planted@api.example.com').join();
    expect(withPassword).toContain('use secretRef');
    expect(withPassword).not.toContain('planted');
  });
});

describe('faults are named, all at once', () => {
  test.each<[string, object, readonly string[]]>([
    ['mail without words', written('ses', { content: undefined }), ['content']],
    ['words twice', written('ses', { template: { id: 't' } }), ['content']],
    ['a mail of neither kind', written('resend', { content: { subject: 'S' } }), ['content']],
    [
      'a subject of two lines and an unknown placeholder',
      written('resend', { content: { subject: 'a\nb', text: '{{nope}}' } }),
      ['content.subject', 'content.text'],
    ],
    ['a from that adds a header', written('resend', { from: 'a@b.example\r\nBcc: c@d' }), ['from']],
    ['a from of two', written('ses', { from: 'a@b.example, c@d.example' }), ['from']],
    ['Twilio without a sender', written('twilio', { from: undefined }), ['from']],
    [
      'Twilio with two senders',
      written('twilio', { messagingServiceSid: `MG${'0a'.repeat(16)}` }),
      ['from'],
    ],
    [
      'a mail without a subject',
      written('onesignal', { target: 'email', content: { text: 't' } }),
      ['content.title'],
    ],
    ['an app id that is none', written('onesignal', { appId: 'x' }), ['appId']],
    [
      'FCM with less than it takes to answer',
      written('fcm', { sendTimeoutMs: 9_000 }),
      ['sendTimeoutMs'],
    ],
    [
      'a directory that does not ask for the user',
      written('ses', { recipient: { from: 'directory', url: 'https://d.example.com/all' } }),
      ['recipient.url'],
    ],
    [
      'a user who chooses the server',
      written('ses', { recipient: { from: 'directory', url: 'https://{user_id}.example.com/' } }),
      ['recipient.url'],
    ],
    [
      'an address from the provider, which needs one',
      written('ses', { recipient: { from: 'provider' } }),
      ['recipient.from'],
    ],
    ['no recipient', written('ses', { recipient: undefined }), ['recipient']],
    [
      'a webhook secret by value',
      written('http', { signing: { secretRef: 'whsec_abc' } }),
      ['signing.secretRef'],
    ],
    [
      'a body that names a recipient whom nobody looks up',
      written('http', { body: { to: '{{recipient}}' } }),
      ['recipient'],
    ],
    [
      'a recipient that the body does not name',
      written('http', { body: { to: 'x' }, recipient: { from: 'payload', path: 'mail' } }),
      ['body'],
    ],
    [
      'a deep body with a wrong placeholder',
      written('http', { body: { a: [{ b: '{{x}}' }] } }),
      ['body'],
    ],
  ])('%s', (_what, channel, settings) => {
    expect(Object.keys(faultsOf(channel)).sort()).toEqual([...settings].sort());
  });
});

describe('what else follows from a channel', () => {
  test('its secrets: what its role must be allowed to read', () => {
    expect(channelSecretRefs(channelOf('ses'))).toEqual([]);
    expect(channelSecretRefs(channelOf('resend'))).toEqual(['env:KEY']);
    const recipient = {
      from: 'directory',
      url: 'https://d.example.com/{user_id}',
      secretRef: 'env:DIRECTORY',
    };
    const signing = { secretRef: 'env:NEW', previousSecretRef: 'env:OLD' };
    expect(channelSecretRefs(channelOf('http', { signing, recipient }))).toEqual([
      'env:KEY',
      'env:NEW',
      'env:OLD',
      'env:DIRECTORY',
    ]);
  });

  test('the SDKs that a bundle can leave out', () => {
    expect(unusedProviderSdks({ push: channelOf('http') })).toEqual(Object.values(PROVIDER_SDKS));
    expect(unusedProviderSdks({ mail: channelOf('ses'), push: channelOf('fcm') })).toEqual([
      PROVIDER_SDKS['aws-sms'],
    ]);
  });

  test('time for look-ups, which lease and run must cover', () => {
    expect(preparationMs(channelOf('http'))).toBe(0);
    expect(preparationMs(channelOf('resend'))).toBe(3_000);
    expect(preparationMs(channelOf('fcm'))).toBe(8_000);
    const channels = { mail: channelOf('resend') };
    const tight = deliverySchema.parse({ leaseSeconds: 24 });
    expect(nestedTimeFaults(channels, tight, 60)).toEqual([]);
    const slow = {
      mail: channelOf('resend', {
        recipient: { from: 'directory', url: 'https://d.example.com/{user_id}', timeoutMs: 5_000 },
      }),
    };
    expect(nestedTimeFaults(slow, tight, 60).map(({ setting }) => setting)).toEqual([
      'CHANNELS.mail',
    ]);
    const drain = drainSchema.parse({});
    expect(worstDeliveryMs(slow, drain) - worstDeliveryMs(channels, drain)).toBe(4_000);
  });

  test('field report 4: warnings for what works and deserves a second look', () => {
    expect(channelWarnings({ quiet: channelOf('resend') })).toEqual([]);
    const signing = { secretRef: 'env:NEW', previousSecretRef: 'env:OLD' };
    const settings = channelWarnings({
      hook: channelOf('http', {
        sendTimeoutMs: 4_000,
        commitSeconds: 5,
        blindPolicy: 'resend',
        signing,
        recipient: { from: 'payload', path: 'mail' },
      }),
    }).map(({ setting }) => setting);
    expect(settings).toEqual([
      'CHANNELS.hook.sendTimeoutMs',
      'CHANNELS.hook.blindPolicy',
      'CHANNELS.hook.recipient.from',
      'CHANNELS.hook.signing.previousSecretRef',
    ]);
  });
});
