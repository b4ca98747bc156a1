import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { createSdkTransport } from '#adapters/aws/sdk-request-handler.ts';
import { canonicalJson } from '#adapters/providers/canonical-json.ts';
import { type Compose, type Write, written } from '#adapters/providers/composition.ts';
import {
  createProfileSender,
  type SenderDependencies,
  withChannel,
} from '#adapters/providers/profile-sender.ts';
import type { ProviderProfile } from '#adapters/providers/provider-profile.ts';
import { createRecipientSource } from '#adapters/providers/recipient.ts';
import { SEND_KEY_TAG } from '#adapters/providers/request-key.ts';
import { createSdkExchange } from '#adapters/providers/sdk-exchange.ts';
import type { SesChannelConfig } from '#config/channels/aws-channels.ts';
import type { Sender, SendRequest } from '#ports';

/**
 * Sources: the types of `@aws-sdk/client-sesv2` (SendEmail takes no token of any kind; its answer
 * is `MessageId`; errors as listed below; tag values are ASCII letters, digits, `_` and `-`, at most
 * 256) and the SES API reference, "SendEmail" and "GetMessageInsights" (which asks by SES's own
 * MessageId only). Blind; the send key is the message tag `send_key`, which SES carries into the
 * events of the configuration set, where a person finds an unknown one again.
 */
export const SES_PROFILE: ProviderProfile = {
  provider: 'ses',
  providerClass: 'blind',
  windowSeconds: null,
  commitSeconds: 5,
  key: { form: 'hex', place: 'metadata', name: `EmailTags.${SEND_KEY_TAG}` },
  receipt: { place: 'body', path: 'MessageId', required: true },
  statuses: {},
  codes: {
    place: 'header',
    path: 'x-amzn-errortype',
    meanings: {
      TooManyRequestsException: 'deferred',
      LimitExceededException: 'deferred',
      ThrottlingException: 'deferred',
      AccountSuspendedException: 'channel-stopped',
      SendingPausedException: 'channel-stopped',
      MailFromDomainNotVerifiedException: 'channel-stopped',
      NotFoundException: 'channel-stopped',
      MessageRejected: 'rejected',
      BadRequestException: 'rejected',
    },
  },
  lookUp: 'GetMessageInsights(MessageId)',
};

/** Loads the SES client; only a channel of this provider needs it. */
export async function openSesSender(
  channel: SesChannelConfig,
  dependencies: SenderDependencies,
): Promise<Sender> {
  const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2');
  const profile = withChannel(SES_PROFILE, channel);
  const transport = createSdkTransport(dependencies.http, channel.sendTimeoutMs);
  const client = new SESv2Client({
    ...(channel.region !== undefined && { region: channel.region }),
    ...(channel.endpointUrl !== undefined && { endpoint: channel.endpointUrl }),
    maxAttempts: 1,
    requestHandler: transport.requestHandler,
  });
  const compose: Compose = (write, _reminder, to) => ({
    FromEmailAddress: channel.from,
    Destination: { ToAddresses: [to] },
    ReplyToAddresses: channel.replyTo && [channel.replyTo],
    ConfigurationSetName: channel.configurationSet,
    Content: contentOf(channel, write),
  });
  return createProfileSender(
    {
      profile,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      compose,
      recipientOf: createRecipientSource(channel.recipient, 'email', dependencies),
      exchange: createSdkExchange(
        {
          transport,
          call: (body, request) => client.send(new SendEmailCommand(inputOf(body, request))),
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
): SendEmailCommandInput {
  return {
    ...(body as unknown as SendEmailCommandInput),
    EmailTags: [{ Name: SEND_KEY_TAG, Value: request.sendKey }],
  };
}

function contentOf({ content, template }: SesChannelConfig, write: Write) {
  if (template !== undefined) {
    const TemplateData = canonicalJson(written(write, template.variables));
    return { Template: { TemplateName: template.id, TemplateData } };
  }
  const part = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    Simple: {
      Subject: part(write(content?.subject ?? '', 'line')),
      Body: {
        Text: content?.text && part(write(content.text, 'text')),
        Html: content?.html && part(write(content.html, 'html')),
      },
    },
  };
}
