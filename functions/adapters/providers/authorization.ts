import { isHeaderValue } from '#adapters/http/request-parts.ts';
import { errorName } from '#core/errors.ts';
import type { Secrets } from '#ports';

export type Headers = Readonly<Record<string, string>>;

/** Whether a call to the provider may be made, and with which headers. */
export type Authorization =
  | { readonly kind: 'headers'; readonly headers: Headers }
  /** Credentials are missing, unusable or refused: no reminder of this channel can be sent. */
  | { readonly kind: 'channel-stopped'; readonly code: string }
  /** Credentials could not be got now. Nothing was sent; a later attempt may have them. */
  | { readonly kind: 'unavailable'; readonly code: string };

export interface Authorizer {
  authorize(): Promise<Authorization>;
  /** The provider refused what was given: do not give it again. */
  refused?(): void;
}

/** A secret's text without surrounding blanks, or why there is none. */
export type SecretReading =
  | { readonly kind: 'secret'; readonly secret: string }
  | Exclude<Authorization, { kind: 'headers' }>;

export async function readSecret(secrets: Secrets, reference: string): Promise<SecretReading> {
  try {
    return { kind: 'secret', secret: (await secrets.get(reference)).trim() };
  } catch (error) {
    // Read by its code: the error's own text may name more than the code does.
    return errorName(error) === 'SECRET_MISSING'
      ? { kind: 'channel-stopped', code: 'SECRET_MISSING' }
      : { kind: 'unavailable', code: 'SECRET_UNAVAILABLE' };
  }
}

/** For services that ask for no credentials. */
export const NO_CREDENTIALS: Authorizer = {
  authorize: async () => ({ kind: 'headers', headers: {} }),
};

/** @param headerOf from the secret to the `Authorization` header; Bearer by default */
export function secretAuthorizer(
  secrets: Secrets,
  reference: string | undefined,
  headerOf: (secret: string) => string = (secret) => `Bearer ${secret}`,
): Authorizer {
  if (reference === undefined) return NO_CREDENTIALS;
  return {
    async authorize() {
      const reading = await readSecret(secrets, reference);
      return reading.kind === 'secret' ? authorizationHeader(headerOf(reading.secret)) : reading;
    },
  };
}

export function authorizationHeader(value: string): Authorization {
  return isHeaderValue(value)
    ? { kind: 'headers', headers: { authorization: value } }
    : { kind: 'channel-stopped', code: 'SECRET_UNUSABLE' };
}
