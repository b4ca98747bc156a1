import type { EpochMs } from '#core/brand.ts';
import type { Random } from '#ports';
import type { MessageState } from './queue-state.ts';

/** What the live service leaves open, or was seen doing; each can be switched. */
export type QueueBehaviour = {
  /** Whether a lease lasts as long as asked for. `ignored`: always `redeliveryDelayMs`. */
  visibility: 'honoured' | 'ignored';
  /** Lease when visibility is ignored, or nobody asked for one. Seen: about six seconds. */
  redeliveryDelayMs: number;
  /** Spread added to every lease end, 0…this, seeded. */
  redeliveryJitterMs: number;
  /** Same key, other body: the first result once more, or a refusal. */
  keyConflict: 'first-result' | 'refused';
  /** Without a key the server derives one from the request: two identical publishes are one. */
  derivedKeys: boolean;
  /** Redrive without a message id: says yes and does nothing (seen), works, or is refused. */
  bulkRedrive: 'ignored' | 'works' | 'refused';
};

export const DEFAULT_BEHAVIOUR: QueueBehaviour = {
  visibility: 'honoured',
  redeliveryDelayMs: 6_000,
  redeliveryJitterMs: 0,
  keyConflict: 'first-result',
  derivedKeys: true,
  bulkRedrive: 'ignored',
};

export const PUBLISH_PRICE_MICRO_USD = 20;
export const MAX_MESSAGE_BYTES = 256 * 1024;
export const MAX_DELAY_SECONDS = 604_800;
export const MAX_MESSAGES_PER_CONSUME = 10;
export const MAX_RETENTION_DAYS = 30;
export const DEFAULT_MAX_DELIVERIES = 3;

export type QueueRefusalCode =
  | 'QUEUE_NOT_FOUND'
  | 'QUEUE_ALREADY_EXISTS'
  | 'QUEUE_IN_USE'
  | 'QUEUE_MESSAGE_NOT_IN_FLIGHT'
  | 'QUEUE_MESSAGE_NOT_FOUND'
  | 'QUEUE_MESSAGE_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_CONFLICT'
  | 'INSUFFICIENT_CREDIT'
  | 'CAPABILITY_UNAVAILABLE'
  | 'VALIDATION_FAILED';
export type QueueRefusal = {
  readonly kind: 'refused';
  readonly code: QueueRefusalCode;
  readonly message: string;
};

export type CreateQueueRequest = {
  readonly name: string;
  readonly type?: 'standard' | 'fifo' | undefined;
  /** Must exist. Without it the queue gets `<name>.dlq`. */
  readonly deadLetterQueue?: string | undefined;
  /** Deliveries before the dead-letter queue; 3 when not given, as seen. */
  readonly maxRetries?: number | undefined;
  readonly retentionDays?: number | undefined;
  readonly visibilityTimeoutSeconds?: number | undefined;
  readonly enablePriority?: boolean | undefined;
};
export type PublishMessageRequest = {
  readonly queue: string;
  readonly payload: unknown;
  readonly delaySeconds?: number | undefined;
  readonly priority?: number | undefined;
  readonly deduplicationId?: string | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly idempotencyKey?: string | undefined;
};
export type ConsumeMessagesRequest = {
  readonly queue: string;
  readonly maxMessages?: number | undefined;
  readonly visibilityTimeoutSeconds?: number | undefined;
  /** Fault: the lease ends this soon whatever was asked for, so that two consumers overlap. */
  readonly leaseMs?: number | undefined;
};
export type SettleMessageRequest = {
  readonly queue: string;
  readonly messageId: string;
  /** When given, only the lease of this delivery counts; otherwise whichever lease is alive. */
  readonly deliveryCount?: number | undefined;
};

export type DeliveredMessage = {
  readonly messageId: string;
  /** Decoded afresh for every delivery: consumers cannot change each other's copy. */
  readonly payload: unknown;
  readonly deliveryCount: number;
  readonly leaseUntil: EpochMs;
  readonly headers: Readonly<Record<string, unknown>> | null;
};
export type MessageView = {
  readonly messageId: string;
  readonly payload: unknown;
  readonly state: MessageState;
  readonly deliveryCount: number;
  readonly dueAt: EpochMs | null;
};
export type PublishResult =
  | { readonly kind: 'published'; readonly messageId: string; readonly replayed: boolean }
  | QueueRefusal;
export type ConsumeResult =
  | { readonly kind: 'messages'; readonly messages: readonly DeliveredMessage[] }
  | QueueRefusal;

export type QueueModelOptions = {
  readonly random?: Random;
  readonly behaviour?: Partial<QueueBehaviour>;
  readonly balanceUsd?: number;
  /** Created with default settings at the start and after a reset. */
  readonly queues?: readonly string[];
};

/** What happened so far, all queues together. */
export type QueueCounters = {
  published: number;
  replayedPublishes: number;
  delivered: number;
  acked: number;
  lateAcks: number;
  redeliveredAfterAck: number;
  redriven: number;
};

export function freshCounters(): QueueCounters {
  return {
    published: 0,
    replayedPublishes: 0,
    delivered: 0,
    acked: 0,
    lateAcks: 0,
    redeliveredAfterAck: 0,
    redriven: 0,
  };
}

export function notFound(name: string): QueueRefusal {
  return refused('QUEUE_NOT_FOUND', `no queue is named ${name}`);
}

export function refused(code: QueueRefusalCode, message: string): QueueRefusal {
  return { kind: 'refused', code, message };
}
