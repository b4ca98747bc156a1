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
import { keyOf, SEND_KEY_TAG } from '#adapters/providers/request-key.ts';
import type { TwilioChannelConfig } from '#config/channels/twilio-channel.ts';
import type { Sender } from '#ports';

/**
 * Sources: Twilio documentation, "Messages resource" (`POST /2010-04-01/Accounts/{sid}/Messages.json`,
 * form-encoded, Basic authentication, answer with `sid`; lists are filtered by To, From and
 * DateSent) and the "Error and Warning Dictionary" (codes below). No idempotency key exists.
 *
 * Class: blind, by decision. The list could be asked by recipient and day and the words compared,
 * but nothing of ours comes back in it: two reminders with the same words to one number would
 * answer for each other (field report 61), and a message that Twilio redacted or has not listed
 * yet would read as absent. An absence that proves nothing must not lead to a send. Our key rides
 * along in the status callback's address instead, for the person who decides.
 *
 * Codes: 20429 and 21611 (the number's queue is full) are waits; 21408, 21610, 21614, 21211 speak
 * of the recipient, whatever status they come with, and must not stop the channel; 20003, 20005,
 * 21212, 21603, 21606, 21703 speak of the account or the sender and must not burn reminders.
 */
export const TWILIO_PROFILE: ProviderProfile = {
  provider: 'twilio',
  providerClass: 'blind',
  windowSeconds: null,
  commitSeconds: 5,
  key: { form: 'hex', place: 'metadata', name: `StatusCallback?${SEND_KEY_TAG}=` },
  receipt: { place: 'body', path: 'sid', required: true },
  statuses: { 404: 'channel-stopped' },
  codes: {
    place: 'body',
    path: 'code',
    meanings: {
      20003: 'channel-stopped',
      20005: 'channel-stopped',
      20429: 'deferred',
      21211: 'rejected',
      21212: 'channel-stopped',
      21408: 'rejected',
      21603: 'channel-stopped',
      21606: 'channel-stopped',
      21610: 'rejected',
      21611: 'deferred',
      21614: 'rejected',
      21703: 'channel-stopped',
    },
  },
  lookUp: 'GET /2010-04-01/Accounts/{account}/Messages/{receipt}.json',
};

export function createTwilioSender(
  channel: TwilioChannelConfig,
  dependencies: SenderDependencies,
): Sender {
  const profile = withChannel(TWILIO_PROFILE, channel);
  const { accountSid, statusCallbackUrl } = channel;
  const compose: Compose = (write, _reminder, to) => ({
    To: to,
    From: channel.from,
    MessagingServiceSid: channel.messagingServiceSid,
    Body: write(channel.content.text, 'text'),
  });
  return createProfileSender(
    {
      profile,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      compose,
      recipientOf: createRecipientSource(channel.recipient, 'phone', dependencies),
      exchange: createHttpExchange(
        {
          url: `${channel.baseUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${accountSid}/Messages.json`,
          key: profile.key,
          encoding: 'form',
          sendTimeoutMs: channel.sendTimeoutMs,
          authorizer: secretAuthorizer(dependencies.secrets, channel.secretRef, (secret) =>
            basic(secret, accountSid),
          ),
          ...(statusCallbackUrl !== undefined && {
            withKey: (body, request) => ({
              ...body,
              StatusCallback: withQuery(statusCallbackUrl, keyOf(profile.key, request)),
            }),
          }),
        },
        dependencies,
      ),
    },
    dependencies,
  );
}

/** An API key is `SK…:secret`; an auth token goes with the account itself. */
function basic(secret: string, accountSid: string): string {
  const pair = secret.includes(':') ? secret : `${accountSid}:${secret}`;
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}

function withQuery(address: string, key: string): string {
  const url = new URL(address);
  url.searchParams.set(SEND_KEY_TAG, key);
  return url.href;
}
