import type { SendTextMessageCommandInput } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { createSdkTransport } from '#adapters/aws/sdk-request-handler.ts';
import type { Compose } from '#adapters/providers/composition.ts';
import {
  createProfileSender,
  type SenderDependencies,
  withChannel,
} from '#adapters/providers/profile-sender.ts';
import type { ProviderProfile } from '#adapters/providers/provider-profile.ts';
import { createRecipientSource } from '#adapters/providers/recipient.ts';
import { SEND_KEY_TAG } from '#adapters/providers/request-key.ts';
import { createSdkExchange } from '#adapters/providers/sdk-exchange.ts';
import type { AwsSmsChannelConfig } from '#config/channels/aws-channels.ts';
import type { Sender, SendRequest } from '#ports';

/**
 * Source: the types of `@aws-sdk/client-pinpoint-sms-voice-v2` (SendTextMessage takes no client
 * token, unlike the set-up calls of the same service; `Context` is "logged to the event
 * destination"; the answer is `MessageId`; errors as listed below). Blind; the send key is the
 * context's `send_key`. Codes travel in the body's `__type` (AWS JSON protocol 1.0), their `Reason`
 * beside them: most reasons of ConflictException and ValidationException speak of the one number
 * (opted out, blocked, country not enabled), the three listed ones of the sender.
 */
export const AWS_SMS_PROFILE: ProviderProfile = {
  provider: 'aws-sms',
  providerClass: 'blind',
  windowSeconds: null,
  commitSeconds: 5,
  key: { form: 'hex', place: 'metadata', name: `Context.${SEND_KEY_TAG}` },
  receipt: { place: 'body', path: 'MessageId', required: true },
  statuses: {},
  codes: {
    place: 'body',
    path: 'Reason|__type',
    meanings: {
      MESSAGE_TYPE_MISMATCH: 'channel-stopped',
      NUMBER_CAPABILITIES_MISMATCH: 'channel-stopped',
      RESOURCE_NOT_ACCESSIBLE: 'channel-stopped',
      ThrottlingException: 'deferred',
      ServiceQuotaExceededException: 'channel-stopped',
      AccessDeniedException: 'channel-stopped',
      UnrecognizedClientException: 'channel-stopped',
      ExpiredTokenException: 'channel-stopped',
      ResourceNotFoundException: 'channel-stopped',
      ValidationException: 'rejected',
      ConflictException: 'rejected',
    },
  },
  lookUp: null,
};

/** Loads the SMS client; only a channel of this provider needs it. */
export async function openAwsSmsSender(
  channel: AwsSmsChannelConfig,
  dependencies: SenderDependencies,
): Promise<Sender> {
  const { PinpointSMSVoiceV2Client, SendTextMessageCommand } = await import(
    '@aws-sdk/client-pinpoint-sms-voice-v2'
  );
  const profile = withChannel(AWS_SMS_PROFILE, channel);
  const transport = createSdkTransport(dependencies.http, channel.sendTimeoutMs);
  const client = new PinpointSMSVoiceV2Client({
    ...(channel.region !== undefined && { region: channel.region }),
    ...(channel.endpointUrl !== undefined && { endpoint: channel.endpointUrl }),
    maxAttempts: 1,
    requestHandler: transport.requestHandler,
  });
  const compose: Compose = (write, _reminder, to) => ({
    DestinationPhoneNumber: to,
    OriginationIdentity: channel.originationIdentity,
    MessageBody: write(channel.content.text, 'text'),
    MessageType: channel.messageType,
    ConfigurationSetName: channel.configurationSet,
  });
  return createProfileSender(
    {
      profile,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      compose,
      recipientOf: createRecipientSource(channel.recipient, 'phone', dependencies),
      exchange: createSdkExchange(
        {
          transport,
          call: (body, request) => client.send(new SendTextMessageCommand(inputOf(body, request))),
        },
        dependencies,
      ),
    },
    dependencies,
  );
}

function inputOf(
  body: Readonly<Record<string, unknown>>,
  request: SendRequest,
): SendTextMessageCommandInput {
  return {
    ...(body as unknown as SendTextMessageCommandInput),
    Context: { [SEND_KEY_TAG]: request.sendKey },
  };
}
