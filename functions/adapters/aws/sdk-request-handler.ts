import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { HttpClient, HttpOutcome } from '#adapters/http/http-call.ts';

/** The parts of an AWS SDK request that a handler is given: signed, ready to be written. */
type SdkRequest = {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

type SdkResponse = {
  readonly response: {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body: Readable;
  };
};

/** What the SDK is given when there was no answer; its own retries are off, so it only passes it on. */
class NoAnswer extends Error {
  constructor() {
    super('no answer; the outcome is with the recorder');
    this.name = 'NoAnswer';
  }
}

export interface SdkTransport {
  /** For a client's `requestHandler`. */
  readonly requestHandler: {
    handle(request: SdkRequest): Promise<SdkResponse>;
    updateHttpClientConfig(): void;
    httpHandlerConfigs(): Record<string, never>;
  };
  /** Does `work` with a client of this handler; never rejects. */
  recorded(work: () => Promise<unknown>): Promise<Recorded>;
}

export type Recorded = {
  readonly outcomes: readonly HttpOutcome[];
  /** What the SDK threw; undefined when it was content. */
  readonly problem: unknown;
};

/**
 * Lets an AWS SDK client write and sign a request and makes the call with our own HTTP client,
 * which knows what a failure proved. The SDK's own reading of the answer is not needed.
 */
export function createSdkTransport(http: HttpClient, timeoutMs: number): SdkTransport {
  const recording = new AsyncLocalStorage<HttpOutcome[]>();
  return {
    requestHandler: {
      async handle(request) {
        const outcome = await http.call({
          method: request.method as 'POST',
          url: urlOf(request),
          headers: request.headers,
          ...(request.body !== undefined && { body: textOf(request.body) }),
          timeoutMs,
        });
        recording.getStore()?.push(outcome);
        if (outcome.kind !== 'answer') throw new NoAnswer();
        const body = Readable.from([Buffer.from(outcome.text)]);
        return { response: { statusCode: outcome.status, headers: { ...outcome.headers }, body } };
      },
      updateHttpClientConfig: () => {},
      httpHandlerConfigs: () => ({}),
    },
    async recorded(work) {
      const outcomes: HttpOutcome[] = [];
      const problem = await recording.run(outcomes, work).then(
        () => undefined,
        (error: unknown) => error,
      );
      return { outcomes, problem };
    },
  };
}

function urlOf({ protocol, hostname, port, path, query }: SdkRequest): string {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query ?? {})) {
    url.searchParams.set(name, String(value));
  }
  return url.href;
}

function textOf(body: unknown): string {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
}
