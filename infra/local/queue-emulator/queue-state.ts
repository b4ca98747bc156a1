import type { EpochMs } from '#core/brand.ts';
import { IndexedHeap } from './indexed-heap.ts';

export type MessageState = 'delayed' | 'available' | 'in-flight';

/** One message at rest. A message is always in exactly one of the two heaps of its queue. */
export type StoredMessage = {
  readonly id: string;
  readonly payloadJson: string;
  readonly headers: Readonly<Record<string, unknown>> | null;
  readonly priority: number;
  /** The queue it was published to; a redrive of another queue must not find it. */
  readonly origin: string;
  state: MessageState;
  deliveryCount: number;
  /** Start of its retention and of its age: when it first was (or will be) available here. */
  availableFrom: EpochMs;
  /** delayed: when it becomes available. in-flight: when its lease ends. */
  dueAt: EpochMs;
  /** Since when it is available, and the order of arrival where two became so at once. */
  availableSince: EpochMs;
  rank: number;
  place: number;
  agePlace: number;
};

export type QueueSettings = {
  readonly type: 'standard' | 'fifo';
  readonly maxDeliveries: number;
  readonly retentionMs: number;
  readonly visibilityTimeoutMs: number | null;
  readonly priorityEnabled: boolean;
};

export type QueueStats = {
  readonly availableCount: number;
  readonly inFlightCount: number;
  readonly delayedCount: number;
  readonly dlqCount: number;
  readonly oldestMessageAgeSeconds: number;
};

const place = {
  get: (message: StoredMessage): number => message.place,
  set: (message: StoredMessage, index: number): void => {
    message.place = index;
  },
};
const agePlace = {
  get: (message: StoredMessage): number => message.agePlace,
  set: (message: StoredMessage, index: number): void => {
    message.agePlace = index;
  },
};

function isEarlier(a: StoredMessage, b: StoredMessage): boolean {
  return (
    a.availableSince < b.availableSince ||
    (a.availableSince === b.availableSince && a.rank < b.rank)
  );
}

