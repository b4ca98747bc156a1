import * as z from 'zod/mini';
import { channelCommon, providerUrl, secretRef, senderAddress } from './channel-common.ts';
import { mailContent } from './content.ts';
import { addressRecipient } from './recipient.ts';

/** Mail by Resend. */
export const resendChannel = z.strictObject({
  provider: z.literal('resend'),
  ...channelCommon,
  secretRef,
  baseUrl: z._default(providerUrl, 'https://api.resend.com'),
  from: senderAddress,
  replyTo: z.optional(senderAddress),
  content: mailContent,
  recipient: addressRecipient,
});
export type ResendChannelConfig = z.output<typeof resendChannel>;
