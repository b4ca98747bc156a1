import type { EpochMs } from '#core/brand.ts';

/** One message that the provider took on: a user would see it. */
export type AcceptedRecord = {
  /** What the caller's key (or, without one, its metadata) says the message is. */
  readonly key: string;
  readonly profile: string;
  readonly receipt: string;
  readonly bodyHash: string;
  readonly at: EpochMs;
};

/** What users saw, counted by key: the number that decides whether a pipeline works. */
export class EffectLedger {
  readonly #counts = new Map<string, number>();
  readonly #records: AcceptedRecord[] = [];
  readonly #keepRecords: boolean;
  #total = 0;

  /** @param keepRecords false: counts only, for simulations of millions */
  constructor(keepRecords = true) {
    this.#keepRecords = keepRecords;
  }

  add(record: AcceptedRecord): void {
    this.#total += 1;
    this.#counts.set(record.key, this.of(record.key) + 1);
    if (this.#keepRecords) this.#records.push(record);
  }

  /** Effects of one key. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  get total(): number {
    return this.#total;
  }

  /** How many keys have any effect. */
  get keyCount(): number {
    return this.#counts.size;
  }

  /** Keys that a user saw more than once, with how often. */
  duplicated(): ReadonlyMap<string, number> {
    return new Map([...this.#counts].filter(([, count]) => count > 1));
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  records(key?: string): readonly AcceptedRecord[] {
    return key === undefined ? this.#records : this.#records.filter((record) => record.key === key);
  }

  clear(): void {
    this.#counts.clear();
    this.#records.length = 0;
    this.#total = 0;
  }
}
