import type { EpochMs } from '#core/brand.ts';
import type { Clock } from '#ports';

type Sleeper = { readonly at: EpochMs; readonly order: number; readonly wake: () => void };

/**
 * Time that passes only when everybody waits. Sleepers wake in the order of their instants, those
 * of one instant in the order in which they went to sleep, so that one seed gives one history.
 */
export class VirtualClock implements Clock {
  #now: EpochMs;
  #order = 0;
  /** Binary heap, earliest first. */
  readonly #sleepers: Sleeper[] = [];

  constructor(now: EpochMs) {
    this.#now = now;
  }

  now(): EpochMs {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((wake) => {
      signal?.addEventListener('abort', () => wake(), { once: true });
      this.#order += 1;
      this.#push({ at: this.#now + Math.max(0, ms), order: this.#order, wake });
    });
  }

  /** A worker's own clock, off by `offsetMs`; it sleeps as long as everybody else. */
  skewed(offsetMs: number): Clock {
    return new SkewedClock(this, offsetMs);
  }

  /** Moves time on while whoever sleeps goes on sleeping. */
  advance(ms: number): void {
    this.#now += ms;
  }

  /** Lets `work` run to its end. Fails when it waits for something that no sleeper will bring. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    for (;;) {
      await allMicrotasks();
      if (ended) return work;
      if (!this.#wakeNext()) throw new Error('stuck: work is waiting and nobody sleeps');
    }
  }

  /** Lets everything happen that is due by `at`, then stands at `at`. */
  async runUntil(at: EpochMs): Promise<void> {
    for (;;) {
      await allMicrotasks();
      const next = this.#sleepers[0];
      if (next === undefined || next.at > at) break;
      this.#wakeNext();
    }
    this.#now = Math.max(this.#now, at);
  }

  #wakeNext(): boolean {
    const next = this.#sleepers[0];
    if (next === undefined) return false;
    this.#now = Math.max(this.#now, next.at);
    while (this.#sleepers[0]?.at === next.at) this.#pop()?.wake();
    return true;
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#sleepers;
    let place = heap.length;
    heap.push(sleeper);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#swapIfEarlier(place, parent)) break;
      place = parent;
    }
  }

  #pop(): Sleeper | undefined {
    const heap = this.#sleepers;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    heap[0] = last;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const right = left + 1;
      const child = right < heap.length && earlier(heap[right], heap[left]) ? right : left;
      if (child >= heap.length || !this.#swapIfEarlier(child, place)) return first;
      place = child;
    }
  }

  #swapIfEarlier(child: number, parent: number): boolean {
    const heap = this.#sleepers;
    const [a, b] = [heap[child], heap[parent]];
    if (a === undefined || b === undefined || !earlier(a, b)) return false;
    heap[child] = b;
    heap[parent] = a;
    return true;
  }
}

class SkewedClock implements Clock {
  readonly #true: VirtualClock;
  readonly #offsetMs: number;

  constructor(trueClock: VirtualClock, offsetMs: number) {
    this.#true = trueClock;
    this.#offsetMs = offsetMs;
  }

  now(): EpochMs {
    return this.#true.now() + this.#offsetMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#true.sleep(ms, signal);
  }
}

function earlier(a: Sleeper | undefined, b: Sleeper | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/**
 * Resolves after every promise callback that is due has run: Node drains them before it looks at
 * this queue. A turn of the event loop would wait for as much, at the price of a system call.
 */
function allMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
