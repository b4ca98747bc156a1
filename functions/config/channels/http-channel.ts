import * as z from 'zod/mini';
import { figure } from '#config/faults.ts';
import { PROVIDER_CLASSES } from '#core/send-result.ts';
import { RECIPIENT, templateFault } from '#core/template.ts';
import { channelCommon, providerUrl, secretRef } from './channel-common.ts';
import { anyRecipient } from './recipient.ts';

/**
 * Signs each request for a customer's webhook by the Standard Webhooks scheme: `webhook-id`,
 * `webhook-timestamp`, `webhook-signature`. While `previousSecretRef` is there, both secrets sign,
 * so that a receiver may hold either; take it away when the overlap is over.
 */
const signing = z.strictObject({ secretRef, previousSecretRef: z.optional(secretRef) });

/** A JSON body whose texts are templates; `{{recipient}}` is allowed in it. */
const bodyTemplate = z.record(z.string(), z.json()).check(
  z.superRefine((body, context) => {
    for (const text of textsOf(body)) {
      const fault = templateFault(text, [RECIPIENT]);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    }
  }),
);

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** The generic HTTP provider: JSON POST to a push service, an own service or a webhook. */
export const httpChannel = z
  .strictObject({
    provider: z.literal('http'),
    ...channelCommon,
    url: providerUrl,
    class: z._default(
      z.enum(PROVIDER_CLASSES, { error: `allowed: ${PROVIDER_CLASSES.join(', ')}` }),
      'blind',
    ),
    /** How long the provider remembers a key; required for class `dedupes`. */
    windowSeconds: z.optional(figure('seconds', 60, 31_536_000)),
    idempotencyHeader: z._default(
      z.string().check(z.regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'is not a header name' })),
      'Idempotency-Key',
    ),
    keyForm: z._default(z.enum(['hex', 'uuid']), 'hex'),
    /** Where the answer's JSON holds the receipt, dots between names. */
    receiptPath: z._default(z.string().check(z.minLength(1)), 'id'),
    /** False declares that the provider gives no receipt, so that a 2xx alone counts as accepted. */
    givesReceipt: z._default(z.boolean(), true),
    /** Where a `queryable` provider is asked; `{key}` stands for the send key. */
    queryUrl: z.optional(providerUrl),
    queryReceiptPath: z._default(z.string().check(z.minLength(1)), 'id'),
    secretRef: z.optional(secretRef),
    signing: z.optional(signing),
    /** Default: the reminder's own fields, and `recipient` where one is looked up. */
    body: z.optional(bodyTemplate),
    recipient: z._default(anyRecipient, { from: 'provider' }),
    /** Own meaning of a status, over the profile's table. */
    statuses: z._default(
      z.record(
        z.string().check(z.regex(/^[1-5]\d\d$/, { error: 'is not an HTTP status' })),
        z.enum(['accepted', 'rejected', 'deferred', 'unknown', 'channel-stopped']),
      ),
      {},
    ),
  })
  .check(
    z.superRefine((channel, context) => {
      const fault = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (channel.class === 'dedupes' && channel.windowSeconds === undefined) {
        fault(
          'windowSeconds',
          'is missing; a provider of class dedupes needs the time it remembers a key',
        );
      }
      if (channel.class === 'queryable' && channel.queryUrl?.includes('{key}') !== true) {
        fault(
          'queryUrl',
          'is missing or lacks {key}; a provider of class queryable is asked by key',
        );
      }
      const namesRecipient = textsOf(channel.body).some((text) =>
        /\{\{\s*recipient\s*\}\}/.test(text),
      );
      if (namesRecipient && channel.recipient.from === 'provider') {
        fault(
          'recipient',
          'is provider, but body names {{recipient}}; allowed: directory, payload',
        );
      }
      if (channel.body !== undefined && channel.recipient.from !== 'provider' && !namesRecipient) {
        fault('body', 'names no {{recipient}}, so that what recipient looks up would go nowhere');
      }
    }),
  );
export type HttpChannelConfig = z.output<typeof httpChannel>;
