import type { EpochMs } from '#core/brand.ts';
import type { Clock } from '#ports';

const wallClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
    }),
};

/**
 * The clock of an emulator: follows a base clock (the wall clock by default) at an offset, or stands
 * still. Tests drive it; delays, leases and windows of the models are computed from it.
 */
export class EmulatorClock implements Clock {
  readonly #base: Clock;
  readonly #wakeUps = new Set<() => void>();
  #offsetMs = 0;
  #frozenAt: EpochMs | null = null;

  constructor(base: Clock = wallClock) {
    this.#base = base;
  }

  /** A clock that stands still at `at` until it is driven. */
  static frozenAt(at: EpochMs): EmulatorClock {
    const clock = new EmulatorClock();
    clock.freeze();
    clock.setNow(at);
    return clock;
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  now(): EpochMs {
    return this.#frozenAt ?? this.#base.now() + this.#offsetMs;
  }

  advance(ms: number): void {
    this.setNow(this.now() + ms);
  }

  setNow(at: EpochMs): void {
    if (this.#frozenAt === null) this.#offsetMs = at - this.#base.now();
    else this.#frozenAt = at;
    this.#wake();
  }

  freeze(): void {
    this.#frozenAt = this.now();
    this.#wake();
  }

  /** Lets a frozen clock run on from where it stands. */
  run(): void {
    if (this.#frozenAt === null) return;
    this.#offsetMs = this.#frozenAt - this.#base.now();
    this.#frozenAt = null;
    this.#wake();
  }

  /** Resolves when this clock has passed `ms`: by itself when it runs, by `advance` when frozen. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const until = this.now() + ms;
    while (this.now() < until && !signal?.aborted) {
      await this.#changeOrTimeout(until - this.now(), signal);
    }
  }

  #changeOrTimeout(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = new AbortController();
      const wake = (): void => {
        this.#wakeUps.delete(wake);
        signal?.removeEventListener('abort', wake);
        timer.abort();
        resolve();
      };
      this.#wakeUps.add(wake);
      signal?.addEventListener('abort', wake);
      if (this.#frozenAt === null) void this.#base.sleep(ms, timer.signal).then(wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#wakeUps]) wake();
  }
}
