import type { QueueRefusal } from '#infra/local/queue-emulator/queue-contract.ts';
import type { QueueModel } from '#infra/local/queue-emulator/queue-model.ts';
import type {
  AckAnswer,
  Clock,
  ConsumeAnswer,
  DeadLetters,
  PublishAnswer,
  PublishRequest,
  Queue,
  QueueFailure,
  QueueMessage,
  RedriveAnswer,
  StatsAnswer,
} from '#ports';

/** The emulator's queue as the port sees it, without the sockets in between. */
export class MemoryQueue implements Queue {
  readonly name: string;
  readonly #model: QueueModel;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(model: QueueModel, clock: Pick<Clock, 'now'>, name: string) {
    this.#model = model;
    this.#clock = clock;
    this.name = name;
  }

  async consume(request: {
    readonly maxMessages: number;
    readonly visibilityTimeoutSeconds: number;
  }): Promise<ConsumeAnswer> {
    const answer = this.#model.consume({ queue: this.name, ...request }, this.#clock.now());
    if (answer.kind === 'refused') return failed(answer);
    return {
      kind: 'messages',
      messages: answer.messages.map(({ messageId, payload, deliveryCount }) => ({
        messageId,
        payload,
        deliveryCount,
        ackHandle: messageId,
      })),
    };
  }

  async publish(request: PublishRequest): Promise<PublishAnswer> {
    const answer = this.#model.publish({ queue: this.name, ...request }, this.#clock.now());
    if (answer.kind === 'published') return { kind: 'published', messageId: answer.messageId };
    return answer.code === 'IDEMPOTENCY_KEY_CONFLICT'
      ? { kind: 'already-published' }
      : failed(answer);
  }

  async ack(message: QueueMessage): Promise<AckAnswer> {
    const request = { queue: this.name, messageId: message.ackHandle };
    const answer = this.#model.ack(request, this.#clock.now());
    if (answer.kind === 'acked') return answer;
    return answer.code === 'QUEUE_MESSAGE_NOT_IN_FLIGHT'
      ? { kind: 'not-in-flight' }
      : failed(answer);
  }

  async stats(): Promise<StatsAnswer> {
    const answer = this.#model.stats(this.name, this.#clock.now());
    if (answer.kind === 'refused') return failed(answer);
    return {
      kind: 'stats',
      figures: {
        available_count: answer.availableCount,
        in_flight_count: answer.inFlightCount,
        delayed_count: answer.delayedCount,
        dlq_count: answer.dlqCount,
        oldest_message_age_seconds: answer.oldestMessageAgeSeconds,
      },
    };
  }
}

export class MemoryDeadLetters extends MemoryQueue implements DeadLetters {
  readonly #main: { readonly model: QueueModel; readonly clock: Pick<Clock, 'now'>; name: string };

  constructor(model: QueueModel, clock: Pick<Clock, 'now'>, name: string) {
    super(model, clock, `${name}.dlq`);
    this.#main = { model, clock, name };
  }

  async redrive(messageId: string): Promise<RedriveAnswer> {
    const { model, clock, name } = this.#main;
    const answer = model.redrive(name, messageId, clock.now());
    if (answer.kind === 'redriven') return { kind: 'redriven' };
    return answer.code === 'QUEUE_MESSAGE_NOT_FOUND'
      ? { kind: 'gone', code: answer.code }
      : failed(answer);
  }
}

function failed(refusal: QueueRefusal): QueueFailure {
  return { kind: 'failed', code: refusal.code };
}
