import type { EpochMs } from '#core/brand.ts';
import { IdempotencyStore, type Recall } from '../idempotency-store.ts';

/** What one publish is recognised by. */
export type PublishIdentity = {
  /** The caller's key, or the one that the server derived. */
  readonly key: string | undefined;
  readonly fingerprint: string;
  /** FIFO queues only; names the queue too. */
  readonly deduplicationId: string | undefined;
};

const KEY_WINDOW_MS = 24 * 3_600_000;
const DEDUPLICATION_WINDOW_MS = 5 * 60_000;

/** Message ids of earlier publishes: by idempotency key for a day, by FIFO id for five minutes. */
export class PublishMemory {
  readonly #byKey = new IdempotencyStore<string>(KEY_WINDOW_MS);
  readonly #byDeduplicationId = new IdempotencyStore<string>(DEDUPLICATION_WINDOW_MS);

  recall({ key, fingerprint, deduplicationId }: PublishIdentity, now: EpochMs): Recall<string> {
    if (key !== undefined) {
      const known = this.#byKey.recall(key, fingerprint, now);
      if (known.kind !== 'new') return known;
    }
    if (deduplicationId === undefined) return { kind: 'new' };
    // A FIFO queue drops the second message whatever its body.
    return this.#byDeduplicationId.recall(deduplicationId, '', now);
  }

  remember(
    { key, fingerprint, deduplicationId }: PublishIdentity,
    messageId: string,
    now: EpochMs,
  ): void {
    if (key !== undefined) this.#byKey.remember(key, fingerprint, messageId, now);
    if (deduplicationId !== undefined) {
      this.#byDeduplicationId.remember(deduplicationId, '', messageId, now);
    }
  }

  get size(): number {
    return this.#byKey.size + this.#byDeduplicationId.size;
  }

  clear(): void {
    this.#byKey.clear();
    this.#byDeduplicationId.clear();
  }
}
