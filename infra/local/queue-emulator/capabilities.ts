import * as z from 'zod';
import { MAX_DELAY_SECONDS, MAX_RETENTION_DAYS } from './queue-contract.ts';
import type { QueueRoute } from './queue-faults.ts';

const name = z.string().min(1).max(256);
const seconds = z.number().int().nonnegative();
const idempotencyKey = z.string().min(1).max(256).optional();
const jsonObject = z.record(z.string(), z.unknown());

export const createParams = z.object({
  name,
  type: z.enum(['standard', 'fifo']).optional(),
  dead_letter_queue: name.optional(),
  max_retries: z.number().int().min(1).max(1000).optional(),
  message_retention_days: z.number().positive().max(MAX_RETENTION_DAYS).optional(),
  visibility_timeout_default: seconds.optional(),
  enable_priority: z.boolean().optional(),
  idempotency_key: idempotencyKey,
});
export const publishParams = z.object({
  queue: name,
  payload: jsonObject.optional(),
  body: jsonObject.optional(),
  delay_seconds: z.number().int().min(0).max(MAX_DELAY_SECONDS).optional(),
  priority: z.number().int().optional(),
  message_group_id: z.string().optional(),
  deduplication_id: z.string().optional(),
  headers: jsonObject.optional(),
  idempotency_key: idempotencyKey,
});
export const consumeParams = z.object({
  queue: name,
  max_messages: z.number().int().min(1).optional(),
  visibility_timeout: seconds.optional(),
});
export const settleParams = z.object({
  queue: name,
  message_id: z.string().optional(),
  receipt_handle: z.string().optional(),
  receipt: z.string().optional(),
});
export const redriveParams = z.object({
  message_id: z.string().optional(),
  idempotency_key: idempotencyKey,
});
export const updateParams = z.looseObject({});
const noParams = z.object({});

export type Capability = {
  readonly id: Exclude<QueueRoute, `discovery.${string}`>;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{queue}` stands for one path segment. */
  readonly path: string;
  readonly params: z.ZodType;
  readonly idempotent: boolean;
  readonly available: boolean;
};

/** Every enveloped route that is played, in the order of the discovery list. */
export const CAPABILITIES: readonly Capability[] = [
  post('queue.create', '/v1/queue/create', createParams, true),
  get('queue.get', '/v1/queue/get/{queue}'),
  get('queue.list', '/v1/queue/list'),
  {
    ...get('queue.delete', '/v1/queue/delete/{queue}'),
    method: 'DELETE',
    idempotent: false,
  },
  post('queue.update', '/v1/queue/update/{queue}', updateParams, true),
  post('queue.publish', '/v1/queue/publish', publishParams, true),
  {
    ...post('queue.publish_batch', '/v1/queue/publish_batch', updateParams, true),
    available: false,
  },
  post('queue.consume', '/v1/queue/consume', consumeParams, false),
  post('queue.ack', '/v1/queue/ack', settleParams, true),
  post('queue.nack', '/v1/queue/nack', settleParams, true),
  get('queue.stats', '/v1/queue/stats/{queue}'),
  get('queue.dlq.list', '/v1/queue/dlq/list/{queue}'),
  post('queue.dlq.redrive', '/v1/queue/dlq/redrive/{queue}', redriveParams, true),
  get('account.balance', '/v1/account/balance'),
];

function get(id: Capability['id'], path: string): Capability {
  return { id, method: 'GET', path, params: noParams, idempotent: true, available: true };
}

function post(
  id: Capability['id'],
  path: string,
  params: z.ZodType,
  idempotent: boolean,
): Capability {
  return { id, method: 'POST', path, params, idempotent, available: true };
}

/** One entry of `GET /v1/discovery`, as `GET /v1/discovery/{id}` answers it. */
export function describeCapability(capability: Capability): Record<string, unknown> {
  const { id, method, path, idempotent, available } = capability;
  return {
    id,
    method,
    path,
    available,
    idempotent,
    regions: ['local'],
    vendors_ready: ['emulator'],
    params: z.toJSONSchema(capability.params, { io: 'input' }),
  };
}
