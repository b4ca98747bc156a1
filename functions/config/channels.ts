import * as z from 'zod/mini';
import { awsSmsChannel, sesChannel } from '#config/channels/aws-channels.ts';
import { fcmChannel } from '#config/channels/fcm-channel.ts';
import { httpChannel } from '#config/channels/http-channel.ts';
import { infraiEmailChannel, infraiSmsChannel } from '#config/channels/infrai-channels.ts';
import { oneSignalChannel } from '#config/channels/onesignal-channel.ts';
import { resendChannel } from '#config/channels/resend-channel.ts';
import { twilioChannel } from '#config/channels/twilio-channel.ts';

export { channelCommon, providerUrl, secretRef } from '#config/channels/channel-common.ts';

const CHANNEL_SCHEMAS = [
  httpChannel,
  infraiEmailChannel,
  infraiSmsChannel,
  resendChannel,
  oneSignalChannel,
  sesChannel,
  awsSmsChannel,
  twilioChannel,
  fcmChannel,
] as const;

export const PROVIDER_NAMES = [
  'http',
  'infrai-email',
  'infrai-sms',
  'resend',
  'onesignal',
  'ses',
  'aws-sms',
  'twilio',
  'fcm',
] as const satisfies readonly ChannelConfig['provider'][];
export type ProviderName = ChannelConfig['provider'];

export const channelSchema = z.discriminatedUnion('provider', CHANNEL_SCHEMAS, {
  error: `has no known provider; allowed: ${PROVIDER_NAMES.join(', ')}`,
});
export type ChannelConfig = z.output<(typeof CHANNEL_SCHEMAS)[number]>;

export const channelsSchema = z
  .record(
    z
      .string()
      .check(
        z.regex(/^[a-z][a-z0-9_-]{0,63}$/, { error: 'is not a channel name ([a-z][a-z0-9_-]*)' }),
      ),
    channelSchema,
  )
  .check(
    z.refine((channels) => Object.keys(channels).length > 0, {
      error: 'is empty; configure at least one channel',
    }),
  );
export type ChannelsConfig = z.output<typeof channelsSchema>;
