import { secretAuthorizer } from '#adapters/providers/authorization.ts';
import { type Compose, type Write, written } from '#adapters/providers/composition.ts';
import { createHttpExchange } from '#adapters/providers/http-exchange.ts';
import {
  createProfileSender,
  type SenderDependencies,
  withChannel,
} from '#adapters/providers/profile-sender.ts';
import type { ProviderProfile } from '#adapters/providers/provider-profile.ts';
import { createRecipientSource } from '#adapters/providers/recipient.ts';
import type { OneSignalChannelConfig } from '#config/channels/onesignal-channel.ts';
import type { Sender } from '#ports';

/**
 * Sources: OneSignal documentation, "Idempotent API requests" (body member `idempotency_key`, a
 * UUID, remembered for 30 days; the repeat answers with the first result; a header does nothing),
 * "Push notification" (`POST /notifications`, `Authorization: Key …`) and "Create message", with
 * the model of OneSignal's own clients: an empty `id` under a 200 means that no notification was
 * created, for want of a subscribed device or a known user.
 *
 * Releases of the page have asked for an RFC 9562 UUID and, earlier, for version 3 or 4, so the
 * key is given the layout of version 4. What the same key with another body leads to is not said.
 */
export const ONESIGNAL_PROFILE: ProviderProfile = {
  provider: 'onesignal',
  providerClass: 'dedupes',
  windowSeconds: 30 * 86_400,
  commitSeconds: 5,
  key: { form: 'uuid4', place: 'body', name: 'idempotency_key' },
  receipt: { place: 'body', path: 'id', required: true, emptyMeans: 'NO_SUBSCRIBED_DEVICE' },
  statuses: {},
  lookUp: 'GET /notifications/{receipt}?app_id={app}',
};

/** `POST /notifications` to the user's External ID. */
export function createOneSignalSender(
  channel: OneSignalChannelConfig,
  dependencies: SenderDependencies,
): Sender {
  const profile = withChannel(ONESIGNAL_PROFILE, channel);
  const { template } = channel;
  const compose: Compose = (write, _reminder, user) => ({
    app_id: channel.appId,
    target_channel: channel.target,
    include_aliases: { external_id: [user] },
    template_id: template?.id,
    custom_data: template && written(write, template.variables),
    ...wordsOf(channel, write),
  });
  return createProfileSender(
    {
      profile,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      compose,
      recipientOf: createRecipientSource({ from: 'provider' }, 'any', dependencies),
      exchange: createHttpExchange(
        {
          url: `${channel.baseUrl.replace(/\/+$/, '')}/notifications`,
          key: profile.key,
          sendTimeoutMs: channel.sendTimeoutMs,
          authorizer: secretAuthorizer(
            dependencies.secrets,
            channel.secretRef,
            (secret) => `Key ${secret}`,
          ),
        },
        dependencies,
      ),
    },
    dependencies,
  );
}

function wordsOf({ content, target }: OneSignalChannelConfig, write: Write) {
  if (content === undefined) return {};
  const title = content.title && write(content.title, 'line');
  if (target === 'email') {
    return { email_subject: title, email_body: write(content.text, 'html') };
  }
  return {
    contents: { en: write(content.text, 'text') },
    ...(target === 'push' && title !== undefined && { headings: { en: title } }),
  };
}
