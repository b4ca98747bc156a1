import type * as z from 'zod';
import type { EpochMs } from '#core/brand.ts';
import { type AnswerStyle, consumeData, parseReceipt } from './answer-style.ts';
import {
  type Capability,
  consumeParams,
  createParams,
  publishParams,
  redriveParams,
  settleParams,
} from './capabilities.ts';
import { PUBLISH_PRICE_MICRO_USD, type QueueRefusal, refused } from './queue-contract.ts';
import type { QueueModel } from './queue-model.ts';
import type { QueueState } from './queue-state.ts';

/** One call, its fault already reduced to what the model must know. */
export type Operation = {
  readonly model: QueueModel;
  readonly style: AnswerStyle;
  readonly now: EpochMs;
  /** The `{queue}` of the path, or ''. */
  readonly queue: string;
  readonly body: unknown;
  /** From the header or the body. */
  readonly idempotencyKey: string | undefined;
  readonly redeliverAcked: boolean;
  readonly leaseMs: number | undefined;
};

export type Done = {
  readonly kind: 'done';
  readonly data: unknown;
  readonly costUsd?: number;
  /** The first result of a repeated key. */
  readonly cacheHit?: boolean;
};
export type OperationResult = Done | QueueRefusal;

export const OPERATIONS: Readonly<
  Record<Capability['id'], (operation: Operation) => OperationResult>
> = {
  'queue.create': create,
  'queue.get': ({ model, queue, now }) => {
    const found = model.get(queue);
    return found.kind === 'refused' ? found : done(queueData(found.queue, now));
  },
  'queue.list': ({ model, now }) =>
    done({ queues: model.list().map((queue) => queueData(queue, now)) }),
  'queue.delete': ({ model, queue }) => {
    const deleted = model.delete(queue);
    return deleted.kind === 'refused' ? deleted : done({ name: queue, deleted: true });
  },
  // Seen live: an update is answered with success, and a delivery delay set by it changes nothing.
  'queue.update': ({ model, queue, now }) => {
    const found = model.get(queue);
    return found.kind === 'refused' ? found : done(queueData(found.queue, now));
  },
  'queue.publish': publish,
  'queue.publish_batch': () =>
    refused('CAPABILITY_UNAVAILABLE', 'publish_batch is not played: its item form is disputed'),
  'queue.consume': consume,
  'queue.ack': (operation) => settle(operation, 'ack'),
  'queue.nack': (operation) => settle(operation, 'nack'),
  'queue.stats': stats,
  // Seen live: empty even with a dead message. `<queue>.dlq` answers an ordinary consume.
  'queue.dlq.list': ({ model, queue }) => {
    const found = model.get(queue);
    return found.kind === 'refused' ? found : done({ items: [] });
  },
  'queue.dlq.redrive': redrive,
  'account.balance': ({ model }) =>
    done({ balance_usd: model.account.balanceUsd, currency: 'USD' }),
};

function create(operation: Operation): OperationResult {
  const params = check(createParams, operation.body);
  if ('kind' in params) return params;
  const result = operation.model.create({
    name: params.name,
    type: params.type,
    deadLetterQueue: params.dead_letter_queue,
    maxRetries: params.max_retries,
    retentionDays: params.message_retention_days,
    visibilityTimeoutSeconds: params.visibility_timeout_default,
    enablePriority: params.enable_priority,
  });
  return result.kind === 'refused' ? result : done({ name: params.name, state: 'active' });
}

function publish(operation: Operation): OperationResult {
  const params = check(publishParams, operation.body);
  if ('kind' in params) return params;
  const payload = params.payload ?? params.body;
  if (payload === undefined) return refused('VALIDATION_FAILED', 'payload is missing');
  const result = operation.model.publish(
    {
      queue: params.queue,
      payload,
      delaySeconds: params.delay_seconds,
      priority: params.priority,
      deduplicationId: params.deduplication_id,
      headers: params.headers,
      idempotencyKey: operation.idempotencyKey,
    },
    operation.now,
  );
  if (result.kind === 'refused') return result;
  return {
    kind: 'done',
    // Seen live: `available` even when the message is delayed. Only the stats tell the truth.
    data: { [operation.style.idField]: result.messageId, state: 'available' },
    costUsd: result.replayed ? 0 : PUBLISH_PRICE_MICRO_USD / 1_000_000,
    cacheHit: result.replayed,
  };
}

function consume(operation: Operation): OperationResult {
  const params = check(consumeParams, operation.body);
  if ('kind' in params) return params;
  const result = operation.model.consume(
    {
      queue: params.queue,
      maxMessages: params.max_messages,
      visibilityTimeoutSeconds: params.visibility_timeout,
      leaseMs: operation.leaseMs,
    },
    operation.now,
  );
  if (result.kind === 'refused') return result;
  return done(consumeData(result.messages, operation.style));
}

function settle(operation: Operation, how: 'ack' | 'nack'): OperationResult {
  const params = check(settleParams, operation.body);
  if ('kind' in params) return params;
  const { model, now, style } = operation;
  const receipt = params.receipt_handle ?? params.receipt;
  const byReceipt = style.ackField === 'message_id' ? undefined : receipt;
  const byMessage = style.ackField === 'receipt_handle' ? undefined : params.message_id;
  const named = byMessage === undefined ? byReceipt : byMessage;
  if (named === undefined) {
    const wanted = style.ackField === 'any' ? 'message_id or receipt_handle' : style.ackField;
    return refused('VALIDATION_FAILED', `${wanted} is missing`);
  }
  const target = byMessage === undefined ? parseReceipt(named) : { messageId: named };
  const request = { queue: params.queue, ...target };
  const result =
    how === 'ack' ? model.ack(request, now, operation.redeliverAcked) : model.nack(request, now);
  if (result.kind === 'refused') return result;
  return done(settleData(style.ackData, target.messageId, result.kind));
}

function settleData(form: AnswerStyle['ackData'], messageId: string, state: string): unknown {
  if (form === 'null') return null;
  return form === 'true' ? true : { message_id: messageId, state };
}

function stats({ model, queue, now }: Operation): OperationResult {
  const result = model.stats(queue, now);
  if (result.kind === 'refused') return result;
  return done({
    available_count: result.availableCount,
    in_flight_count: result.inFlightCount,
    delayed_count: result.delayedCount,
    dlq_count: result.dlqCount,
    oldest_message_age_seconds: result.oldestMessageAgeSeconds,
  });
}

function redrive(operation: Operation): OperationResult {
  const params = check(redriveParams, operation.body ?? {});
  if ('kind' in params) return params;
  const result = operation.model.redrive(operation.queue, params.message_id, operation.now);
  return result.kind === 'refused' ? result : done({ redriven_count: result.count });
}

function queueData(queue: QueueState, now: EpochMs): Record<string, unknown> {
  const { settings } = queue;
  const { availableCount, inFlightCount, delayedCount } = queue.stats(now);
  return {
    name: queue.name,
    type: settings.type,
    dead_letter_queue: queue.deadLetters?.name ?? null,
    max_retries: settings.maxDeliveries,
    message_retention_days: settings.retentionMs / 86_400_000,
    message_count: availableCount + inFlightCount + delayedCount,
  };
}

function check<Schema extends z.ZodType<object>>(
  schema: Schema,
  body: unknown,
): z.infer<Schema> | QueueRefusal {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'body';
  return refused('VALIDATION_FAILED', `${where}: ${issue?.message ?? 'is not valid'}`);
}

function done(data: unknown): Done {
  return { kind: 'done', data };
}
