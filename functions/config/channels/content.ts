import * as z from 'zod/mini';
import { templateFault } from '#core/template.ts';
import { vendorId } from './channel-common.ts';

/**
 * Texts that a channel sends, with `{{…}}` placeholders (functions/core/template.ts). Lambda gives
 * all settings of a function 4 KB, so that a long text or a designed mail belongs to the provider,
 * as one of its templates.
 */
const MAX_TEXT = 2000;
const MAX_LINE = 300;

/** Several lines of text with placeholders. */
export const textTemplate = template(MAX_TEXT);

/** One line: values are put into it without line ends, and it has none of its own. */
export const lineTemplate = template(MAX_LINE).check(
  z.regex(/^[^\p{Cc}\u2028\u2029]*$/u, {
    error: 'has a control character or line end; it must be a single line',
  }),
);

function template(max: number) {
  return z.string({ error: 'is missing or no text' }).check(
    z.minLength(1, { error: 'is empty' }),
    z.maxLength(max, {
      error: `is too long; allowed: at most ${max} characters; use a template of the provider`,
    }),
    z.superRefine((text, context) => {
      const fault = templateFault(text);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    }),
  );
}

/** Values for a template that lives at the provider. */
export const templateVariables = z._default(
  z.record(
    z.string().check(z.regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: 'is not a variable name' })),
    textTemplate,
  ),
  {},
);

/** A template that lives at the provider, by its id there. */
export const providerTemplate = z.strictObject({
  id: vendorId('the id of a template at the provider', /^[\w.:/-]{1,200}$/),
  variables: templateVariables,
});

/** The words of a mail: a subject, and a text, an HTML body, or both. */
export const mailContent = z
  .strictObject({
    subject: lineTemplate,
    text: z.optional(textTemplate),
    html: z.optional(textTemplate),
  })
  .check(
    z.refine(({ text, html }) => text !== undefined || html !== undefined, {
      error: 'has neither text nor html; a mail needs one of them',
    }),
  );

/** The words of a text message. */
export const smsContent = z.strictObject({ text: textTemplate });

/** The words of a push message. */
export const pushContent = z.strictObject({
  title: z.optional(lineTemplate),
  text: textTemplate,
  /** Further values for the app, each a template. */
  data: z.optional(z.record(z.string().check(z.regex(/^[A-Za-z0-9_.-]{1,64}$/)), textTemplate)),
});

/** Exactly one of `content` and `template`: words of ours, or a template of the provider's. */
export function wordsFault(channel: {
  readonly content?: unknown;
  readonly template?: unknown;
}): string | undefined {
  if (channel.content === undefined && channel.template === undefined) {
    return 'is missing; give content (words of your own) or template (an id at the provider)';
  }
  return channel.content !== undefined && channel.template !== undefined
    ? 'and template are both given; allowed: one of them'
    : undefined;
}

/** As a check of a channel's schema. */
export const checkWords = z.superRefine<Parameters<typeof wordsFault>[0]>((channel, context) => {
  const fault = wordsFault(channel);
  if (fault !== undefined) context.addIssue({ code: 'custom', path: ['content'], message: fault });
});
