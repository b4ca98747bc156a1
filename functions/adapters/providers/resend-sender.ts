import { secretAuthorizer } from '#adapters/providers/authorization.ts';
import type { Compose } from '#adapters/providers/composition.ts';
import { createHttpExchange } from '#adapters/providers/http-exchange.ts';
import {
  createProfileSender,
  type SenderDependencies,
  withChannel,
} from '#adapters/providers/profile-sender.ts';
import type { ProviderProfile } from '#adapters/providers/provider-profile.ts';
import { createRecipientSource } from '#adapters/providers/recipient.ts';
import type { ResendChannelConfig } from '#config/channels/resend-channel.ts';
import type { Sender } from '#ports';

/**
 * Sources: Resend documentation, "Idempotency Keys" (header `Idempotency-Key`, 1-256 characters,
 * kept 24 hours; the same request again answers with the same id and sends nothing; 409
 * `invalid_idempotent_request`: the key came with another payload; 409
 * `concurrent_idempotent_requests`: the first request is still being worked on) and "Errors" (401
 * missing or restricted key; 403 invalid key or unverified domain, both of the channel; 422
 * validation; 429 `rate_limit_exceeded`, `daily_quota_exceeded`, `monthly_quota_exceeded`).
 * Either 409 means that an earlier attempt reached them: unknown. No look-up by key is documented:
 * the repeat is the look-up.
 */
export const RESEND_PROFILE: ProviderProfile = {
  provider: 'resend',
  providerClass: 'dedupes',
  windowSeconds: 86_400,
  commitSeconds: 5,
  key: { form: 'hex', place: 'header', name: 'Idempotency-Key' },
  receipt: { place: 'body', path: 'id', required: true },
  statuses: { 404: 'channel-stopped', 405: 'channel-stopped' },
  codes: {
    place: 'body',
    path: 'name',
    meanings: { monthly_quota_exceeded: 'channel-stopped', daily_quota_exceeded: 'deferred' },
  },
  lookUp: 'GET /emails/{receipt}',
};

/** `POST /emails`: `from`, `to`, `subject`, `text`, `html`, `reply_to`. */
export function createResendSender(
  channel: ResendChannelConfig,
  dependencies: SenderDependencies,
): Sender {
  const profile = withChannel(RESEND_PROFILE, channel);
  const { content } = channel;
  const compose: Compose = (write, _reminder, to) => ({
    from: channel.from,
    to: [to],
    reply_to: channel.replyTo,
    subject: write(content.subject, 'line'),
    text: content.text && write(content.text, 'text'),
    html: content.html && write(content.html, 'html'),
  });
  return createProfileSender(
    {
      profile,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      compose,
      recipientOf: createRecipientSource(channel.recipient, 'email', dependencies),
      exchange: createHttpExchange(
        {
          url: `${channel.baseUrl.replace(/\/+$/, '')}/emails`,
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
