import type { HttpAnswer, HttpClient, HttpOutcome } from '#adapters/http/http-call.ts';
import { readEnvelope } from '#adapters/infrai/envelope.ts';
import { errorName } from '#core/errors.ts';
import { retryAfterSeconds } from '#core/retry-after.ts';
import type { Clock, QueueFailure, Random } from '#ports';

export type InfraiCall = {
  readonly method: 'GET' | 'POST';
  /** `/v1/...`, its parts already encoded. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  /**
   * Whether a second copy of the call does no harm when the first one did its work and only its
   * answer was lost. `never` makes one try.
   */
  readonly repeat: 'harmless' | 'never';
  /** False for routes that need no key: it is not sent where it is not needed. */
  readonly authorized?: boolean;
};

export type InfraiAnswer =
  | { readonly kind: 'ok'; readonly data: unknown }
  | (QueueFailure & {
      /** The HTTP status of the last answer; absent when there was none. */
      readonly status?: number;
    });

export interface InfraiTransport {
  call(call: InfraiCall): Promise<InfraiAnswer>;
}

export type InfraiTransportOptions = {
  readonly baseUrl: string;
  /** A function is asked before each try, so that a rotated key needs no new environment. */
  readonly apiKey: string | (() => Promise<string>);
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
  /** One try, from connect to the last byte. */
  readonly tryTimeoutMs?: number;
  /** All tries and waits of one call together: a settle step must not eat the run budget. */
  readonly callBudgetMs?: number;
};

const TRY_TIMEOUT_MS = 5_000;
/** Shorter than two deliveries take to dead-letter a message (about 18 s), so repeats stay fresh. */
const CALL_BUDGET_MS = 10_000;
const MAX_TRIES = 4;
const FIRST_WAIT_MS = 200;
/** Below this, a hot loop would answer a rate limit with more load. */
const MIN_WAIT_MS = 50;
/** A try with less time left than this would time out for lack of time and prove nothing. */
const MIN_TRY_MS = 250;

/** One outcome of one try, with what the decision to repeat needs. */
type Try = { readonly answer: InfraiAnswer; readonly transient: boolean };

/**
 * Calls to the Infrai API: Bearer authentication, envelope decoding, and transport retries within
 * one call's budget. A failure carries a code only: no header, no body, no text of the server's.
 */
export function createInfraiTransport(options: InfraiTransportOptions): InfraiTransport {
  const { clock, http, random } = options;
  const tryTimeoutMs = options.tryTimeoutMs ?? TRY_TIMEOUT_MS;
  const budgetMs = options.callBudgetMs ?? CALL_BUDGET_MS;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');

  async function tryOnce(call: InfraiCall, timeoutMs: number): Promise<Try> {
    const apiKey = call.authorized === false ? undefined : await readKey(options.apiKey);
    if (typeof apiKey === 'object') return { answer: apiKey, transient: false };
    const outcome = await http.call({
      method: call.method,
      url: `${baseUrl}${call.path}`,
      headers: headersOf(call, apiKey),
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      timeoutMs,
    });
    return outcome.kind === 'answer' ? judge(outcome, clock.now()) : withoutAnswer(outcome);
  }

  function waitMsAfter(tries: number, answer: InfraiAnswer): number {
    const drawn = FIRST_WAIT_MS * 2 ** (tries - 1) * random.fraction();
    const asked = answer.kind === 'failed' ? (answer.retryAfterSeconds ?? 0) * 1000 : 0;
    return Math.max(MIN_WAIT_MS, drawn, asked);
  }

  return {
    async call(call) {
      const endsAt = clock.now() + budgetMs;
      for (let tries = 1; ; tries += 1) {
        const left = endsAt - clock.now();
        const { answer, transient } = await tryOnce(call, Math.min(tryTimeoutMs, left));
        if (!transient || call.repeat === 'never' || tries >= MAX_TRIES) return answer;
        const waitMs = waitMsAfter(tries, answer);
        if (clock.now() + waitMs + MIN_TRY_MS > endsAt) return answer;
        await clock.sleep(waitMs);
      }
    },
  };
}

async function readKey(source: InfraiTransportOptions['apiKey']): Promise<string | QueueFailure> {
  if (typeof source === 'string') return source;
  try {
    return await source();
  } catch (error) {
    const missing = errorName(error) === 'SECRET_MISSING';
    return { kind: 'failed', code: missing ? 'SECRET_MISSING' : 'SECRET_UNAVAILABLE' };
  }
}

function headersOf(call: InfraiCall, apiKey: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'remind-once',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
  };
}

/** The body speaks first, the server's own `retryable` second, the status last. */
function judge(answer: HttpAnswer, now: number): Try {
  const reading = readEnvelope(answer);
  if (reading.kind === 'ok') return { answer: reading, transient: false };
  const retryAfter = retryAfterSeconds(answer.headers['retry-after'], answer.headers['date'], now);
  return {
    answer: {
      kind: 'failed',
      code: reading.code,
      status: answer.status,
      ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
    },
    transient: isTransient(answer.status, reading.code, reading.retryable),
  };
}

function isTransient(status: number, code: string, retryable: boolean | undefined): boolean {
  // No repeat brings credit: it would only delay the alarm.
  if (status === 402 || code === 'INSUFFICIENT_CREDIT') return false;
  if (retryable !== undefined) return retryable;
  // The same key is still being worked on: the next try gets the finished result.
  if (status === 409) return code.includes('IN_PROGRESS');
  return status === 429 || status === 408 || status >= 500 || code === 'NOT_JSON';
}

function withoutAnswer(outcome: Exclude<HttpOutcome, HttpAnswer>): Try {
  if (outcome.kind === 'invalid-request') {
    return { answer: { kind: 'failed', code: 'REQUEST_NOT_BUILT' }, transient: false };
  }
  const timedOut = outcome.cause === 'TIMEOUT' || outcome.cause === 'CONNECT_TIMEOUT';
  return {
    answer: { kind: 'failed', code: timedOut ? 'TIMEOUT' : 'CONNECTION' },
    transient: true,
  };
}
