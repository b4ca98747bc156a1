import type { HttpClient } from '#adapters/http/http-call.ts';
import { isHeaderValue } from '#adapters/http/request-parts.ts';
import { canonicalJson } from '#adapters/providers/canonical-json.ts';
import { judgeQuery, judgeSend } from '#adapters/providers/judge-outcome.ts';
import type { ProviderProfile, ReceiptRule } from '#adapters/providers/provider-profile.ts';
import { errorName } from '#core/errors.ts';
import type { Reminder } from '#core/reminder.ts';
import type { BlindPolicy, QueryResult, SendResult } from '#core/send-result.ts';
import type { Clock, Secrets, Sender, SendRequest } from '#ports';

export type SenderDependencies = {
  readonly http: HttpClient;
  readonly secrets: Secrets;
  readonly clock: Clock;
};

/** How a provider is asked about an earlier send. */
export type QueryRule = {
  /** The address to GET for a key. */
  readonly urlOf: (key: string) => string;
  readonly receipt: Pick<ReceiptRule, 'place' | 'path'>;
};

/** One channel's provider: its profile, plus what the channel's configuration adds. */
export type ProfileSenderOptions = {
  readonly profile: ProviderProfile;
  readonly url: string;
  readonly sendTimeoutMs: number;
  readonly blindPolicy: BlindPolicy;
  /** The message, a pure function of the reminder in which attempt and hop have no part. */
  readonly bodyOf: (reminder: Reminder) => Readonly<Record<string, unknown>>;
  /** The secret's name for port Secrets; absent when the provider needs none. */
  readonly secretRef?: string;
  /** From the secret to the `Authorization` header; Bearer by default. */
  readonly authorizationOf?: (secret: string) => string;
  /** Present exactly when the class is `queryable`. */
  readonly query?: QueryRule;
};

type Authorization =
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  /** The secret is missing or unusable: no reminder of this channel can be sent. */
  | { readonly kind: 'channel-stopped'; readonly code: string }
  /** The store of secrets did not answer. Nothing was sent; a later attempt may find it. */
  | { readonly kind: 'unavailable' };

/**
 * A sender from a profile: JSON POST with the send key, one call and no repeat, judged by the
 * profile's table. Its results carry codes and receipts only.
 */
export function createProfileSender(
  options: ProfileSenderOptions,
  dependencies: SenderDependencies,
): Sender {
  const { profile, query } = options;
  const { http, clock } = dependencies;
  const authorize = () => authorization(options, dependencies.secrets);

  async function send(request: SendRequest): Promise<SendResult> {
    const allowed = await authorize();
    if (allowed.kind === 'unavailable') return { kind: 'deferred', code: 'SECRET_UNAVAILABLE' };
    if (allowed.kind === 'channel-stopped') return allowed;
    const outcome = await http.call({
      method: 'POST',
      url: options.url,
      headers: {
        'content-type': 'application/json',
        ...COMMON_HEADERS,
        ...keyHeader(profile, request),
        ...allowed.headers,
      },
      body: canonicalJson({ ...options.bodyOf(request.reminder), ...keyMember(profile, request) }),
      timeoutMs: options.sendTimeoutMs,
    });
    return judgeSend(outcome, profile, clock.now());
  }

  async function ask(rule: QueryRule, request: SendRequest): Promise<QueryResult> {
    const allowed = await authorize();
    if (allowed.kind === 'unavailable') return { kind: 'cannot-tell', cause: 'SECRET_UNAVAILABLE' };
    if (allowed.kind === 'channel-stopped') return allowed;
    const outcome = await http.call({
      method: 'GET',
      url: rule.urlOf(keyOf(profile, request)),
      headers: { ...COMMON_HEADERS, ...allowed.headers },
      timeoutMs: options.sendTimeoutMs,
    });
    return judgeQuery(outcome, rule.receipt);
  }

  return {
    profile: {
      provider: profile.provider,
      providerClass: profile.providerClass,
      windowSeconds: profile.windowSeconds,
      commitSeconds: profile.commitSeconds,
      sendTimeoutMs: options.sendTimeoutMs,
      blindPolicy: options.blindPolicy,
    },
    content: (reminder) => canonicalJson(options.bodyOf(reminder)),
    send,
    ...(query !== undefined && { query: (request: SendRequest) => ask(query, request) }),
  };
}

const COMMON_HEADERS = { accept: 'application/json', 'user-agent': 'remind-once' };

function keyOf(profile: ProviderProfile, request: SendRequest): string {
  return profile.key.form === 'uuid' ? request.sendUuid : request.sendKey;
}

function keyHeader(profile: ProviderProfile, request: SendRequest): Record<string, string> {
  const { place, name } = profile.key;
  return place === 'header' ? { [name.toLowerCase()]: keyOf(profile, request) } : {};
}

function keyMember(profile: ProviderProfile, request: SendRequest): Record<string, string> {
  const { place, name } = profile.key;
  return place === 'body' ? { [name]: keyOf(profile, request) } : {};
}

async function authorization(
  options: ProfileSenderOptions,
  secrets: Secrets,
): Promise<Authorization> {
  if (options.secretRef === undefined) return { kind: 'headers', headers: {} };
  try {
    const secret = (await secrets.get(options.secretRef)).trim();
    const value = options.authorizationOf?.(secret) ?? `Bearer ${secret}`;
    return isHeaderValue(value)
      ? { kind: 'headers', headers: { authorization: value } }
      : { kind: 'channel-stopped', code: 'SECRET_UNUSABLE' };
  } catch (error) {
    // Read by its code: the error's own text may name more than the code does.
    return errorName(error) === 'SECRET_MISSING'
      ? { kind: 'channel-stopped', code: 'SECRET_MISSING' }
      : { kind: 'unavailable' };
  }
}
