import type { Compose } from '#adapters/providers/composition.ts';
import { createGoogleAuthorizer } from '#adapters/providers/google-access-token.ts';
import { createHttpExchange } from '#adapters/providers/http-exchange.ts';
import {
  createProfileSender,
  type SenderDependencies,
  withChannel,
} from '#adapters/providers/profile-sender.ts';
import type { ProviderProfile } from '#adapters/providers/provider-profile.ts';
import { createRecipientSource } from '#adapters/providers/recipient.ts';
import { keyOf } from '#adapters/providers/request-key.ts';
import { ACCESS_TOKEN_TIMEOUT_MS } from '#config/channel-facts.ts';
import type { FcmChannelConfig } from '#config/channels/fcm-channel.ts';
import type { Sender } from '#ports';

/**
 * Sources: Firebase documentation, "REST Resource: projects.messages" (`POST
 * /v1/projects/{project}/messages:send`, answer with `name`), "ErrorCode" and "FCM error codes"
 * (`error.details[].errorCode`): UNREGISTERED 404 and INVALID_ARGUMENT 400, of the message;
 * SENDER_ID_MISMATCH 403, of the one token and not of our credentials; QUOTA_EXCEEDED 429 and
 * UNAVAILABLE 503 with Retry-After; THIRD_PARTY_AUTH_ERROR 401 (the APNs or web push key of the
 * project); INTERNAL 500. Any other 404 is a wrong project. No key and no status look-up exist: blind.
 *
 * UNAVAILABLE is documented as overload, but a 503 that followed work has been seen (firebase-admin
 * pull request 1947), so that it stays unknown: a wait would be a second push.
 *
 * Our key is the message's tag on Android and its `apns-collapse-id` on iOS, both documented to
 * replace a shown notification of the same name: where a policy sends again, the phone shows one.
 */
export const FCM_PROFILE: ProviderProfile = {
  provider: 'fcm',
  providerClass: 'blind',
  windowSeconds: null,
  commitSeconds: 5,
  key: { form: 'uuid', place: 'metadata', name: 'tag, apns-collapse-id' },
  receipt: { place: 'body', path: 'name', required: true },
  statuses: { 404: 'channel-stopped' },
  codes: {
    place: 'body',
    path: 'error.details.*.errorCode|error.status',
    meanings: {
      UNREGISTERED: 'rejected',
      INVALID_ARGUMENT: 'rejected',
      SENDER_ID_MISMATCH: 'rejected',
      QUOTA_EXCEEDED: 'deferred',
      THIRD_PARTY_AUTH_ERROR: 'channel-stopped',
      PERMISSION_DENIED: 'channel-stopped',
      UNAUTHENTICATED: 'channel-stopped',
    },
  },
  lookUp: null,
};

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

/** Loads `jose`; only a channel of this provider needs it. */
export async function openFcmSender(
  channel: FcmChannelConfig,
  dependencies: SenderDependencies,
): Promise<Sender> {
  const jose = await import('jose');
  const profile = withChannel(FCM_PROFILE, channel);
  const { content } = channel;
  const compose: Compose = (write, _reminder, token) => ({
    token,
    notification: {
      title: content.title && write(content.title, 'line'),
      body: write(content.text, 'text'),
    },
    data:
      content.data &&
      Object.fromEntries(
        Object.entries(content.data).map(([name, value]) => [name, write(value, 'text')]),
      ),
  });
  return createProfileSender(
    {
      profile,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      compose,
      recipientOf: createRecipientSource(channel.recipient, 'token', dependencies),
      exchange: createHttpExchange(
        {
          url: `${channel.baseUrl.replace(/\/+$/, '')}/v1/projects/${channel.projectId}/messages:send`,
          key: profile.key,
          sendTimeoutMs: channel.sendTimeoutMs,
          authorizer: createGoogleAuthorizer(
            {
              secretRef: channel.secretRef,
              scope: SCOPE,
              tokenUrl: channel.tokenUrl,
              timeoutMs: ACCESS_TOKEN_TIMEOUT_MS,
            },
            jose,
            dependencies,
          ),
          withKey: (message, request) => ({
            message: { ...message, ...collapsing(keyOf(profile.key, request)) },
          }),
        },
        dependencies,
      ),
    },
    dependencies,
  );
}

function collapsing(key: string) {
  return {
    android: { notification: { tag: key } },
    apns: { headers: { 'apns-collapse-id': key } },
  };
}
