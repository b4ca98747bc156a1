import type { LeanAnswer, LeanRequest } from './lean-http-server.ts';

/** A notification provider that accepts everything and counts what users would see. */
export class ProviderBackend {
  readonly #keys = new Set<string>();
  /** When each send arrived, milliseconds; the steady rate is read from it. */
  readonly #arrivals: number[] = [];

  reset(): void {
    this.#keys.clear();
    this.#arrivals.length = 0;
  }

  get sends(): number {
    return this.#arrivals.length;
  }

  get uniqueKeys(): number {
    return this.#keys.size;
  }

  handle(request: LeanRequest): LeanAnswer {
    this.#arrivals.push(performance.now());
    const key = /^idempotency-key: *(\S+)/im.exec(request.head)?.[1] ?? `none-${this.sends}`;
    this.#keys.add(key);
    return { status: 200, body: `{"id":"msg_${this.sends}","state":"queued"}` };
  }

  /**
   * Sends a second between two shares of the load, so that neither start nor end is in it: the
   * slope of the line through all arrivals, since sends come in waves and two points would count
   * one wave more or less.
   */
  steadyPerSecond(fromShare: number, toShare: number): number {
    const times = this.#arrivals;
    const from = Math.floor(times.length * fromShare);
    const middle = times.slice(from, Math.ceil(times.length * toShare));
    const meanTime = middle.reduce((sum, time) => sum + time, 0) / middle.length;
    const meanIndex = (middle.length - 1) / 2;
    let together = 0;
    let alone = 0;
    for (const [index, time] of middle.entries()) {
      together += (time - meanTime) * (index - meanIndex);
      alone += (time - meanTime) ** 2;
    }
    return alone > 0 ? (together * 1000) / alone : 0;
  }
}
