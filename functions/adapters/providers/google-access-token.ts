import type { HttpClient, HttpOutcome } from '#adapters/http/http-call.ts';
import {
  type Authorization,
  type Authorizer,
  authorizationHeader,
  readSecret,
} from '#adapters/providers/authorization.ts';
import { parseJson } from '#adapters/providers/json-place.ts';
import type { Clock, Secrets } from '#ports';

export type GoogleAccessTokenOptions = {
  /** Holds the JSON key of a service account. */
  readonly secretRef: string;
  readonly scope: string;
  readonly tokenUrl: string;
  readonly timeoutMs: number;
};

type ServiceAccount = {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly keyId: string | undefined;
};
type Token = { readonly account: string; readonly value: string; readonly staleAt: number };

/** The assertion's own life; Google allows an hour at most. */
const ASSERTION_SECONDS = 3600;
/** A token is renewed this long before it ends, so that no send meets its end on the way. */
const RENEW_BEFORE_SECONDS = 300;

type Jose = typeof import('jose');

/**
 * Bearer tokens of a Google service account, by the OAuth 2.0 JWT bearer grant (RFC 7523; Google's
 * page "Using OAuth 2.0 for Server to Server Applications"). One token is kept until shortly before
 * its end; sends that start together share one request. A changed secret is read on its own.
 */
export function createGoogleAuthorizer(
  options: GoogleAccessTokenOptions,
  jose: Pick<Jose, 'importPKCS8' | 'SignJWT'>,
  dependencies: { readonly http: HttpClient; readonly secrets: Secrets; readonly clock: Clock },
): Authorizer {
  const { clock, secrets } = dependencies;
  let kept: Token | undefined;
  let fetching: { readonly account: string; readonly answer: Promise<Authorization> } | undefined;

  async function fetchToken(account: string): Promise<Authorization> {
    const parsed = readAccount(account);
    if (parsed === undefined) return UNUSABLE;
    const assertion = await sign(parsed, options, jose, clock.now());
    if (assertion === undefined) return UNUSABLE;
    const outcome = await dependencies.http.call({
      method: 'POST',
      url: options.tokenUrl,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'user-agent': 'remind-once',
      },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
      }).toString(),
      timeoutMs: options.timeoutMs,
    });
    const judged = judgeToken(outcome);
    if (judged.kind !== 'token') return judged;
    const staleAt = clock.now() + (judged.expiresInSeconds - RENEW_BEFORE_SECONDS) * 1000;
    kept = { account, value: judged.value, staleAt };
    return authorizationHeader(`Bearer ${judged.value}`);
  }

  return {
    async authorize() {
      const reading = await readSecret(secrets, options.secretRef);
      if (reading.kind !== 'secret') return reading;
      const account = reading.secret;
      if (kept !== undefined && kept.account === account && clock.now() < kept.staleAt) {
        return authorizationHeader(`Bearer ${kept.value}`);
      }
      if (fetching?.account !== account) {
        const answer = fetchToken(account).finally(() => {
          fetching = undefined;
        });
        fetching = { account, answer };
      }
      return fetching.answer;
    },
    refused() {
      kept = undefined;
    },
  };
}

const UNUSABLE: Authorization = { kind: 'channel-stopped', code: 'SERVICE_ACCOUNT_UNUSABLE' };

function readAccount(secret: string): ServiceAccount | undefined {
  const value = parseJson(secret);
  if (typeof value !== 'object' || value === null) return undefined;
  const { client_email, private_key, private_key_id } = value as Readonly<Record<string, unknown>>;
  if (typeof client_email !== 'string' || typeof private_key !== 'string') return undefined;
  return {
    clientEmail: client_email,
    privateKey: private_key,
    keyId: typeof private_key_id === 'string' ? private_key_id : undefined,
  };
}

async function sign(
  account: ServiceAccount,
  { scope, tokenUrl }: GoogleAccessTokenOptions,
  jose: Pick<Jose, 'importPKCS8' | 'SignJWT'>,
  now: number,
): Promise<string | undefined> {
  const issuedAt = Math.floor(now / 1000);
  try {
    const key = await jose.importPKCS8(account.privateKey, 'RS256');
    return await new jose.SignJWT({ scope })
      .setProtectedHeader({
        alg: 'RS256',
        typ: 'JWT',
        ...(account.keyId && { kid: account.keyId }),
      })
      .setIssuer(account.clientEmail)
      .setAudience(tokenUrl)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ASSERTION_SECONDS)
      .sign(key);
  } catch {
    // Whatever jose says of the key may quote it.
    return undefined;
  }
}

type TokenReading =
  | { readonly kind: 'token'; readonly value: string; readonly expiresInSeconds: number }
  | Authorization;

/** Nothing is sent to a user here, so everything but a refusal of the credentials is a wait. */
function judgeToken(outcome: HttpOutcome): TokenReading {
  if (outcome.kind === 'invalid-request') return UNUSABLE;
  if (outcome.kind !== 'answer') {
    return { kind: 'unavailable', code: `ACCESS_TOKEN_${outcome.cause}` };
  }
  const { status } = outcome;
  if (status === 400 || status === 401 || status === 403) {
    return { kind: 'channel-stopped', code: `ACCESS_TOKEN_HTTP_${status}` };
  }
  if (status !== 200) return { kind: 'unavailable', code: `ACCESS_TOKEN_HTTP_${status}` };
  const body = parseJson(outcome.text) as Readonly<Record<string, unknown>> | null | undefined;
  const value = body?.['access_token'];
  const seconds = body?.['expires_in'];
  if (typeof value !== 'string' || value === '') {
    return { kind: 'unavailable', code: 'ACCESS_TOKEN_BAD_ANSWER' };
  }
  const expiresInSeconds = typeof seconds === 'number' && seconds > 0 ? seconds : 0;
  return { kind: 'token', value, expiresInSeconds };
}
