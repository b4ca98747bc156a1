import { hash } from 'node:crypto';
import type { EpochMs } from '#core/brand.ts';
import type { Random } from '#ports';
import { randomId, seededRandom } from '../seeded-random.ts';
import { AccountModel } from './account-model.ts';
import { delivery, newMessage, publishFault } from './message-record.ts';
import { PublishMemory } from './publish-memory.ts';
import {
  type ConsumeMessagesRequest,
  type ConsumeResult,
  type CreateQueueRequest,
  DEFAULT_BEHAVIOUR,
  DEFAULT_MAX_DELIVERIES,
  type DeliveredMessage,
  freshCounters,
  MAX_MESSAGES_PER_CONSUME,
  MAX_RETENTION_DAYS,
  type MessageView,
  notFound,
  PUBLISH_PRICE_MICRO_USD,
  type PublishMessageRequest,
  type PublishResult,
  type QueueBehaviour,
  type QueueCounters,
  type QueueModelOptions,
  type QueueRefusal,
  refused,
  type SettleMessageRequest,
} from './queue-contract.ts';
import {
  type QueueSettings,
  QueueState,
  type QueueStats,
  type StoredMessage,
} from './queue-state.ts';

const DAY_MS = 86_400_000;

/**
 * The Infrai queue as a pure model: no socket, no timer, no clock. Every call takes the instant at
 * which it happens; delays, leases, retention and key windows follow from it on access.
 */
export class QueueModel {
  behaviour: QueueBehaviour;
  account: AccountModel;
  counters: QueueCounters;
  readonly #options: QueueModelOptions;
  readonly #random: Random;
  readonly #queues = new Map<string, QueueState>();
  readonly #published = new PublishMemory();

  constructor(options: QueueModelOptions = {}) {
    this.#options = options;
    this.#random = options.random ?? seededRandom(1);
    this.behaviour = { ...DEFAULT_BEHAVIOUR };
    this.account = new AccountModel(0);
    this.counters = freshCounters();
    this.reset();
  }

