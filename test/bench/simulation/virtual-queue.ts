import type {
  Clock,
  ConsumeAnswer,
  PublishAnswer,
  PublishRequest,
  Queue,
  QueueMessage,
} from '#ports';
import { reminderPayload } from '../reminders.ts';

type Payload = Readonly<Record<string, unknown>>;

const HAND_OUT = 10;

/**
 * A backlog of any size that costs no memory: first deliveries are made as they are pulled. What a
 * consumer publishes with a delay waits by the second in which it is due.
 */
export class VirtualQueue implements Pick<Queue, 'consume' | 'publish' | 'ack'> {
  readonly #clock: Clock;
  readonly #latencyMs: number;
  readonly #backlog: number;
  #first = 0;
  #copies = 0;
  readonly #dueBySecond = new Map<number, Payload[]>();
  #waiting = 0;
  acked = 0;
  published = 0;
  pulls = 0;

  constructor(clock: Clock, latencyMs: number, backlog: number) {
    this.#clock = clock;
    this.#latencyMs = latencyMs;
    this.#backlog = backlog;
  }

  /** Messages that nobody has acked. */
  get left(): number {
    return this.#backlog - this.#first + this.#waiting;
  }

  async consume({ maxMessages }: { readonly maxMessages: number }): Promise<ConsumeAnswer> {
    this.pulls += 1;
    await this.#clock.sleep(this.#latencyMs);
    const messages: QueueMessage[] = [];
    const wanted = Math.min(maxMessages, HAND_OUT);
    for (const payload of this.#takeDue(wanted)) messages.push(this.#message(payload));
    while (messages.length < wanted && this.#first < this.#backlog) {
      messages.push(this.#message(reminderPayload('virtual', this.#first)));
      this.#first += 1;
    }
    return { kind: 'messages', messages };
  }

  async publish({ payload, delaySeconds }: PublishRequest): Promise<PublishAnswer> {
    await this.#clock.sleep(this.#latencyMs);
    const second = Math.ceil(this.#clock.now() / 1000) + delaySeconds;
    const due = this.#dueBySecond.get(second);
    if (due === undefined) this.#dueBySecond.set(second, [payload]);
    else due.push(payload);
    this.#waiting += 1;
    this.published += 1;
    return { kind: 'published', messageId: `copy-${this.published}` };
  }

  async ack(): Promise<{ readonly kind: 'acked' }> {
    await this.#clock.sleep(this.#latencyMs);
    this.acked += 1;
    return { kind: 'acked' };
  }

  #takeDue(wanted: number): Payload[] {
    if (this.#waiting === 0) return [];
    const taken: Payload[] = [];
    const now = this.#clock.now() / 1000;
    for (const [second, payloads] of this.#dueBySecond) {
      if (second > now) continue;
      taken.push(...payloads.splice(0, wanted - taken.length));
      if (payloads.length === 0) this.#dueBySecond.delete(second);
      if (taken.length === wanted) break;
    }
    this.#waiting -= taken.length;
    return taken;
  }

  #message(payload: Payload): QueueMessage {
    this.#copies += 1;
    const id = `qmsg_${this.#copies}`;
    return { messageId: id, payload, deliveryCount: 1, ackHandle: id };
  }
}
