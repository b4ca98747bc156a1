import type { Clock } from '#ports';

/** A clock that stands still until somebody sleeps on it; sleeping moves it and takes no time. */
export class HandClock implements Clock {
  #now: number;
  /** Every sleep so far, ms. */
  readonly slept: number[] = [];

  constructor(now = Date.UTC(2026, 6, 26, 9, 0, 0)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.#now += ms;
  }
}
