import { type Answer, jsonAnswer } from '../emulator-server.ts';
import type { QueueRefusalCode } from './queue-contract.ts';

/** Codes of the surface, beside those of the model. */
export type RefusalCode =
  | QueueRefusalCode
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'INVALID_JSON'
  | 'RATE_LIMITED';

/** Only 402 is documented; the others are the usual choice. */
export const STATUS_OF: Readonly<Record<RefusalCode, number>> = {
  UNAUTHORIZED: 401,
  INSUFFICIENT_CREDIT: 402,
  NOT_FOUND: 404,
  QUEUE_NOT_FOUND: 404,
  QUEUE_MESSAGE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  QUEUE_ALREADY_EXISTS: 409,
  QUEUE_IN_USE: 409,
  QUEUE_MESSAGE_NOT_IN_FLIGHT: 409,
  IDEMPOTENCY_KEY_CONFLICT: 409,
  QUEUE_MESSAGE_TOO_LARGE: 413,
  INVALID_JSON: 400,
  VALIDATION_FAILED: 422,
  CAPABILITY_UNAVAILABLE: 422,
  RATE_LIMITED: 429,
};

const HINTS: Partial<Record<RefusalCode, string>> = {
  UNAUTHORIZED: 'send Authorization: Bearer <key>',
  INSUFFICIENT_CREDIT: 'top up the account, or reset the emulator',
  QUEUE_NOT_FOUND: 'create it with POST /v1/queue/create',
  CAPABILITY_UNAVAILABLE: 'publish one message a call',
};

export type Metadata = {
  readonly requestId: string;
  readonly costUsd?: number;
  readonly latencyMs?: number;
  readonly cacheHit?: boolean;
};

export function okAnswer(data: unknown, metadata: Metadata): Answer {
  return jsonAnswer(200, { ok: true, data, error: null, metadata: metadataJson(metadata) });
}

export function refusalAnswer(
  code: RefusalCode,
  message: string,
  metadata: Metadata,
  status: number = STATUS_OF[code],
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const error: Record<string, unknown> = { code, message, retryable: code === 'RATE_LIMITED' };
  const hint = HINTS[code];
  if (hint !== undefined) error['hint'] = hint;
  return jsonAnswer(
    status,
    { ok: false, data: null, error, metadata: metadataJson(metadata) },
    headers,
  );
}

/** An envelope whose error is whatever a fault asks for. */
export function notOkAnswer(status: number, error: unknown, metadata: Metadata): Answer {
  return jsonAnswer(status, { ok: false, data: null, error, metadata: metadataJson(metadata) });
}

function metadataJson(metadata: Metadata): Record<string, unknown> {
  return {
    cost_usd: metadata.costUsd ?? 0,
    latency_ms: metadata.latencyMs ?? 0,
    vendor: 'emulator',
    cache_hit: metadata.cacheHit ?? false,
    request_id: metadata.requestId,
  };
}