/** One queue. Holds no timer: `settle` brings it to an instant, and every access settles first. */
export class QueueState {
  readonly name: string;
  readonly settings: QueueSettings;
  readonly deadLetters: QueueState | null;
  readonly #sources = new Set<QueueState>();
  readonly #messages = new Map<string, StoredMessage>();
  readonly #available: IndexedHeap<StoredMessage>;
  readonly #waiting = new IndexedHeap<StoredMessage>((a, b) => a.dueAt < b.dueAt, place);
  readonly #byAge = new IndexedHeap<StoredMessage>(
    (a, b) => a.availableFrom < b.availableFrom,
    agePlace,
  );
  #inFlight = 0;
  #arrivals = 0;
  deadLettered = 0;
  expired = 0;

  constructor(name: string, settings: QueueSettings, deadLetters: QueueState | null) {
    this.name = name;
    this.settings = settings;
    this.deadLetters = deadLetters;
    this.#available = new IndexedHeap(
      settings.priorityEnabled
        ? (a, b) => a.priority > b.priority || (a.priority === b.priority && isEarlier(a, b))
        : isEarlier,
      place,
    );
    if (deadLetters !== null) deadLetters.#sources.add(this);
  }

  /** Severs the queue from its dead-letter queue when it is deleted. */
  detach(): void {
    if (this.deadLetters !== null) this.deadLetters.#sources.delete(this);
  }

  /** Whether another queue still sends its dead letters here. */
  get hasSources(): boolean {
    return this.#sources.size > 0;
  }

  find(id: string, now: EpochMs): StoredMessage | undefined {
    this.settle(now);
    return this.#messages.get(id);
  }

  messages(now: EpochMs): IterableIterator<StoredMessage> {
    this.settle(now);
    return this.#messages.values();
  }

  /** Puts a message in, available at `availableFrom`. */
  add(message: StoredMessage, availableFrom: EpochMs, now: EpochMs): void {
    message.availableFrom = availableFrom;
    this.#messages.set(message.id, message);
    this.#byAge.push(message);
    if (availableFrom > now) {
      message.state = 'delayed';
      message.dueAt = availableFrom;
      this.#waiting.push(message);
    } else {
      this.#makeAvailable(message, availableFrom);
    }
  }

  /** Takes the message out for good. */
  remove(message: StoredMessage): void {
    this.#lift(message);
    this.#byAge.remove(message);
    this.#messages.delete(message.id);
  }

  /** Leases the next available message until `leaseUntil`, or answers undefined. Settle first. */
  lease(leaseUntil: EpochMs): StoredMessage | undefined {
    const message = this.#available.pop();
    if (message === undefined) return undefined;
    message.state = 'in-flight';
    message.deliveryCount += 1;
    this.#hold(message, leaseUntil);
    return message;
  }

  /** An in-flight message comes back at `dueAt`, whatever its lease said. */
  moveLeaseEnd(message: StoredMessage, dueAt: EpochMs): void {
    this.#lift(message);
    message.state = 'in-flight';
    this.#hold(message, dueAt);
  }

  /** Turns an in-flight message into a delayed one: a later delivery, without the dead-letter check. */
  postpone(message: StoredMessage, dueAt: EpochMs): void {
    this.#lift(message);
    message.state = 'delayed';
    message.dueAt = dueAt;
    this.#waiting.push(message);
  }

  /** Brings the queue to `now`: delays and leases that are over, dead letters, retention. */
  settle(now: EpochMs): void {
    for (const source of this.#sources) source.settle(now);
    for (let next = this.#waiting.peek(); next !== undefined && next.dueAt <= now; ) {
      this.#lift(next);
      if (next.state === 'in-flight') this.#leaseOver(next, now);
      else this.#makeAvailable(next, next.dueAt);
      next = this.#waiting.peek();
    }
    const horizon = now - this.settings.retentionMs;
    for (
      let oldest = this.#byAge.peek();
      oldest !== undefined && oldest.availableFrom <= horizon;
    ) {
      this.remove(oldest);
      this.expired += 1;
      oldest = this.#byAge.peek();
    }
  }

  stats(now: EpochMs): QueueStats {
    this.settle(now);
    this.deadLetters?.settle(now);
    const oldest = this.#byAge.peek();
    const ageMs = oldest === undefined ? 0 : now - oldest.availableFrom;
    return {
      availableCount: this.#available.size,
      inFlightCount: this.#inFlight,
      delayedCount: this.#waiting.size - this.#inFlight,
      dlqCount: this.deadLetters?.size ?? 0,
      oldestMessageAgeSeconds: Math.max(0, Math.floor(ageMs / 1000)),
    };
  }

  get size(): number {
    return this.#messages.size;
  }

  /** When the next delay or lease ends; undefined when nothing waits. */
  get nextDueAt(): EpochMs | undefined {
    return this.#waiting.peek()?.dueAt;
  }

  #leaseOver(message: StoredMessage, now: EpochMs): void {
    const overAt = message.dueAt;
    if (this.deadLetters === null || message.deliveryCount < this.settings.maxDeliveries) {
      this.#makeAvailable(message, overAt);
      return;
    }
    this.#byAge.remove(message);
    this.#messages.delete(message.id);
    message.deliveryCount = 0;
    this.deadLettered += 1;
    this.deadLetters.add(message, overAt, now);
  }

  #makeAvailable(message: StoredMessage, since: EpochMs): void {
    message.state = 'available';
    message.availableSince = since;
    this.#arrivals += 1;
    message.rank = this.#arrivals;
    this.#available.push(message);
  }

  #hold(message: StoredMessage, leaseUntil: EpochMs): void {
    message.dueAt = leaseUntil;
    this.#inFlight += 1;
    this.#waiting.push(message);
  }

  #lift(message: StoredMessage): void {
    if (message.state === 'available') {
      this.#available.remove(message);
      return;
    }
    if (message.state === 'in-flight') this.#inFlight -= 1;
    this.#waiting.remove(message);
  }
}
