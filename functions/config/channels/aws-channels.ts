import * as z from 'zod/mini';
import {
  channelCommon,
  plainLine,
  providerUrl,
  senderAddress,
  vendorId,
} from './channel-common.ts';
import { checkWords, mailContent, providerTemplate, smsContent } from './content.ts';
import { addressRecipient } from './recipient.ts';

/** Where the service is; both come from the function's own environment when absent. */
const awsPlace = {
  region: z.optional(vendorId('an AWS region such as eu-central-1', /^[a-z]{2}(-[a-z]+)+-\d$/)),
  /** A private, FIPS or emulated endpoint. */
  endpointUrl: z.optional(providerUrl),
};
const configurationSet = z.optional(vendorId('a configuration set', /^[\w:/.-]{1,256}$/));

/** Mail by Amazon SES v2. Signed with the function's role: there is no secret. */
export const sesChannel = z
  .strictObject({
    provider: z.literal('ses'),
    ...channelCommon,
    ...awsPlace,
    from: senderAddress,
    replyTo: z.optional(senderAddress),
    /** Its event destination is where the send key of an unknown outcome can be found again. */
    configurationSet,
    content: z.optional(mailContent),
    template: z.optional(providerTemplate),
    recipient: addressRecipient,
  })
  .check(checkWords);
export type SesChannelConfig = z.output<typeof sesChannel>;

/** Text messages by AWS End User Messaging SMS. Signed with the function's role. */
export const awsSmsChannel = z.strictObject({
  provider: z.literal('aws-sms'),
  ...channelCommon,
  ...awsPlace,
  /** Phone number, sender id or pool, by id or ARN; AWS picks one when absent. */
  originationIdentity: z.optional(plainLine('a phone number, sender id or pool', 256)),
  messageType: z._default(
    z.enum(['TRANSACTIONAL', 'PROMOTIONAL'], { error: 'allowed: TRANSACTIONAL, PROMOTIONAL' }),
    'TRANSACTIONAL',
  ),
  configurationSet,
  content: smsContent,
  recipient: addressRecipient,
});
export type AwsSmsChannelConfig = z.output<typeof awsSmsChannel>;
