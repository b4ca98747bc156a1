import * as z from 'zod/mini';
import { secretRef } from '#config/channels.ts';
import { type Instant, parseInstant } from '#core/instant.ts';
import { epochFaults } from '#core/key-epoch.ts';
import { OPTIONAL_KEY_FIELDS } from '#core/send-key.ts';

const from = z.pipe(
  z.nullable(z.string()),
  z.transform((text: string | null, context): Instant | null => {
    if (text === null) return null;
    const parsed = parseInstant(text);
    if (parsed.ok) return parsed.instant;
    const message = `is no RFC 3339 instant (${parsed.fault})`;
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  }),
);

export const keyEpochSchema = z.strictObject({
  id: z
    .string()
    .check(z.regex(/^[a-z0-9-]{1,32}$/, { error: 'is not an epoch id ([a-z0-9-], at most 32)' })),
  secretRef,
  keyFields: z._default(
    z.array(z.enum(OPTIONAL_KEY_FIELDS, { error: `allowed: ${OPTIONAL_KEY_FIELDS.join(', ')}` })),
    [],
  ),
  /** RFC 3339; null for the first epoch. */
  from: z._default(from, null),
});

export const keyEpochsSchema = z
  .array(keyEpochSchema, { error: 'is not a list of key epochs' })
  .check(
    z.superRefine((epochs, context) => {
      for (const message of epochFaults(epochs)) context.addIssue({ code: 'custom', message });
    }),
  );
export type KeyEpochsConfig = z.output<typeof keyEpochsSchema>;
