import type { IncomingHttpHeaders } from 'node:http';
import type { EpochMs } from '#core/brand.ts';
import type { ProviderClass } from '#core/send-result.ts';
import type { Answer } from '../emulator-server.ts';
import type { ProviderModel } from './provider-model.ts';

/** One HTTP call as a surface sees it. */
export type ProviderRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The body as sent: what a signature covers and what "the same body" means. */
  readonly text: string;
  /** Parsed JSON, the fields of a form as an object of strings, or undefined. */
  readonly body: unknown;
  /** Values of the `:name` segments of the operation's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
};

/** What a send call says in the vendor's form. */
export type SendCall =
  | {
      readonly kind: 'send';
      /** What the vendor dedupes by; undefined when it has no such thing or the call left it out. */
      readonly idempotencyKey: string | undefined;
      /** What effects are counted by: the key, or for blind vendors our metadata in the body. */
      readonly key: string;
    }
  | { readonly kind: 'invalid'; readonly status: number; readonly code: string };

type OperationOf<Kind extends string, Fields> = {
  readonly kind: Kind;
  readonly method: string;
  /** `:name` stands for one segment. */
  readonly path: string;
  /** Where method and path are not enough (AWS targets). */
  readonly matches?: (request: ProviderRequest) => boolean;
} & Fields;

export type SurfaceOperation =
  | OperationOf<'send', { readonly read: (request: ProviderRequest) => SendCall }>
  /** Anything that sends nothing: look-ups by key or receipt, lists, token endpoints. */
  | OperationOf<
      'ask',
      {
        readonly answer: (request: ProviderRequest, model: ProviderModel, now: EpochMs) => Answer;
        /** Its route in the fault plan; `<surface>.query` when absent. */
        readonly route?: string;
        /** No authorisation is asked. */
        readonly open?: true;
      }
    >;

/** The vendor's wire forms. Codes are for people; senders decide by status. */
export type SurfaceAnswers = {
  accepted(receipt: string, replayed: boolean, request: ProviderRequest): Answer;
  noReceipt(request: ProviderRequest): Answer;
  /** Same key, other body. */
  conflict(): Answer;
  /** Same key, first request not finished. */
  inProgress(): Answer;
  /** Any other refusal: deferred, rejected, unauthorised. */
  refused(status: number, code: string): Answer;
};

/** One provider as the emulator plays it: data and small functions, one file a vendor. */
export type ProviderSurface = {
  /** Also the route name of its faults. */
  readonly name: string;
  readonly providerClass: ProviderClass;
  /** `dedupes`: milliseconds; null for the other classes. */
  readonly windowMs: number | null;
  readonly queryLagMs?: number;
  readonly receiptPrefix?: string;
  readonly authorised: (request: ProviderRequest) => boolean;
  readonly operations: readonly SurfaceOperation[];
  readonly answers: SurfaceAnswers;
};

/** The values of `:name` segments when `path` fits `pattern`; undefined when it does not. */
export function matchPath(
  pattern: string,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? '';
    if (segment.startsWith(':')) {
      if (value === '') return undefined;
      params[segment.slice(1)] = decodeSegment(value);
    } else if (segment !== value) {
      return undefined;
    }
  }
  return params;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The token of `Authorization: Bearer <token>`; undefined when there is none. */
export function bearerToken(request: ProviderRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** A header's single non-empty value. */
export function headerValue(request: ProviderRequest, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A string at a dotted path of the body; undefined when there is none. */
export function bodyText(request: ProviderRequest, path: string): string | undefined {
  let value: unknown = request.body;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' && value !== '' ? value : undefined;
}
