import * as z from 'zod/mini';
import { figure } from '#config/faults.ts';
import { BLIND_POLICIES } from '#core/send-result.ts';

/** HTTPS everywhere; plain HTTP only to this machine, where the emulators listen. */
export const providerUrl = z.url({ error: 'is not a URL' }).check(
  z.refine(
    (text) => {
      const url = URL.parse(text);
      return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
    },
    { error: 'must be an https URL (http is allowed for 127.0.0.1, ::1 and localhost only)' },
  ),
  z.refine((text) => !URL.parse(text)?.username && !URL.parse(text)?.password, {
    error: 'holds a user or password, which would be readable in the settings; use secretRef',
  }),
);

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** A secret by reference: an environment variable or a Secrets Manager ARN, never the value. */
export const secretRef = z
  .string({ error: 'is missing; allowed: env:NAME or a Secrets Manager ARN' })
  .check(
    z.regex(/^(env:[A-Z][A-Z0-9_]*|arn:aws[\w-]*:secretsmanager:.+)$/, {
      error: 'is not a secret reference; allowed: env:NAME or a Secrets Manager ARN',
    }),
  );

/** Settings that every channel has, whatever its provider. */
export const channelCommon = {
  /** Our own bound on one call, milliseconds. Must exceed the provider's usual answer time. */
  sendTimeoutMs: z._default(figure('milliseconds', 100, 120_000), 10_000),
  /** After our abort, how long an accepted request may still surface. */
  commitSeconds: z._default(figure('seconds', 0, 300), 5),
  /** What to do where an outcome cannot be known; `resend` may duplicate, `assume-sent` may lose. */
  blindPolicy: z._default(
    z.enum(BLIND_POLICIES, { error: `allowed: ${BLIND_POLICIES.join(', ')}` }),
    'park',
  ),
};

/** Text that a person wrote into the configuration and that ends up in one line of a message. */
export function plainLine(what: string, max: number): z.ZodMiniString {
  return z
    .string({ error: `is missing; set it to ${what}` })
    .check(
      z.minLength(1, { error: `is empty; set it to ${what}` }),
      z.maxLength(max, { error: `is too long; allowed: at most ${max} characters` }),
      z.regex(/^[^\p{Cc}\u2028\u2029]*$/u, { error: 'has a control character or line end' }),
    );
}

/** An identifier that a vendor issued. */
export function vendorId(what: string, pattern: RegExp) {
  return z
    .string({ error: `is missing; set it to ${what}` })
    .check(z.regex(pattern, { error: `is not ${what}` }));
}

/** A sender's e-mail address, alone or as `Name <address>`. */
export const senderAddress = plainLine('a sender such as Name <name@example.com>', 320).check(
  z.regex(/^([^<>,;"]*<[^\s<>,;@"]+@[^\s<>,;@"]+>|[^\s<>,;@"]+@[^\s<>,;@"]+)$/, {
    error: 'is not a sender such as Name <name@example.com>',
  }),
);
