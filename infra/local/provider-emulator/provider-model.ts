import type { EpochMs } from '#core/brand.ts';
import type { ProviderClass } from '#core/send-result.ts';
import type { Random } from '#ports';
import { IdempotencyStore } from '../idempotency-store.ts';
import { randomId, seededRandom } from '../seeded-random.ts';
import { type AcceptedRecord, EffectLedger } from './effect-ledger.ts';

export type ProviderModelOptions = {
  readonly providerClass: ProviderClass;
  /** `dedupes`: how long a key is remembered; 24 h when absent. */
  readonly windowMs?: number;
  /** `queryable`: how long after its acceptance a message can be found; 0 when absent. */
  readonly queryLagMs?: number;
  readonly profile?: string;
  readonly random?: Random;
  /** Shared by several models when their effects reach the same users. */
  readonly effects?: EffectLedger;
  /** Start of every receipt. */
  readonly receiptPrefix?: string;
};

export type Submission = {
  /** What effects are counted by. */
  readonly key: string;
  /** What the provider dedupes by; undefined when the call carried none. */
  readonly idempotencyKey: string | undefined;
  readonly bodyHash: string;
  /** The message is accepted only this much later, whatever the caller does meanwhile. */
  readonly commitMs?: number;
  /** Against its class: accept and mint a receipt although the key is known. */
  readonly extraReceipt?: boolean;
};

export type SubmissionResult =
  | {
      readonly kind: 'accepted';
      readonly receipt: string;
      /** The first result of a repeated key: no effect. */
      readonly replayed: boolean;
      readonly committedAt: EpochMs;
    }
  /** The key came before with another body. */
  | { readonly kind: 'conflict' }
  /** The key's first request is not committed yet. */
  | { readonly kind: 'in-progress' };

export type Lookup =
  | { readonly kind: 'found'; readonly record: AcceptedRecord }
  | { readonly kind: 'absent' };

const DEFAULT_WINDOW_MS = 24 * 3_600_000;

/** A notification provider as a pure model: no socket, no timer; the instant comes with the call. */
export class ProviderModel {
  readonly providerClass: ProviderClass;
  readonly effects: EffectLedger;
  readonly #profile: string;
  readonly #random: Random;
  readonly #queryLagMs: number;
  readonly #receiptPrefix: string;
  readonly #remembered: IdempotencyStore<AcceptedRecord>;
  readonly #byKey = new Map<string, AcceptedRecord>();
  readonly #byReceipt = new Map<string, AcceptedRecord>();
  /** Accepted, not yet visible; few at a time, so that a list is enough. */
  #uncommitted: AcceptedRecord[] = [];

  constructor(options: ProviderModelOptions) {
    this.providerClass = options.providerClass;
    this.effects = options.effects ?? new EffectLedger();
    this.#profile = options.profile ?? 'default';
    this.#random = options.random ?? seededRandom(1);
    this.#queryLagMs = options.queryLagMs ?? 0;
    this.#receiptPrefix = options.receiptPrefix ?? 'rcpt_';
    this.#remembered = new IdempotencyStore(options.windowMs ?? DEFAULT_WINDOW_MS);
  }

  /** Forgets everything but the shared effects. */
  reset(): void {
    this.#remembered.clear();
    this.#byKey.clear();
    this.#byReceipt.clear();
    this.#uncommitted = [];
  }

  /** A request that reached the provider and passed its checks. */
  submit(submission: Submission, now: EpochMs): SubmissionResult {
    this.settle(now);
    const { idempotencyKey } = submission;
    const dedupes = this.providerClass === 'dedupes' && idempotencyKey !== undefined;
    if (dedupes && submission.extraReceipt !== true) {
      const known = this.#remembered.recall(idempotencyKey, submission.bodyHash, now);
      if (known.kind === 'other-body') return { kind: 'conflict' };
      if (known.kind === 'same') return this.#repeated(known.result, now);
    }
    const record: AcceptedRecord = {
      key: submission.key,
      profile: this.#profile,
      receipt: `${this.#receiptPrefix}${randomId(this.#random, 20)}`,
      bodyHash: submission.bodyHash,
      at: now + (submission.commitMs ?? 0),
    };
    if (dedupes) this.#remembered.remember(idempotencyKey, submission.bodyHash, record, now);
    if (record.at > now) this.#uncommitted.push(record);
    else this.#commit(record);
    return { kind: 'accepted', receipt: record.receipt, replayed: false, committedAt: record.at };
  }

  /** Asks by our key. The first message of the key answers, as the oldest proof. */
  find(key: string, now: EpochMs): Lookup {
    this.settle(now);
    return this.#visible(this.#byKey.get(key), now);
  }

  /** Asks by receipt, which every class may offer. */
  findByReceipt(receipt: string, now: EpochMs): Lookup {
    this.settle(now);
    return this.#visible(this.#byReceipt.get(receipt), now);
  }

  /** Makes every commit that is due by `now` an effect. Called by every access. */
  settle(now: EpochMs): void {
    if (this.#uncommitted.length === 0) return;
    const due = this.#uncommitted.filter((record) => record.at <= now);
    if (due.length === 0) return;
    this.#uncommitted = this.#uncommitted.filter((record) => record.at > now);
    for (const record of due) this.#commit(record);
  }

  /** How many accepted messages are still to surface. */
  get uncommittedCount(): number {
    return this.#uncommitted.length;
  }

  #commit(record: AcceptedRecord): void {
    this.effects.add(record);
    this.#byReceipt.set(record.receipt, record);
    if (!this.#byKey.has(record.key)) this.#byKey.set(record.key, record);
  }

  #repeated(record: AcceptedRecord, now: EpochMs): SubmissionResult {
    if (record.at > now) return { kind: 'in-progress' };
    return { kind: 'accepted', receipt: record.receipt, replayed: true, committedAt: record.at };
  }

  #visible(record: AcceptedRecord | undefined, now: EpochMs): Lookup {
    if (record === undefined || record.at + this.#queryLagMs > now) return { kind: 'absent' };
    return { kind: 'found', record };
  }
}
