import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CONTROL_KEY_PREFIX } from '#config/table.ts';
import { RemindOnceError } from '#core/errors.ts';
import type { ControlStore, LedgerFailure, Random } from '#ports';
import { boundedCall } from './bounded-call.ts';
import type { Item, UncheckedItem } from './item.ts';
import { type Condition, LedgerTable } from './ledger-table.ts';
import { CONTROL, CONTROL_FORMAT } from './table-schema.ts';

export type DynamoControlStoreOptions = {
  readonly documents: DynamoDBDocumentClient;
  readonly tableName: string;
  /** As for the ledger, milliseconds. */
  readonly callBudgetMs: number;
  readonly random: Pick<Random, 'token'>;
};

/** The document is there but is not one that this release can read: never treated as absent. */
const DOCUMENT_UNREADABLE: LedgerFailure = { kind: 'failed', code: 'DOCUMENT_UNREADABLE' };

/** Control documents beside the ledger rows; they have no TTL and no place in the index. */
export class DynamoControlStore implements ControlStore {
  readonly #table: LedgerTable;
  readonly #callBudgetMs: number;
  readonly #random: Pick<Random, 'token'>;

  constructor(options: DynamoControlStoreOptions) {
    this.#table = new LedgerTable(options.documents, options.tableName);
    this.#callBudgetMs = options.callBudgetMs;
    this.#random = options.random;
  }

  async read(name: string): ReturnType<ControlStore['read']> {
    return boundedCall(this.#callBudgetMs, async (signal) => {
      const item = await this.#table.get(keyOf(name), signal);
      return item === undefined ? { kind: 'absent' } : decodeDocument(item);
    });
  }

  async write(
    name: string,
    value: unknown,
    expectedVersion: number,
  ): ReturnType<ControlStore['write']> {
    const item = encodeDocument(name, value, expectedVersion + 1, this.#random.token());
    return boundedCall(this.#callBudgetMs, async (signal) => {
      const put = await this.#table.put(item, stillAtVersion(expectedVersion), signal);
      if (put.kind === 'applied') return { kind: 'written' };
      // Our own token in it: the write was applied and its answer lost.
      const ours = put.found?.[CONTROL.writeToken] === item[CONTROL.writeToken];
      return ours ? { kind: 'written' } : { kind: 'lost' };
    });
  }
}

function keyOf(name: string): string {
  return `${CONTROL_KEY_PREFIX}${name}`;
}

function stillAtVersion(version: number): Condition {
  if (version === 0) {
    return { expression: 'attribute_not_exists(#key)', names: { '#key': CONTROL.key } };
  }
  return {
    expression: 'attribute_exists(#key) AND #version = :version',
    names: { '#key': CONTROL.key, '#version': CONTROL.version },
    values: { ':version': version },
  };
}

function encodeDocument(name: string, value: unknown, version: number, writeToken: string): Item {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) {
    throw new RemindOnceError(
      'CONTROL_VALUE_INVALID',
      `The control document "${name}" has a value of type ${typeof value}; allowed: any JSON value. Mend the caller.`,
    );
  }
  return {
    [CONTROL.key]: keyOf(name),
    [CONTROL.format]: CONTROL_FORMAT,
    [CONTROL.version]: version,
    [CONTROL.writeToken]: writeToken,
    [CONTROL.json]: json,
  };
}

function decodeDocument(item: UncheckedItem): Awaited<ReturnType<ControlStore['read']>> {
  const version = item[CONTROL.version];
  const json = item[CONTROL.json];
  if (item[CONTROL.format] !== CONTROL_FORMAT) return DOCUMENT_UNREADABLE;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
    return DOCUMENT_UNREADABLE;
  }
  if (typeof json !== 'string') return DOCUMENT_UNREADABLE;
  try {
    return { kind: 'document', value: JSON.parse(json) as unknown, version };
  } catch {
    return DOCUMENT_UNREADABLE;
  }
}
