import * as z from 'zod/mini';
import {
  channelCommon,
  plainLine,
  providerUrl,
  secretRef,
  senderAddress,
} from './channel-common.ts';
import { checkWords, mailContent, providerTemplate, smsContent } from './content.ts';
import { addressRecipient } from './recipient.ts';

const INFRAI_URL = 'https://api.infrai.cc';

/** Mail by Infrai. */
export const infraiEmailChannel = z
  .strictObject({
    provider: z.literal('infrai-email'),
    ...channelCommon,
    secretRef,
    baseUrl: z._default(providerUrl, INFRAI_URL),
    from: z.optional(senderAddress),
    content: z.optional(mailContent),
    template: z.optional(providerTemplate),
    recipient: addressRecipient,
  })
  .check(checkWords);
export type InfraiEmailChannelConfig = z.output<typeof infraiEmailChannel>;

/** Text messages by Infrai. */
export const infraiSmsChannel = z.strictObject({
  provider: z.literal('infrai-sms'),
  ...channelCommon,
  secretRef,
  baseUrl: z._default(providerUrl, INFRAI_URL),
  from: z.optional(plainLine('a sender number or name', 40)),
  content: smsContent,
  recipient: addressRecipient,
});
export type InfraiSmsChannelConfig = z.output<typeof infraiSmsChannel>;
