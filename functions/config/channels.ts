import * as z from 'zod';
import { figure } from '#config/faults.ts';
import { BLIND_POLICIES, PROVIDER_CLASSES } from '#core/send-result.ts';

/** HTTPS everywhere; plain HTTP only to this machine, where the emulators listen. */
export const providerUrl = z.url({ error: 'is not a URL' }).refine(
  (text) => {
    const url = URL.parse(text);
    return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  },
  { error: 'must be an https URL (http is allowed for 127.0.0.1, ::1 and localhost only)' },
);

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

/** A secret by reference: an environment variable or a Secrets Manager ARN, never the value. */
export const secretRef = z
  .string({ error: 'is missing; allowed: env:NAME or a Secrets Manager ARN' })
  .regex(/^(env:[A-Z][A-Z0-9_]*|arn:aws[\w-]*:secretsmanager:.+)$/, {
    error: 'is not a secret reference; allowed: env:NAME or a Secrets Manager ARN',
  });

/** Settings that every channel has, whatever its provider. */
export const channelCommon = {
  /** Our own bound on one call, milliseconds. Must exceed the provider's usual answer time. */
  sendTimeoutMs: figure('milliseconds', 100, 120_000).default(10_000),
  /** After our abort, how long an accepted request may still surface. */
  commitSeconds: figure('seconds', 0, 300).default(5),
  /** After a reminder's instant plus this, it is never sent. Unset: the pipeline's figure. */
  blindPolicy: z
    .enum(BLIND_POLICIES, { error: `allowed: ${BLIND_POLICIES.join(', ')}` })
    .default('park'),
};

/** The generic HTTP provider: JSON POST to a push service, an own service or a webhook. */
export const httpChannel = z
  .strictObject({
    provider: z.literal('http'),
    ...channelCommon,
    url: providerUrl,
    class: z
      .enum(PROVIDER_CLASSES, { error: `allowed: ${PROVIDER_CLASSES.join(', ')}` })
      .default('blind'),
    /** How long the provider remembers a key; required for class `dedupes`. */
    windowSeconds: figure('seconds', 60, 31_536_000).optional(),
    idempotencyHeader: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'is not a header name' })
      .default('Idempotency-Key'),
    keyForm: z.enum(['hex', 'uuid']).default('hex'),
    /** Where the answer's JSON holds the receipt, dots between names. */
    receiptPath: z.string().min(1).default('id'),
    /** False declares that the provider gives no receipt, so that a 2xx alone counts as accepted. */
    givesReceipt: z.boolean().default(true),
    /** Where a `queryable` provider is asked; `{key}` stands for the send key. */
    queryUrl: providerUrl.optional(),
    queryReceiptPath: z.string().min(1).default('id'),
    secretRef: secretRef.optional(),
    /** Own meaning of a status, over the profile's table. */
    statuses: z
      .record(
        z.string().regex(/^[1-5]\d\d$/, { error: 'is not an HTTP status' }),
        z.enum(['accepted', 'rejected', 'deferred', 'unknown', 'channel-stopped']),
      )
      .default({}),
  })
  .superRefine((channel, context) => {
    if (channel.class === 'dedupes' && channel.windowSeconds === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['windowSeconds'],
        message: 'is missing; a provider of class dedupes needs the time it remembers a key',
      });
    }
    if (channel.class === 'queryable' && channel.queryUrl?.includes('{key}') !== true) {
      context.addIssue({
        code: 'custom',
        path: ['queryUrl'],
        message: 'is missing or lacks {key}; a provider of class queryable is asked by key',
      });
    }
  });

export const channelSchema = z.discriminatedUnion('provider', [httpChannel], {
  error: 'has no known provider; allowed: http',
});
export type ChannelConfig = z.output<typeof channelSchema>;
export type HttpChannelConfig = z.output<typeof httpChannel>;

export const channelsSchema = z
  .record(
    z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,63}$/, { error: 'is not a channel name ([a-z][a-z0-9_-]*)' }),
    channelSchema,
  )
  .refine((channels) => Object.keys(channels).length > 0, {
    error: 'is empty; configure at least one channel',
  });
export type ChannelsConfig = z.output<typeof channelsSchema>;
