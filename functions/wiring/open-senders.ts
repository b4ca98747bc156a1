import type { SenderDependencies } from '#adapters/providers/profile-sender.ts';
import type { ChannelConfig, ChannelsConfig } from '#config/channels.ts';
import { errorName, RemindOnceError } from '#core/errors.ts';
import type { Sender } from '#ports';

/**
 * The senders of all channels, by channel. Each provider's module, and with it a vendor's SDK, is
 * loaded here only when a channel names it: a bundle without SES need not even carry its client.
 */
export async function openSenders(
  channels: ChannelsConfig,
  dependencies: SenderDependencies,
): Promise<ReadonlyMap<string, Sender>> {
  const entries = await Promise.all(
    Object.entries(channels).map(
      async ([name, channel]) => [name, await openNamed(name, channel, dependencies)] as const,
    ),
  );
  return new Map(entries);
}

async function openNamed(
  name: string,
  channel: ChannelConfig,
  dependencies: SenderDependencies,
): Promise<Sender> {
  try {
    return await openSender(channel, dependencies);
  } catch (error) {
    if (errorName(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new RemindOnceError(
      'PROVIDER_SDK_MISSING',
      `channel ${name} has the provider ${channel.provider}, whose SDK this bundle left out; it is built for the channels that infra names: deploy again with this one among them`,
    );
  }
}

async function openSender(
  channel: ChannelConfig,
  dependencies: SenderDependencies,
): Promise<Sender> {
  switch (channel.provider) {
    case 'http': {
      const { createHttpSender } = await import('#adapters/providers/http-sender.ts');
      return createHttpSender(channel, dependencies);
    }
    case 'infrai-email': {
      const { createInfraiEmailSender } = await import('#adapters/providers/infrai-sender.ts');
      return createInfraiEmailSender(channel, dependencies);
    }
    case 'infrai-sms': {
      const { createInfraiSmsSender } = await import('#adapters/providers/infrai-sender.ts');
      return createInfraiSmsSender(channel, dependencies);
    }
    case 'resend': {
      const { createResendSender } = await import('#adapters/providers/resend-sender.ts');
      return createResendSender(channel, dependencies);
    }
    case 'onesignal': {
      const { createOneSignalSender } = await import('#adapters/providers/onesignal-sender.ts');
      return createOneSignalSender(channel, dependencies);
    }
    case 'ses': {
      const { openSesSender } = await import('#adapters/providers/ses-sender.ts');
      return openSesSender(channel, dependencies);
    }
    case 'aws-sms': {
      const { openAwsSmsSender } = await import('#adapters/providers/aws-sms-sender.ts');
      return openAwsSmsSender(channel, dependencies);
    }
    case 'twilio': {
      const { createTwilioSender } = await import('#adapters/providers/twilio-sender.ts');
      return createTwilioSender(channel, dependencies);
    }
    case 'fcm': {
      const { openFcmSender } = await import('#adapters/providers/fcm-sender.ts');
      return openFcmSender(channel, dependencies);
    }
  }
}
