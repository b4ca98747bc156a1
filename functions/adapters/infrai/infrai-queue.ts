import { type AckField, readConsumeData } from '#adapters/infrai/consume-answer.ts';
import { isObject } from '#adapters/infrai/envelope.ts';
import type { InfraiAnswer, InfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import { CONSUMER_METRICS } from '#config/metrics.ts';
import type {
  AckAnswer,
  ConsumeAnswer,
  DeadLetters,
  PublishAnswer,
  PublishRequest,
  Queue,
  QueueFailure,
  QueueMessage,
  Random,
  RedriveAnswer,
  StatsAnswer,
  Telemetry,
} from '#ports';

export type InfraiQueueOptions = {
  readonly transport: InfraiTransport;
  readonly name: string;
  readonly ackField?: AckField;
  /** The name under which a publish carries the reminder: `body` in four articles. */
  readonly payloadField?: 'payload' | 'body';
  readonly telemetry: Pick<Telemetry, 'count'>;
};

/** Nobody has seen the service give more than ten messages to one call. */
const MAX_MESSAGES = 10;

/**
 * One Infrai queue. Routes and fields: contract page, "Routes".
 *
 * Repeats after a lost answer: publish (our idempotency key collapses them), ack (a second one
 * finds nothing in flight) and stats are repeated; consume never is, because a repeat leases
 * further messages while the first ones wait out their lease with nobody working on them.
 */
export function createInfraiQueue(options: InfraiQueueOptions): Queue {
  const { name, transport } = options;
  const ackField = options.ackField ?? 'message_id';
  const payloadField = options.payloadField ?? 'payload';
  return {
    name,
    async consume(request): Promise<ConsumeAnswer> {
      const answer = await transport.call({
        method: 'POST',
        path: '/v1/queue/consume',
        body: {
          queue: name,
          max_messages: Math.min(MAX_MESSAGES, request.maxMessages),
          visibility_timeout: request.visibilityTimeoutSeconds,
        },
        repeat: 'never',
      });
      if (answer.kind === 'failed') return failure(answer);
      const reading = readConsumeData(answer.data, ackField);
      if (reading === undefined) return { kind: 'failed', code: 'UNREADABLE_ANSWER' };
      if (reading.unreadable > 0)
        options.telemetry.count(CONSUMER_METRICS.unreadableMessages, reading.unreadable);
      return { kind: 'messages', messages: reading.messages };
    },
    async publish(request): Promise<PublishAnswer> {
      const answer = await transport.call({
        method: 'POST',
        path: '/v1/queue/publish',
        body: publishBody(name, payloadField, request),
        idempotencyKey: request.idempotencyKey,
        repeat: 'harmless',
      });
      return readPublish(answer);
    },
    async ack(message: QueueMessage): Promise<AckAnswer> {
      const answer = await transport.call({
        method: 'POST',
        path: '/v1/queue/ack',
        body: { queue: name, [ackField]: message.ackHandle },
        repeat: 'harmless',
      });
      if (answer.kind === 'ok') return { kind: 'acked' };
      return isGoneMessage(answer.code) ? { kind: 'not-in-flight' } : failure(answer);
    },
    async stats(): Promise<StatsAnswer> {
      const answer = await transport.call({
        method: 'GET',
        path: `/v1/queue/stats/${encodeURIComponent(name)}`,
        repeat: 'harmless',
      });
      if (answer.kind === 'failed') return failure(answer);
      if (!isObject(answer.data)) return { kind: 'failed', code: 'UNREADABLE_ANSWER' };
      return { kind: 'stats', figures: answer.data };
    },
  };
}

/** The key travels in header and body: the contract page knows both, and they say the same. */
function publishBody(
  queue: string,
  payloadField: 'payload' | 'body',
  request: PublishRequest,
): Record<string, unknown> {
  return {
    queue,
    [payloadField]: request.payload,
    ...(request.delaySeconds > 0 && { delay_seconds: request.delaySeconds }),
    idempotency_key: request.idempotencyKey,
  };
}

function readPublish(answer: InfraiAnswer): PublishAnswer {
  if (answer.kind === 'failed') {
    return isKeyConflict(answer) ? { kind: 'already-published' } : failure(answer);
  }
  const data = isObject(answer.data) ? answer.data : {};
  const messageId = data['message_id'] ?? data['id'];
  // Without an id nothing proves that a message exists. Left alone, the original comes back and
  // publishes under the same key again: at worst one more call, never a lost reminder.
  return typeof messageId === 'string' && messageId !== ''
    ? { kind: 'published', messageId }
    : { kind: 'failed', code: 'NO_MESSAGE_ID' };
}

/**
 * The key came before with another body. The code decides where there is one; a 409 that names
 * another reason is an ordinary refusal, since acking after it would lose the reminder.
 */
function isKeyConflict(answer: { readonly code: string; readonly status?: number }): boolean {
  if (/IDEMPOTENCY/.test(answer.code)) return /CONFLICT|MISMATCH|REUSE/.test(answer.code);
  return answer.status === 409 && /^(HTTP_409|CONFLICT)$/.test(answer.code);
}

/** Without the transport's own fields: the ports know a code and a wait. */
function failure(answer: Extract<InfraiAnswer, { kind: 'failed' }>): QueueFailure {
  const { kind, code, retryAfterSeconds } = answer;
  return { kind, code, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/**
 * The dead letters of a queue. The listing route answers empty, so `<queue>.dlq` is consumed as an
 * ordinary queue, and each message is redriven by its id through the main queue's name.
 */
export function createInfraiDeadLetters(
  options: InfraiQueueOptions & { readonly random: Random },
): DeadLetters {
  const { consume, ack, stats, name } = createInfraiQueue({
    ...options,
    name: `${options.name}.dlq`,
  });
  return {
    name,
    consume,
    ack,
    stats,
    async redrive(messageId): Promise<RedriveAnswer> {
      const answer = await options.transport.call({
        method: 'POST',
        path: `/v1/queue/dlq/redrive/${encodeURIComponent(options.name)}`,
        body: { message_id: messageId },
        // Repeating is harmless: a message that was moved is not a dead letter any more, and it
        // takes three more deliveries, longer than a call's whole budget, to become one again.
        // The key is fresh for each redrive, or a second redrive of the same message on the same
        // day could be answered with the result of the first.
        idempotencyKey: options.random.token(),
        repeat: 'harmless',
      });
      return readRedrive(answer);
    },
  };
}

/** The answer's form is not documented; a count of zero under any likely name is no success. */
const REDRIVEN_COUNTS = ['redriven', 'count', 'redriven_count'] as const;

function readRedrive(answer: InfraiAnswer): RedriveAnswer {
  if (answer.kind === 'ok') {
    const { data } = answer;
    const none = isObject(data) && REDRIVEN_COUNTS.some((name) => data[name] === 0);
    return none ? { kind: 'gone', code: 'NOTHING_REDRIVEN' } : { kind: 'redriven' };
  }
  return isGoneMessage(answer.code) ? { kind: 'gone', code: answer.code } : failure(answer);
}

/** `QUEUE_MESSAGE_NOT_IN_FLIGHT`, and its like for a message that was deleted meanwhile. */
function isGoneMessage(code: string): boolean {
  return /MESSAGE_NOT_(IN_FLIGHT|FOUND)$/.test(code);
}
