import * as z from 'zod';
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
    baseUrl: providerUrl.default(INFRAI_URL),
    from: senderAddress.optional(),
    content: mailContent.optional(),
    template: providerTemplate.optional(),
    recipient: addressRecipient,
  })
  .superRefine(checkWords);
export type InfraiEmailChannelConfig = z.output<typeof infraiEmailChannel>;

/** Text messages by Infrai. */
export const infraiSmsChannel = z.strictObject({
  provider: z.literal('infrai-sms'),
  ...channelCommon,
  secretRef,
  baseUrl: providerUrl.default(INFRAI_URL),
  from: plainLine('a sender number or name', 40).optional(),
  content: smsContent,
  recipient: addressRecipient,
});
export type InfraiSmsChannelConfig = z.output<typeof infraiSmsChannel>;
