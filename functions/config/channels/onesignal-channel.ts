import * as z from 'zod/mini';
import { channelCommon, providerUrl, secretRef, vendorId } from './channel-common.ts';
import { checkWords, lineTemplate, providerTemplate, textTemplate } from './content.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Push, mail or SMS by OneSignal, which knows the user by the External ID that the app gave it:
 * there is no address to look up.
 */
export const oneSignalChannel = z
  .strictObject({
    provider: z.literal('onesignal'),
    ...channelCommon,
    secretRef,
    baseUrl: z._default(providerUrl, 'https://api.onesignal.com'),
    appId: vendorId('the app id, a UUID', UUID),
    target: z._default(
      z.enum(['push', 'email', 'sms'], { error: 'allowed: push, email, sms' }),
      'push',
    ),
    /** `title` is the subject of a mail, whose `text` is HTML. An SMS has no title. */
    content: z.optional(z.strictObject({ title: z.optional(lineTemplate), text: textTemplate })),
    template: z.optional(providerTemplate),
  })
  .check(
    checkWords,
    z.superRefine(({ target, content }, context) => {
      if (target === 'email' && content !== undefined && content.title === undefined) {
        context.addIssue({
          code: 'custom',
          path: ['content', 'title'],
          message: 'is missing; a mail needs a subject',
        });
      }
    }),
  );
export type OneSignalChannelConfig = z.output<typeof oneSignalChannel>;
