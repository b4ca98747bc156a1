import { secretAuthorizer } from '#adapters/providers/authorization.ts';
import { type Compose, written } from '#adapters/providers/composition.ts';
import { createHttpExchange } from '#adapters/providers/http-exchange.ts';
import {
  createProfileSender,
  type SenderDependencies,
  withChannel,
} from '#adapters/providers/profile-sender.ts';
import type { CodeRule, ProviderProfile } from '#adapters/providers/provider-profile.ts';
import { createRecipientSource } from '#adapters/providers/recipient.ts';
import type {
  InfraiEmailChannelConfig,
  InfraiSmsChannelConfig,
} from '#config/channels/infrai-channels.ts';
import type { Sender } from '#ports';

/**
 * Sources: Infrai's public pages "Idempotency" (header `Idempotency-Key`, window 24 h, the same key
 * answers with the same result and is charged once), "Errors" (envelope `{ok, data, error}`; a
 * refusal carries it too, sometimes under a 200), "Email" and "SMS". Codes seen in public clients:
 * INSUFFICIENT_CREDIT (402), RATE_LIMITED (429). Whether the same key with another body is refused
 * is not documented; a 409 counts as unknown. There is no look-up by key: the repeat is the look-up.
 */
const WINDOW_SECONDS = 86_400;
const CODES: CodeRule = {
  place: 'body',
  path: 'error.code',
  meanings: { INSUFFICIENT_CREDIT: 'channel-stopped', RATE_LIMITED: 'deferred' },
};
const COMMON = {
  providerClass: 'dedupes',
  windowSeconds: WINDOW_SECONDS,
  commitSeconds: 5,
  key: { form: 'hex', place: 'header', name: 'Idempotency-Key' },
  statuses: {},
  codes: CODES,
  okMember: 'ok',
} as const;

/** Receipt: documented as `email_id`, read by public clients as `message_id`. */
export const INFRAI_EMAIL_PROFILE: ProviderProfile = {
  ...COMMON,
  provider: 'infrai-email',
  receipt: { place: 'body', path: 'data.email_id|data.message_id|data.id', required: true },
  lookUp: 'GET /v1/email/get/{receipt}',
};

/** Receipt: `sms_id` or `message_id`. */
export const INFRAI_SMS_PROFILE: ProviderProfile = {
  ...COMMON,
  provider: 'infrai-sms',
  receipt: { place: 'body', path: 'data.sms_id|data.message_id|data.id', required: true },
  lookUp: 'GET /v1/sms/status/{receipt}',
};

/** `POST /v1/email/send`: `to`, `subject`, `text`, `html`, `from`, or `template_id` + `template_vars`. */
export function createInfraiEmailSender(
  channel: InfraiEmailChannelConfig,
  dependencies: SenderDependencies,
): Sender {
  const { content, template } = channel;
  const compose: Compose = (write, _reminder, to) => ({
    to,
    from: channel.from,
    subject: content && write(content.subject, 'line'),
    text: content?.text && write(content.text, 'text'),
    html: content?.html && write(content.html, 'html'),
    template_id: template?.id,
    template_vars: template && written(write, template.variables),
  });
  return infraiSender(channel, INFRAI_EMAIL_PROFILE, 'email', compose, dependencies);
}

/** `POST /v1/sms/send`: `to` (E.164), `body`, `from`. */
export function createInfraiSmsSender(
  channel: InfraiSmsChannelConfig,
  dependencies: SenderDependencies,
): Sender {
  const compose: Compose = (write, _reminder, to) => ({
    to,
    from: channel.from,
    body: write(channel.content.text, 'text'),
  });
  return infraiSender(channel, INFRAI_SMS_PROFILE, 'sms', compose, dependencies);
}

function infraiSender(
  channel: InfraiEmailChannelConfig | InfraiSmsChannelConfig,
  vendor: ProviderProfile,
  module: 'email' | 'sms',
  compose: Compose,
  dependencies: SenderDependencies,
): Sender {
  const profile = withChannel(vendor, channel);
  const addressKind = module === 'email' ? 'email' : 'phone';
  return createProfileSender(
    {
      profile,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      compose,
      recipientOf: createRecipientSource(channel.recipient, addressKind, dependencies),
      exchange: createHttpExchange(
        {
          url: `${channel.baseUrl.replace(/\/+$/, '')}/v1/${module}/send`,
          key: profile.key,
          sendTimeoutMs: channel.sendTimeoutMs,
          authorizer: secretAuthorizer(dependencies.secrets, channel.secretRef),
        },
        dependencies,
      ),
    },
    dependencies,
  );
}
