import { LEDGER_TABLE } from '#config/table.ts';
import type { UncheckedItem } from './item.ts';

const { partitionKey, unresolvedIndex } = LEDGER_TABLE;

/** Where the next page begins. */
export type PageStart = Record<string, string | number>;

/** An opaque, URL-safe text for the last key of a page of unresolved rows. */
export function encodeCursor(lastKey: UncheckedItem): string {
  const parts = [
    lastKey[partitionKey],
    lastKey[unresolvedIndex.partitionKey],
    lastKey[unresolvedIndex.sortKey],
  ];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Undefined for a text that `encodeCursor` did not make: operators paste cursors by hand. */
export function decodeCursor(cursor: string): PageStart | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [key, shard, since] = parts as unknown[];
  if (typeof key !== 'string' || typeof shard !== 'string' || typeof since !== 'number') {
    return undefined;
  }
  return {
    [partitionKey]: key,
    [unresolvedIndex.partitionKey]: shard,
    [unresolvedIndex.sortKey]: since,
  };
}
