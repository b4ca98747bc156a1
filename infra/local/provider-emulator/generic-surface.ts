import type { ProviderClass } from '#core/send-result.ts';
import { type Answer, jsonAnswer } from '../emulator-server.ts';
import type { Lookup } from './provider-model.ts';
import {
  bearerToken,
  bodyText,
  headerValue,
  type ProviderRequest,
  type ProviderSurface,
  type SendCall,
  type SurfaceAnswers,
  type SurfaceOperation,
} from './provider-surface.ts';

/** Refusals of a service with no form of its own. */
export const jsonRefusals = {
  conflict: () => jsonAnswer(409, { error: { code: 'idempotency_key_reused' } }),
  inProgress: () => jsonAnswer(409, { error: { code: 'request_in_progress' } }),
  refused: (status: number, code: string) => jsonAnswer(status, { error: { code } }),
} as const satisfies Partial<SurfaceAnswers>;

export type GenericProfile = {
  readonly providerClass: ProviderClass;
  /** `dedupes`; 24 h when absent. */
  readonly windowMs?: number;
  /** `queryable`: a message can be found this long after its acceptance. */
  readonly queryLagMs?: number;
  /** Where the caller's key is: a header (default `Idempotency-Key`) or a dotted path of the body. */
  readonly key?: { readonly header: string } | { readonly body: string };
  /** Dotted path of the receipt in the answer and in a found item; `id` when absent. */
  readonly receiptPath?: string;
  readonly acceptedStatus?: number;
  /** Accepted bearer tokens; any non-empty one when absent; `none`: no authorisation is asked. */
  readonly tokens?: readonly string[] | 'none';
};

const DAY_MS = 86_400_000;

/**
 * `POST /send/<name>` and, for a queryable profile, `GET /messages/<name>?key=…`, which answers
 * `{items: []}` or `{items: [{id, key, accepted_at}]}`. The profile named `default` also answers
 * without its name.
 */
export function genericSurface(name: string, profile: GenericProfile): ProviderSurface {
  const paths = name === 'default' ? ['', '/default'] : [`/${name}`];
  const windowMs = profile.providerClass === 'dedupes' ? (profile.windowMs ?? DAY_MS) : null;
  return {
    name,
    providerClass: profile.providerClass,
    windowMs,
    ...(profile.queryLagMs !== undefined && { queryLagMs: profile.queryLagMs }),
    authorised: (request) => authorised(request, profile.tokens),
    operations: paths.flatMap((path) => operations(path, profile)),
    answers: {
      accepted: (receipt, replayed) =>
        jsonAnswer(
          profile.acceptedStatus ?? 200,
          nested(receiptPath(profile), receipt),
          replayed ? { 'idempotent-replayed': 'true' } : {},
        ),
      noReceipt: () => jsonAnswer(profile.acceptedStatus ?? 200, {}),
      ...jsonRefusals,
    },
  };
}

function operations(path: string, profile: GenericProfile): SurfaceOperation[] {
  const send: SurfaceOperation = {
    kind: 'send',
    method: 'POST',
    path: `/send${path}`,
    read: (request) => readSend(request, profile),
  };
  if (profile.providerClass !== 'queryable') return [send];
  const find: SurfaceOperation = {
    kind: 'ask',
    method: 'GET',
    path: `/messages${path}`,
    answer: (request, model, now) =>
      lookupAnswer(model.find(request.query.get('key') ?? '', now), profile),
  };
  return [send, find];
}

function readSend(request: ProviderRequest, profile: GenericProfile): SendCall {
  if (typeof request.body !== 'object' || request.body === null) {
    return { kind: 'invalid', status: 400, code: 'body_not_json' };
  }
  const place = profile.key ?? { header: 'Idempotency-Key' };
  const key =
    'header' in place ? headerValue(request, place.header) : bodyText(request, place.body);
  return { kind: 'send', idempotencyKey: key, key: key ?? '' };
}

/** 200 either way: a 404 could also mean a wrong address, and would be read as "never sent". */
function lookupAnswer(lookup: Lookup, profile: GenericProfile): Answer {
  if (lookup.kind === 'absent') return jsonAnswer(200, { items: [] });
  const { receipt, key, at } = lookup.record;
  const item = {
    ...nested(receiptPath(profile), receipt),
    key,
    accepted_at: new Date(at).toISOString(),
  };
  return jsonAnswer(200, { items: [item] });
}

function authorised(request: ProviderRequest, tokens: GenericProfile['tokens']): boolean {
  if (tokens === 'none') return true;
  const token = bearerToken(request);
  return token !== undefined && (tokens === undefined || tokens.includes(token));
}

function receiptPath(profile: GenericProfile): string {
  return profile.receiptPath ?? 'id';
}

function nested(path: string, value: string): Record<string, unknown> {
  const names = path.split('.');
  const last = names.pop() ?? path;
  return names.reduceRight<Record<string, unknown>>((inner, name) => ({ [name]: inner }), {
    [last]: value,
  });
}
