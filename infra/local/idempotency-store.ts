import type { EpochMs } from '#core/brand.ts';

type Remembered<Result> = {
  readonly fingerprint: string;
  readonly result: Result;
  readonly until: EpochMs;
};

export type Recall<Result> =
  | { readonly kind: 'new' }
  | { readonly kind: 'same'; readonly result: Result }
  | { readonly kind: 'other-body'; readonly result: Result };

/**
 * What a server remembers of idempotency keys. All keys live equally long, so that forgetting is
 * dropping from the front, and memory is bounded by one window's worth of keys.
 */
export class IdempotencyStore<Result> {
  readonly windowMs: number;
  readonly #remembered = new Map<string, Remembered<Result>>();
  /** Stands still between two keys forgotten: from the start, it would meet every gap again. */
  #byAge = this.#remembered.entries();
  #oldest: readonly [string, Remembered<Result>] | undefined;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  recall(key: string, fingerprint: string, now: EpochMs): Recall<Result> {
    this.#forget(now);
    const entry = this.#remembered.get(key);
    if (entry === undefined || entry.until <= now) return { kind: 'new' };
    const kind = entry.fingerprint === fingerprint ? 'same' : 'other-body';
    return { kind, result: entry.result };
  }

  remember(key: string, fingerprint: string, result: Result, now: EpochMs): void {
    // Delete first: a renewed key must move to the end, or the order by age would break.
    this.#remembered.delete(key);
    this.#remembered.set(key, { fingerprint, result, until: now + this.windowMs });
  }

  get size(): number {
    return this.#remembered.size;
  }

  clear(): void {
    this.#remembered.clear();
    this.#oldest = undefined;
  }

  #forget(now: EpochMs): void {
    for (this.#oldest ??= this.#next(); this.#oldest !== undefined; this.#oldest = this.#next()) {
      const [key, entry] = this.#oldest;
      if (entry.until > now) return;
      // A renewed key stands further back, with another entry.
      if (this.#remembered.get(key) === entry) this.#remembered.delete(key);
    }
  }

  #next(): readonly [string, Remembered<Result>] | undefined {
    const next = this.#byAge.next();
    if (next.done !== true) return next.value;
    // An iterator that has met the end stays there.
    this.#byAge = this.#remembered.entries();
    return undefined;
  }
}
