import type { HttpClient, HttpOutcome } from '#adapters/http/http-call.ts';

/** The parts of an SDK request that a handler is given: serialised and signed. */
type SdkRequest = {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/**
 * The product's HTTP client under an AWS SDK client: head and body leave in one write, the answer
 * needs no stream, and a connection that went stale while the function was frozen is not used.
 * Failures carry the codes by which the SDK decides about its repeats.
 */
export function createRequestHandler(http: HttpClient, attemptTimeoutMs: number) {
  return {
    async handle(request: SdkRequest, options: { readonly abortSignal?: unknown } = {}) {
      const { abortSignal } = options;
      const outcome = await http.call({
        method: request.method as 'POST',
        url: urlOf(request),
        headers: request.headers,
        body: textOf(request.body),
        timeoutMs: attemptTimeoutMs,
        ...(abortSignal instanceof AbortSignal && { signal: abortSignal }),
      });
      if (outcome.kind !== 'answer') throw noAnswer(outcome);
      const { status, headers, text } = outcome;
      return { response: { statusCode: status, headers: { ...headers }, body: Buffer.from(text) } };
    },
    updateHttpClientConfig(): void {},
    httpHandlerConfigs: () => ({}),
    destroy: () => http.close(),
  };
}

function urlOf({ protocol, hostname, port, path }: SdkRequest): string {
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`;
}

/** By its memory: the SDK's bytes play a string too, and log a warning when they are taken for one. */
function textOf(body: unknown): string {
  if (!(body instanceof Uint8Array)) return typeof body === 'string' ? body : '';
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** As Node names them; those after which the SDK repeats a call are repeated, the others not. */
const CODES: Readonly<Record<string, string>> = {
  TIMEOUT: 'ETIMEDOUT',
  CONNECT_TIMEOUT: 'ETIMEDOUT',
  CONNECTION_REFUSED: 'ECONNREFUSED',
  NAME_RESOLUTION: 'ENOTFOUND',
  RESET: 'ECONNRESET',
  CLOSED: 'ECONNRESET',
  CUT_BODY: 'ECONNRESET',
};

function noAnswer(outcome: Exclude<HttpOutcome, { kind: 'answer' }>): Error {
  const cause = outcome.kind === 'invalid-request' ? outcome.code : outcome.cause;
  const error = new Error(`no answer from the ledger table: ${cause}`);
  error.name = cause === 'ABORTED' ? 'AbortError' : 'NoAnswer';
  return Object.assign(error, { code: CODES[cause] ?? cause });
}
