import { generateKeyPairSync } from 'node:crypto';
import type { SenderDependencies } from '#adapters/providers/profile-sender.ts';
import { type ChannelsConfig, channelsSchema, type ProviderName } from '#config/channels.ts';
import type { Sender, SendRequest } from '#ports';
import { openSenders } from '#wiring/open-senders.ts';

/** One provider as the contract suite meets it: a real sender against the vendor's own wire form. */
export type VendorStand = {
  readonly provider: ProviderName;
  /** What the sender claims. */
  readonly dedupes: boolean;
  /** The emulator's surface, also its route in the fault plan. */
  readonly surface: string;
  /** The channel as a deployment writes it, its addresses in the emulator. */
  readonly channel: (url: string) => Readonly<Record<string, unknown>>;
  /** What the emulator counts effects by. */
  readonly effectKey: (request: SendRequest) => string;
  /** The code of an ordinary refusal of one message. */
  readonly rejectedAs: string;
  readonly deferredAs: string;
};

const MAIL = { subject: 'Trial of {{data.plan}}', text: 'Ends {{scheduled_at}}.' };
const SMS = { text: 'Your {{data.plan}} trial ends.' };
const directory = (url: string, channel: string) => ({
  from: 'directory',
  url: `${url}/directory/{user_id}?channel=${channel}`,
});
const bySendKey = (request: SendRequest) => request.sendKey;

export const VENDOR_STANDS: readonly VendorStand[] = [
  {
    provider: 'http',
    dedupes: true,
    surface: 'generic',
    channel: (url) => ({
      url: `${url}/send/generic`,
      class: 'dedupes',
      windowSeconds: 86_400,
      secretRef: 'env:KEY',
    }),
    effectKey: bySendKey,
    rejectedAs: 'HTTP_422',
    deferredAs: 'HTTP_429',
  },
  {
    provider: 'infrai-email',
    dedupes: true,
    surface: 'infrai-email',
    channel: (baseUrl) => ({
      baseUrl,
      secretRef: 'env:KEY',
      content: MAIL,
      recipient: directory(baseUrl, 'email'),
    }),
    effectKey: bySendKey,
    rejectedAs: 'HTTP_422',
    deferredAs: 'HTTP_429_RATE_LIMITED',
  },
  {
    provider: 'infrai-sms',
    dedupes: true,
    surface: 'infrai-sms',
    channel: (baseUrl) => ({
      baseUrl,
      secretRef: 'env:KEY',
      content: SMS,
      recipient: directory(baseUrl, 'sms'),
    }),
    effectKey: bySendKey,
    rejectedAs: 'HTTP_422',
    deferredAs: 'HTTP_429_RATE_LIMITED',
  },
  {
    provider: 'resend',
    dedupes: true,
    surface: 'resend',
    channel: (baseUrl) => ({
      baseUrl,
      secretRef: 'env:KEY',
      from: 'Acme <hello@example.com>',
      content: MAIL,
      recipient: directory(baseUrl, 'email'),
    }),
    effectKey: bySendKey,
    rejectedAs: 'HTTP_422',
    deferredAs: 'HTTP_429',
  },
  {
    provider: 'onesignal',
    dedupes: true,
    surface: 'onesignal',
    channel: (baseUrl) => ({
      baseUrl,
      secretRef: 'env:KEY',
      appId: '0f0f0f0f-0000-4000-8000-000000000000',
      content: { title: 'Trial', text: 'Ends {{scheduled_at}}' },
    }),
    effectKey: ({ sendUuid }) => `${sendUuid.slice(0, 14)}4${sendUuid.slice(15)}`,
    rejectedAs: 'HTTP_422',
    deferredAs: 'HTTP_429',
  },
  {
    provider: 'ses',
    dedupes: false,
    surface: 'ses',
    channel: (endpointUrl) => ({
      endpointUrl,
      region: 'eu-central-1',
      from: 'hello@example.com',
      content: MAIL,
      recipient: directory(endpointUrl, 'email'),
    }),
    effectKey: bySendKey,
    rejectedAs: 'HTTP_400_MESSAGEREJECTED',
    deferredAs: 'HTTP_429_TOOMANYREQUESTSEXCEPTION',
  },
  {
    provider: 'aws-sms',
    dedupes: false,
    surface: 'aws-sms',
    channel: (endpointUrl) => ({
      endpointUrl,
      region: 'eu-central-1',
      content: SMS,
      recipient: directory(endpointUrl, 'sms'),
    }),
    effectKey: bySendKey,
    rejectedAs: 'HTTP_400_VALIDATIONEXCEPTION',
    deferredAs: 'HTTP_400_THROTTLINGEXCEPTION',
  },
  {
    provider: 'twilio',
    dedupes: false,
    surface: 'twilio',
    channel: (baseUrl) => ({
      baseUrl,
      secretRef: 'env:KEY',
      accountSid: `AC${'0a'.repeat(16)}`,
      from: '+15550001111',
      statusCallbackUrl: 'https://hooks.example.com/twilio',
      content: SMS,
      recipient: directory(baseUrl, 'sms'),
    }),
    effectKey: bySendKey,
    rejectedAs: 'HTTP_400_21614',
    deferredAs: 'HTTP_429_20429',
  },
  {
    provider: 'fcm',
    dedupes: false,
    surface: 'fcm',
    channel: (baseUrl) => ({
      baseUrl,
      tokenUrl: `${baseUrl}/token`,
      secretRef: 'env:SERVICE_ACCOUNT',
      projectId: 'remind-once',
      content: { title: 'Trial', text: 'Ends {{scheduled_at}}' },
      recipient: directory(baseUrl, 'push'),
    }),
    effectKey: ({ sendUuid }) => sendUuid,
    rejectedAs: 'HTTP_400_INVALID_ARGUMENT',
    deferredAs: 'HTTP_429_QUOTA_EXCEEDED',
  },
];

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** As Google hands one out, with a key made for this run. */
export const SERVICE_ACCOUNT = JSON.stringify({
  type: 'service_account',
  client_email: 'sender@remind-once.iam.gserviceaccount.com',
  private_key_id: 'key-1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
});

/** The channel through the deployment's own schema: what it would refuse, the suite refuses. */
export function parsedChannel(
  stand: VendorStand,
  url: string,
  more: Readonly<Record<string, unknown>> = {},
): ChannelsConfig {
  const channel = { provider: stand.provider, ...stand.channel(url), ...more };
  return channelsSchema.parse({ under_test: channel });
}

/** The sender that the wiring opens for the channel. @param change last-minute settings, unchecked */
export async function openVendorSender(
  stand: VendorStand,
  url: string,
  dependencies: SenderDependencies,
  change: { readonly sendTimeoutMs?: number } = {},
): Promise<Sender> {
  const channel = parsedChannel(stand, url)['under_test'];
  const config = { under_test: { ...channel, ...change } } as ChannelsConfig;
  const sender = (await openSenders(config, dependencies)).get('under_test');
  if (sender === undefined) throw new Error(`no sender was opened for ${stand.provider}`);
  return sender;
}
