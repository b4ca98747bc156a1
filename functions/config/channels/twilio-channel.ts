import * as z from 'zod/mini';
import { channelCommon, plainLine, providerUrl, secretRef, vendorId } from './channel-common.ts';
import { smsContent } from './content.ts';
import { addressRecipient } from './recipient.ts';

/** Text messages by Twilio. */
export const twilioChannel = z
  .strictObject({
    provider: z.literal('twilio'),
    ...channelCommon,
    /** The account's auth token, or `SK…:secret` of an API key. */
    secretRef,
    baseUrl: z._default(providerUrl, 'https://api.twilio.com'),
    accountSid: vendorId('an account SID (AC and 32 hex digits)', /^AC[0-9a-f]{32}$/i),
    from: z.optional(plainLine('a Twilio number or sender id', 40)),
    messagingServiceSid: z.optional(vendorId('a messaging service SID', /^MG[0-9a-f]{32}$/i)),
    /** Gets Twilio's status reports; the send key is added as `send_key`. */
    statusCallbackUrl: z.optional(providerUrl),
    content: smsContent,
    recipient: addressRecipient,
  })
  .check(
    z.superRefine(({ from, messagingServiceSid }, context) => {
      if ((from === undefined) !== (messagingServiceSid === undefined)) return;
      const message = 'give exactly one of from and messagingServiceSid';
      context.addIssue({ code: 'custom', path: ['from'], message });
    }),
  );
export type TwilioChannelConfig = z.output<typeof twilioChannel>;
