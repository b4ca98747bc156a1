import { type AwsCredentials, RequestSigner } from '#adapters/aws/request-signature.ts';
import type { HttpAnswer, HttpClient } from '#adapters/http/http-call.ts';

/** How one call ended; names and codes only, nothing of a payload. */
export type AwsAnswer =
  | { readonly kind: 'answer'; readonly output: Readonly<Record<string, unknown>> }
  /** The service said no; `name` is its error's, without a namespace. */
  | {
      readonly kind: 'refused';
      readonly name: string;
      readonly output: Readonly<Record<string, unknown>>;
    }
  /** Nobody can say whether the service acted on it, unless the code says `NOT_…` or refused. */
  | { readonly kind: 'no-answer'; readonly code: string };

export type AwsJsonService = {
  /** As in the signature's scope: `dynamodb`. */
  readonly service: string;
  readonly region: string;
  /** URL without a path. */
  readonly endpoint: string;
  /** What stands before the operation in `x-amz-target`. */
  readonly targetPrefix: string;
  readonly jsonVersion: '1.0' | '1.1';
};

export type AwsJsonClientOptions = AwsJsonService & {
  readonly http: HttpClient;
  readonly credentials: () => Promise<AwsCredentials>;
  /** Tries of one call, for calls whose repeat does no harm. */
  readonly maxAttempts: number;
  readonly attemptTimeoutMs: number;
};

export interface AwsJsonClient {
  call(
    operation: string,
    input: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<AwsAnswer>;
}

/** Full jitter below these, doubled with every try. */
const TRANSIENT_WAIT_MS = 50;
/** A throttled table needs time, not questions. */
const THROTTLED_WAIT_MS = 500;

/**
 * Calls to an AWS service that speaks JSON over `POST /` (DynamoDB, Secrets Manager), signed and
 * sent by the one HTTP client of the product. It stands in for the service's SDK client, whose
 * middleware costs several times the CPU of the call itself and half of the bundle.
 */
export function createAwsJsonClient(options: AwsJsonClientOptions): AwsJsonClient {
  const { http, credentials, attemptTimeoutMs } = options;
  const signer = new RequestSigner(options.region, options.service);
  const url = new URL(options.endpoint);
  const contentType = `application/x-amz-json-${options.jsonVersion}`;

  async function tryOnce(target: string, body: string, signal?: AbortSignal): Promise<Try> {
    const headers = signer.sign(
      {
        host: url.host,
        headers: { 'content-type': contentType, 'x-amz-target': target },
        body,
      },
      await credentials(),
      Date.now(),
    );
    const outcome = await http.call({
      method: 'POST',
      url: url.href,
      headers,
      body,
      timeoutMs: attemptTimeoutMs,
      ...(signal && { signal }),
    });
    if (outcome.kind === 'answer') return judge(outcome);
    if (outcome.kind === 'invalid-request') {
      return { answer: { kind: 'no-answer', code: outcome.code }, waitMs: null };
    }
    return { answer: { kind: 'no-answer', code: outcome.cause }, waitMs: TRANSIENT_WAIT_MS };
  }

  return {
    async call(operation, input, signal) {
      const target = `${options.targetPrefix}.${operation}`;
      const body = JSON.stringify(input);
      for (let tries = 1; ; tries += 1) {
        const { answer, waitMs } = await tryOnce(target, body, signal);
        if (waitMs === null || tries >= options.maxAttempts || signal?.aborted) return answer;
        await pause(Math.random() * waitMs * 2 ** (tries - 1), signal);
        if (signal?.aborted) return answer;
      }
    },
  };
}

/** `waitMs`: the first wait before a repeat; null when a repeat would change nothing. */
type Try = { readonly answer: AwsAnswer; readonly waitMs: number | null };

function judge(answer: HttpAnswer): Try {
  const output = parseObject(answer.text);
  if (answer.status >= 200 && answer.status < 300) {
    return output === undefined
      ? { answer: { kind: 'no-answer', code: 'ANSWER_UNREADABLE' }, waitMs: null }
      : { answer: { kind: 'answer', output }, waitMs: null };
  }
  const type = answer.headers['x-amzn-errortype'] ?? output?.['__type'] ?? output?.['code'];
  const name = errorNameOf(type) ?? `HTTP_${answer.status}`;
  return {
    answer: { kind: 'refused', name, output: output ?? {} },
    waitMs: waitAfter(answer.status, name),
  };
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException:http://…` is a ThrottlingException. */
function errorNameOf(type: unknown): string | undefined {
  if (typeof type !== 'string') return undefined;
  const name = (type.split('#').at(-1) ?? '').split(':')[0] ?? '';
  return /^\w{1,64}$/.test(name) ? name : undefined;
}

function waitAfter(status: number, name: string): number | null {
  if (/Throttl|ThroughputExceeded|RequestLimitExceeded|TooManyRequests|SlowDown/.test(name)) {
    return THROTTLED_WAIT_MS;
  }
  if (status === 429) return THROTTLED_WAIT_MS;
  return status >= 500 || name.startsWith('RequestTimeout') ? TRANSIENT_WAIT_MS : null;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });
}
