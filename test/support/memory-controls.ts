import type { ControlStore } from '#ports';

/** Named documents with versions, as the ledger table keeps them beside its rows. */
export class MemoryControls implements ControlStore {
  readonly #documents = new Map<string, { readonly value: unknown; readonly version: number }>();

  async read(name: string): ReturnType<ControlStore['read']> {
    const found = this.#documents.get(name);
    if (found === undefined) return { kind: 'absent' };
    return { kind: 'document', ...found };
  }

  async write(
    name: string,
    value: unknown,
    expectedVersion: number,
  ): ReturnType<ControlStore['write']> {
    const version = this.#documents.get(name)?.version ?? 0;
    if (version !== expectedVersion) return { kind: 'lost' };
    // As read from the table: what JSON keeps, and nothing that a reader could change for others.
    const stored: unknown = frozen(JSON.parse(JSON.stringify(value)));
    this.#documents.set(name, { value: stored, version: version + 1 });
    return { kind: 'written' };
  }
}

function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}
