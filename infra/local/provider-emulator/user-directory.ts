import { createHash } from 'node:crypto';

/**
 * The team's own "user id → address" service. Unless told otherwise it knows every user, by an
 * address derived from the id.
 */
export class UserDirectory {
  readonly #set = new Map<string, string | null>();
  readonly #entries: ReadonlyMap<string, string> | undefined;

  /** @param entries the only users there are; undefined: everybody */
  constructor(entries?: Readonly<Record<string, string>>) {
    this.#entries = entries && new Map(Object.entries(entries));
  }

  /** @param address null: this user is unknown */
  set(userId: string, address: string | null): void {
    this.#set.set(userId, address);
  }

  /** @param channel `sms` derives a phone number, anything else an e-mail address */
  find(userId: string, channel: string): string | undefined {
    const set = this.#set.get(userId);
    if (set !== undefined) return set ?? undefined;
    return this.#entries === undefined ? derived(userId, channel) : this.#entries.get(userId);
  }

  reset(): void {
    this.#set.clear();
  }
}

function derived(userId: string, channel: string): string {
  const digest = createHash('sha256').update(userId).digest('hex');
  // +1 555 numbers and example.test reach nobody.
  if (channel === 'sms')
    return `+1555${String(Number.parseInt(digest.slice(0, 8), 16))
      .padStart(10, '0')
      .slice(-7)}`;
  return `user-${digest.slice(0, 12)}@example.test`;
}
