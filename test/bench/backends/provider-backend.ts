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

  /** Sends a second between two shares of the load, so that neither start nor end is in it. */
  steadyPerSecond(fromShare: number, toShare: number): number {
    const times = this.#arrivals;
    const from = Math.floor(times.length * fromShare);
    const to = Math.ceil(times.length * toShare) - 1;
    const ms = (times[to] ?? 0) - (times[from] ?? 0);
    return ms > 0 ? ((to - from) * 1000) / ms : 0;
  }
}