  /** Back to the start: no message, no key, the first balance and behaviour, the initial queues. */
  reset(): void {
    this.#queues.clear();
    this.#published.clear();
    this.behaviour = { ...DEFAULT_BEHAVIOUR, ...this.#options.behaviour };
    this.account = new AccountModel(this.#options.balanceUsd ?? 1_000);
    this.counters = freshCounters();
    for (const name of this.#options.queues ?? []) this.create({ name });
  }

  create(request: CreateQueueRequest): { readonly kind: 'created' } | QueueRefusal {
    if (this.#queues.has(request.name)) {
      return refused('QUEUE_ALREADY_EXISTS', `a queue named ${request.name} exists`);
    }
    const deadLetters = this.#deadLettersFor(request);
    if (deadLetters === undefined) {
      return refused('QUEUE_NOT_FOUND', `dead_letter_queue ${request.deadLetterQueue} must exist`);
    }
    this.#queues.set(request.name, new QueueState(request.name, settingsOf(request), deadLetters));
    return { kind: 'created' };
  }

  delete(name: string): { readonly kind: 'deleted' } | QueueRefusal {
    const queue = this.#queues.get(name);
    if (queue === undefined) return notFound(name);
    if (queue.hasSources) {
      return refused('QUEUE_IN_USE', `${name} is the dead-letter queue of another queue`);
    }
    queue.detach();
    this.#queues.delete(name);
    return { kind: 'deleted' };
  }

  get(name: string): { readonly kind: 'queue'; readonly queue: QueueState } | QueueRefusal {
    const queue = this.#queues.get(name);
    return queue === undefined ? notFound(name) : { kind: 'queue', queue };
  }

  list(): readonly QueueState[] {
    return [...this.#queues.values()];
  }

  publish(request: PublishMessageRequest, now: EpochMs): PublishResult {
    const queue = this.#queues.get(request.queue);
    if (queue === undefined) return notFound(request.queue);
    const delaySeconds = request.delaySeconds ?? 0;
    const payloadJson = JSON.stringify(request.payload);
    const fault = publishFault(delaySeconds, payloadJson);
    if (fault !== undefined) return fault;
    const { priority = 0, deduplicationId = null } = request;
    const fingerprint = hash(
      'sha1',
      `${queue.name} ${delaySeconds} ${priority} ${JSON.stringify(deduplicationId)} ${payloadJson}`,
      'base64',
    );
    const publish = {
      key: request.idempotencyKey ?? (this.behaviour.derivedKeys ? fingerprint : undefined),
      fingerprint,
      deduplicationId:
        queue.settings.type === 'fifo' && request.deduplicationId !== undefined
          ? `${queue.name}\n${request.deduplicationId}`
          : undefined,
    };
    const earlier = this.#published.recall(publish, now);
    if (earlier.kind === 'other-body' && this.behaviour.keyConflict === 'refused') {
      return refused('IDEMPOTENCY_KEY_CONFLICT', 'this key came before with another body');
    }
    if (earlier.kind !== 'new') {
      this.counters.replayedPublishes += 1;
      return { kind: 'published', messageId: earlier.result, replayed: true };
    }
    if (!this.account.charge(PUBLISH_PRICE_MICRO_USD)) {
      return refused('INSUFFICIENT_CREDIT', 'the balance does not cover this call');
    }
    const messageId = `qmsg_${randomId(this.#random, 24)}`;
    queue.settle(now);
    queue.add(newMessage(messageId, payloadJson, request), now + delaySeconds * 1000, now);
    this.counters.published += 1;
    this.#published.remember(publish, messageId, now);
    return { kind: 'published', messageId, replayed: false };
  }

  consume(request: ConsumeMessagesRequest, now: EpochMs): ConsumeResult {
    const queue = this.#queues.get(request.queue);
    if (queue === undefined) return notFound(request.queue);
    queue.settle(now);
    const limit = Math.min(request.maxMessages ?? 1, MAX_MESSAGES_PER_CONSUME);
    const messages: DeliveredMessage[] = [];
    while (messages.length < limit) {
      const message = queue.lease(now + this.#leaseMs(queue, request));
      if (message === undefined) break;
      messages.push(delivery(message));
    }
    this.counters.delivered += messages.length;
    return { kind: 'messages', messages };
  }

  /** @param redeliver fault: the ack is answered with success, and the message comes back all the same */
  ack(
    request: SettleMessageRequest,
    now: EpochMs,
    redeliver = false,
  ): { readonly kind: 'acked' } | QueueRefusal {
    const held = this.#inFlight(request, now);
    if (held.kind === 'refused') {
      this.counters.lateAcks += 1;
      return held;
    }
    const { queue, message } = held;
    this.counters.acked += 1;
    if (redeliver) {
      this.counters.redeliveredAfterAck += 1;
      queue.postpone(message, now + this.behaviour.redeliveryDelayMs);
    } else {
      queue.remove(message);
    }
    return { kind: 'acked' };
  }

  /** Ends the lease at once: the message is available again, or dead after its last delivery. */
  nack(request: SettleMessageRequest, now: EpochMs): { readonly kind: 'nacked' } | QueueRefusal {
    const held = this.#inFlight(request, now);
    if (held.kind === 'refused') return held;
    held.queue.moveLeaseEnd(held.message, now);
    held.queue.settle(now);
    return { kind: 'nacked' };
  }

  stats(name: string, now: EpochMs): ({ readonly kind: 'stats' } & QueueStats) | QueueRefusal {
    const queue = this.#queues.get(name);
    return queue === undefined ? notFound(name) : { kind: 'stats', ...queue.stats(now) };
  }

  /** @param messageId undefined: the bulk form, which the live service does not perform */
  redrive(
    name: string,
    messageId: string | undefined,
    now: EpochMs,
  ): { readonly kind: 'redriven'; readonly count: number } | QueueRefusal {
    const queue = this.#queues.get(name);
    if (queue === undefined) return notFound(name);
    if (messageId === undefined) return this.#redriveAll(queue, now);
    const message = queue.deadLetters?.find(messageId, now);
    if (message === undefined || message.origin !== name) {
      return refused('QUEUE_MESSAGE_NOT_FOUND', `no dead letter ${messageId} of ${name}`);
    }
    this.#redriveOne(queue, message, now);
    return { kind: 'redriven', count: 1 };
  }

  /** Everything a queue holds at `now`, for assertions; nothing is leased. */
  messages(name: string, now: EpochMs): readonly MessageView[] {
    const queue = this.#queues.get(name);
    if (queue === undefined) return [];
    return Array.from(queue.messages(now), (message) => ({
      messageId: message.id,
      payload: JSON.parse(message.payloadJson),
      state: message.state,
      deliveryCount: message.deliveryCount,
      dueAt: message.state === 'available' ? null : message.dueAt,
    }));
  }

  /** The next instant at which a delay or a lease ends by itself; undefined when nothing waits. */
  nextDueAt(): EpochMs | undefined {
    let earliest: EpochMs | undefined;
    for (const queue of this.#queues.values()) {
      const dueAt = queue.nextDueAt;
      if (dueAt !== undefined && (earliest === undefined || dueAt < earliest)) earliest = dueAt;
    }
    return earliest;
  }

  /** How many publish keys are remembered, for checks that memory stays flat. */
  get rememberedKeys(): number {
    return this.#published.size;
  }

  #deadLettersFor(request: CreateQueueRequest): QueueState | null | undefined {
    if (request.deadLetterQueue !== undefined) return this.#queues.get(request.deadLetterQueue);
    if (request.name.endsWith('.dlq')) return null;
    const name = `${request.name}.dlq`;
    const existing = this.#queues.get(name);
    if (existing !== undefined) return existing;
    const made = new QueueState(name, settingsOf({ name }), null);
    this.#queues.set(name, made);
    return made;
  }

  #leaseMs(queue: QueueState, request: ConsumeMessagesRequest): number {
    const { visibility, redeliveryDelayMs, redeliveryJitterMs } = this.behaviour;
    if (request.leaseMs !== undefined) return request.leaseMs;
    const askedMs =
      request.visibilityTimeoutSeconds === undefined
        ? queue.settings.visibilityTimeoutMs
        : request.visibilityTimeoutSeconds * 1000;
    const leaseMs = visibility === 'honoured' ? (askedMs ?? redeliveryDelayMs) : redeliveryDelayMs;
    if (redeliveryJitterMs === 0) return leaseMs;
    return leaseMs + Math.floor(this.#random.fraction() * redeliveryJitterMs);
  }

  #inFlight(
    request: SettleMessageRequest,
    now: EpochMs,
  ):
    | { readonly kind: 'held'; readonly queue: QueueState; readonly message: StoredMessage }
    | QueueRefusal {
    const queue = this.#queues.get(request.queue);
    if (queue === undefined) return notFound(request.queue);
    const message = queue.find(request.messageId, now);
    const wanted = request.deliveryCount ?? message?.deliveryCount;
    if (message?.state !== 'in-flight' || message.deliveryCount !== wanted) {
      return refused('QUEUE_MESSAGE_NOT_IN_FLIGHT', `${request.messageId} is not in flight`);
    }
    return { kind: 'held', queue, message };
  }

  #redriveAll(
    queue: QueueState,
    now: EpochMs,
  ): { readonly kind: 'redriven'; readonly count: number } | QueueRefusal {
    if (this.behaviour.bulkRedrive === 'refused') {
      return refused('VALIDATION_FAILED', 'message_id is required');
    }
    if (this.behaviour.bulkRedrive === 'ignored') return { kind: 'redriven', count: 0 };
    const dead = [...(queue.deadLetters?.messages(now) ?? [])];
    const own = dead.filter((message) => message.origin === queue.name);
    for (const message of own) this.#redriveOne(queue, message, now);
    return { kind: 'redriven', count: own.length };
  }

  #redriveOne(queue: QueueState, message: StoredMessage, now: EpochMs): void {
    queue.deadLetters?.remove(message);
    queue.settle(now);
    message.deliveryCount = 0;
    queue.add(message, now, now);
    this.counters.redriven += 1;
  }
}

function settingsOf(request: CreateQueueRequest): QueueSettings {
  const visibilitySeconds = request.visibilityTimeoutSeconds;
  return {
    type: request.type ?? 'standard',
    maxDeliveries: request.maxRetries ?? DEFAULT_MAX_DELIVERIES,
    retentionMs: (request.retentionDays ?? MAX_RETENTION_DAYS) * DAY_MS,
    visibilityTimeoutMs: visibilitySeconds === undefined ? null : visibilitySeconds * 1000,
    priorityEnabled: request.enablePriority ?? false,
  };
}
