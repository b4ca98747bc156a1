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
  }

  #forget(now: EpochMs): void {
    for (const [key, entry] of this.#remembered) {
      if (entry.until > now) return;
      this.#remembered.delete(key);
    }
  }
}
