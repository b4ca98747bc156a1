import type { HttpAnswer } from '#adapters/http/http-call.ts';

/** What an answer of the Infrai API says, whatever its HTTP status. */
export type EnvelopeReading =
  | { readonly kind: 'ok'; readonly data: unknown }
  | {
      readonly kind: 'refused';
      /** The envelope's error code, else `HTTP_<status>`, `REFUSED` or `NOT_JSON`. */
      readonly code: string;
      /** The server's own word on whether a repeat makes sense; undefined when it gave none. */
      readonly retryable: boolean | undefined;
    };

/** Codes are ours to log only when they look like codes: a server may echo anything at all. */
const ERROR_CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/**
 * Decodes `{ ok, data, error, metadata }` (contract page, "Common rules"): the body is read before
 * the status is judged, because a refusal is a 4xx with the full envelope, or a 200 with `ok:false`.
 * A JSON answer without `ok` (discovery) is its own data.
 */
export function readEnvelope(answer: HttpAnswer): EnvelopeReading {
  const good = answer.status >= 200 && answer.status < 300;
  const body = parseJson(answer.text);
  if (body === undefined) return refused(good ? 'NOT_JSON' : httpCode(answer));
  const envelope = isObject(body) && typeof body['ok'] === 'boolean' ? body : undefined;
  if (envelope === undefined) {
    return good ? { kind: 'ok', data: body } : fromError(body, httpCode(answer));
  }
  if (envelope['ok'] === true && good) return { kind: 'ok', data: envelope['data'] };
  return fromError(envelope, good ? 'REFUSED' : httpCode(answer));
}

function fromError(body: unknown, otherwise: string): EnvelopeReading {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error)) return refused(codeOr(error, otherwise));
  const retryable = error['retryable'];
  return refused(
    codeOr(error['code'], otherwise),
    typeof retryable === 'boolean' ? retryable : undefined,
  );
}

function refused(code: string, retryable?: boolean): EnvelopeReading {
  return { kind: 'refused', code, retryable };
}

function codeOr(candidate: unknown, otherwise: string): string {
  return typeof candidate === 'string' && ERROR_CODE.test(candidate) ? candidate : otherwise;
}

function httpCode(answer: HttpAnswer): string {
  return `HTTP_${answer.status}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
