import * as z from 'zod/mini';
import { figure } from '#config/faults.ts';
import { providerUrl, secretRef } from './channel-common.ts';

const PATH = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){0,7}$/;
const path = z
  .string()
  .check(z.maxLength(200), z.regex(PATH, { error: 'is not a path such as user.email' }));

/** The provider knows the user by the id: nothing is looked up. */
export const fromProvider = z.strictObject({ from: z.literal('provider') });

/**
 * A directory of the team's own, asked before each send: `GET url` → JSON with the address at
 * `path`. 404, or no address there: the user has none.
 */
export const fromDirectory = z.strictObject({
  from: z.literal('directory'),
  /** `{user_id}` stands for the user's id, URL-encoded; not in the host. */
  url: providerUrl.check(
    z.refine((url) => url.includes('{user_id}'), {
      error: 'lacks {user_id}, which stands for the user',
    }),
    z.refine((url) => !/^[^/]*\/\/[^/?#]*\{/.test(url), {
      error: 'has a placeholder in its host; a user id must not choose the server',
    }),
  ),
  path: z._default(path, 'address'),
  /** Sent as Bearer; absent when the directory asks for none. */
  secretRef: z.optional(secretRef),
  timeoutMs: z._default(figure('milliseconds', 100, 30_000), 3000),
});

/**
 * The reminder's own data. Discouraged: the address then lies in the queue for as long as the
 * message does. It is never stored or logged by us.
 */
export const fromPayload = z.strictObject({
  from: z.literal('payload'),
  /** Below the reminder's `data`. */
  path,
});

const UNKNOWN_SOURCE = { error: 'has no known source; allowed: ' } as const;

/** For providers that need an address. */
export const addressRecipient = z.discriminatedUnion('from', [fromDirectory, fromPayload], {
  error: `${UNKNOWN_SOURCE.error}directory, payload`,
});
/** For services that may know the user by id. */
export const anyRecipient = z.discriminatedUnion(
  'from',
  [fromProvider, fromDirectory, fromPayload],
  { error: `${UNKNOWN_SOURCE.error}provider, directory, payload` },
);

export type RecipientConfig = z.output<typeof anyRecipient>;
