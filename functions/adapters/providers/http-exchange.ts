import type { HttpClient } from '#adapters/http/http-call.ts';
import type { Authorizer, Headers } from '#adapters/providers/authorization.ts';
import { canonicalJson } from '#adapters/providers/canonical-json.ts';
import { judgeQuery } from '#adapters/providers/judge-outcome.ts';
import type { Exchange, Exchanged } from '#adapters/providers/profile-sender.ts';
import type { KeyRule, ReceiptPlace } from '#adapters/providers/provider-profile.ts';
import { keyOf } from '#adapters/providers/request-key.ts';
import type { SendResult } from '#core/send-result.ts';
import type { Clock, Sender, SendRequest } from '#ports';

export type HttpExchangeOptions = {
  readonly url: string;
  readonly key: KeyRule;
  readonly sendTimeoutMs: number;
  readonly authorizer: Authorizer;
  /** JSON unless the provider takes forms. */
  readonly encoding?: 'json' | 'form';
  /** Puts our key into the body where it is metadata; it never counts as content. */
  readonly withKey?: (
    body: Readonly<Record<string, unknown>>,
    request: SendRequest,
  ) => Readonly<Record<string, unknown>>;
  /** Headers over the finished body, such as a signature. */
  readonly sign?: (request: SendRequest, body: string) => Promise<SignedHeaders>;
};

export type SignedHeaders =
  | { readonly kind: 'headers'; readonly headers: Headers }
  | { readonly kind: 'no-call'; readonly result: SendResult };

type HttpDependencies = { readonly http: HttpClient; readonly clock: Clock };

const COMMON_HEADERS = { accept: 'application/json', 'user-agent': 'remind-once' };

/** One POST with the send key where the provider wants it. */
export function createHttpExchange(
  options: HttpExchangeOptions,
  { http, clock }: HttpDependencies,
): Exchange {
  const { authorizer, key } = options;
  return async (request, composedBody) => {
    const authorization = await authorizer.authorize();
    if (authorization.kind === 'channel-stopped') return { kind: 'no-call', result: authorization };
    if (authorization.kind === 'unavailable') return deferred(authorization.code);
    const members = options.withKey?.(composedBody, request) ?? composedBody;
    const body = encoded({ ...members, ...keyMember(key, request) }, options.encoding ?? 'json');
    const signed = await options.sign?.(request, body);
    if (signed?.kind === 'no-call') return signed;
    if (tooLate(request, clock)) return deferred('LEASE_TOO_SHORT');
    const outcome = await http.call({
      method: 'POST',
      url: options.url,
      headers: {
        'content-type': CONTENT_TYPES[options.encoding ?? 'json'],
        ...COMMON_HEADERS,
        ...keyHeader(key, request),
        ...authorization.headers,
        ...signed?.headers,
      },
      body,
      timeoutMs: options.sendTimeoutMs,
    });
    if (outcome.kind === 'answer' && outcome.status === 401) authorizer.refused?.();
    return { kind: 'called', outcome };
  };
}

/** How a provider is asked about an earlier send, by GET. */
export function createHttpQuery(
  options: {
    readonly urlOf: (key: string) => string;
    readonly key: KeyRule;
    readonly receipt: ReceiptPlace;
    readonly timeoutMs: number;
    readonly authorizer: Authorizer;
  },
  { http }: Pick<HttpDependencies, 'http'>,
): NonNullable<Sender['query']> {
  return async (request) => {
    const authorization = await options.authorizer.authorize();
    if (authorization.kind === 'unavailable') {
      return { kind: 'cannot-tell', cause: authorization.code };
    }
    if (authorization.kind === 'channel-stopped') return authorization;
    const outcome = await http.call({
      method: 'GET',
      url: options.urlOf(keyOf(options.key, request)),
      headers: { ...COMMON_HEADERS, ...authorization.headers },
      timeoutMs: options.timeoutMs,
    });
    return judgeQuery(outcome, options.receipt);
  };
}

/**
 * Secrets, tokens and directories take time, and a worker may have been frozen meanwhile: a call
 * that the claim's lease does not cover any more is not begun.
 */
export function tooLate(request: SendRequest, clock: Clock): boolean {
  return request.startBy !== undefined && clock.now() > request.startBy;
}

const CONTENT_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
} as const;

function encoded(body: Readonly<Record<string, unknown>>, encoding: 'json' | 'form'): string {
  if (encoding === 'json') return canonicalJson(body);
  const fields = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)] as [string, string])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return new URLSearchParams(fields).toString();
}

function deferred(code: string): Exchanged {
  return { kind: 'no-call', result: { kind: 'deferred', code } };
}

function keyHeader(key: KeyRule, request: SendRequest): Headers {
  return key.place === 'header' ? { [key.name.toLowerCase()]: keyOf(key, request) } : {};
}

function keyMember(key: KeyRule, request: SendRequest): Readonly<Record<string, string>> {
  return key.place === 'body' ? { [key.name]: keyOf(key, request) } : {};
}
