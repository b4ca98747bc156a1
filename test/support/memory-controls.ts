import type { ControlStore } from '#ports';

/** Named documents with versions, as the ledger table keeps them beside its rows. */
export class MemoryControls implements ControlStore {
  readonly #documents = new Map<string, { readonly json: string; readonly version: number }>();

  async read(name: string): ReturnType<ControlStore['read']> {
    const found = this.#documents.get(name);
    if (found === undefined) return { kind: 'absent' };
    return { kind: 'document', value: JSON.parse(found.json), version: found.version };
  }

  async write(
    name: string,
    value: unknown,
    expectedVersion: number,
  ): ReturnType<ControlStore['write']> {
    const version = this.#documents.get(name)?.version ?? 0;
    if (version !== expectedVersion) return { kind: 'lost' };
    this.#documents.set(name, { json: JSON.stringify(value), version: version + 1 });
    return { kind: 'written' };
  }
}
