import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { LEDGER_TABLE } from '#config/table.ts';
import type { SendKey } from '#core/brand.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { Ledger, LedgerFailure, Seen } from '#ports';
import { boundedCall } from './bounded-call.ts';
import type { UncheckedItem } from './item.ts';
import { assertProved, type Condition, LedgerTable, PROVE_ANSWER } from './ledger-table.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import { decodeRow, encodeRow } from './row-codec.ts';
import { ROW, UNRESOLVED_SHARD } from './table-schema.ts';

export type DynamoLedgerOptions = {
  readonly documents: DynamoDBDocumentClient;
  readonly tableName: string;
  /**
   * The longest that one port call may take, retries and the fallback read included,
   * milliseconds. Too short and a claim that was applied goes unused until its lease is over;
   * too long and an unwell table eats the lease of the send that it should record.
   */
  readonly callBudgetMs: number;
};

/** The row is there but is not one that this release can read: never treated as absent. */
const ROW_UNREADABLE: LedgerFailure = { kind: 'failed', code: 'ROW_UNREADABLE' };
/** A condition failed because of a row that was gone when it was asked for. */
const ROW_VANISHED: LedgerFailure = { kind: 'failed', code: 'ROW_VANISHED' };
const CURSOR_INVALID: LedgerFailure = { kind: 'failed', code: 'CURSOR_INVALID' };

/** The send ledger on one DynamoDB table. Source: Amazon DynamoDB API, conditional PutItem. */
export class DynamoLedger implements Ledger {
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: LedgerTable;
  readonly #callBudgetMs: number;

  constructor(options: DynamoLedgerOptions) {
    this.#documents = options.documents;
    this.#table = new LedgerTable(options.documents, options.tableName);
    this.#callBudgetMs = options.callBudgetMs;
  }

  async claim(row: LedgerRecord): ReturnType<Ledger['claim']> {
    const item = encodeRow(row);
    return boundedCall(this.#callBudgetMs, async (signal) => {
      const put = await this.#table.put(item, NO_ROW_YET, signal);
      if (put.kind === 'applied') return { kind: 'claimed' };
      if (put.found === undefined) return ROW_VANISHED;
      const found = decodeRow(put.found);
      if (found.kind === 'unreadable') return ROW_UNREADABLE;
      if (isOurWrite(found.row, row)) return { kind: 'claimed' };
      return { kind: 'exists', row: found.row };
    });
  }

  async replace(row: LedgerRecord, seen: Seen): ReturnType<Ledger['replace']> {
    const item = encodeRow(row);
    return boundedCall(this.#callBudgetMs, async (signal) => {
      const put = await this.#table.put(item, stillAsSeen(seen), signal);
      if (put.kind === 'applied') return { kind: 'replaced' };
      if (put.found === undefined) return { kind: 'lost', row: undefined };
      const found = decodeRow(put.found);
      if (found.kind === 'unreadable') return ROW_UNREADABLE;
      if (isOurWrite(found.row, row)) return { kind: 'replaced' };
      return { kind: 'lost', row: found.row };
    });
  }

  async read(sendKey: SendKey): ReturnType<Ledger['read']> {
    return boundedCall(this.#callBudgetMs, async (signal) => {
      const item = await this.#table.get(sendKey, signal);
      if (item === undefined) return { kind: 'absent' };
      const found = decodeRow(item);
      return found.kind === 'row' ? found : ROW_UNREADABLE;
    });
  }

  async unresolved(request: {
    readonly limit: number;
    readonly cursor?: string;
  }): ReturnType<Ledger['unresolved']> {
    const after = request.cursor === undefined ? undefined : decodeCursor(request.cursor);
    if (request.cursor !== undefined && after === undefined) return CURSOR_INVALID;
    const query = new QueryCommand({
      TableName: this.#table.name,
      IndexName: LEDGER_TABLE.unresolvedIndex.name,
      KeyConditionExpression: '#shard = :shard',
      ExpressionAttributeNames: { '#shard': ROW.unresolvedShard },
      ExpressionAttributeValues: { ':shard': UNRESOLVED_SHARD },
      Limit: request.limit,
      ...PROVE_ANSWER,
      ...(after && { ExclusiveStartKey: after }),
    });
    return boundedCall(this.#callBudgetMs, async (signal) => {
      const answer = await this.#documents.send(query, { abortSignal: signal });
      assertProved(answer);
      const cursor = answer.LastEvaluatedKey && encodeCursor(answer.LastEvaluatedKey);
      return { kind: 'page', ...readable(answer.Items ?? []), ...(cursor && { cursor }) };
    });
  }
}

/*
 *   A claims            A's lease over                    A wakes late and records
 *   |  NO_ROW_YET       |                                 |  stillAsSeen(a, CLAIMED): refused,
 *   |                   |                                 |  the row says b
 *   ├─ CLAIMED token a ─┼─ B takes over ─ CLAIMED token b ┴─ B records: stillAsSeen(b, CLAIMED) ─▶
 *                          stillAsSeen(a, CLAIMED)
 */

/** Claim: of any number of workers one finds no row. */
const NO_ROW_YET: Condition = {
  expression: 'attribute_not_exists(#key)',
  names: { '#key': ROW.sendKey },
};

/** Every other write: the row is there, its token and state are those that the decision was made on. */
function stillAsSeen(seen: Seen): Condition {
  const rowExists = 'attribute_exists(#key)';
  const sameToken = '#token = :token';
  const sameState = '#state = :state';
  return {
    expression: `${rowExists} AND ${sameToken} AND ${sameState}`,
    names: { '#key': ROW.sendKey, '#token': ROW.claimToken, '#state': ROW.state },
    values: { ':token': seen.claimToken, ':state': seen.state },
  };
}

/**
 * A refused condition may be the echo of our own write, applied before its answer was lost:
 * nobody else knows the token, so the row is ours when token and state are what we wrote.
 */
function isOurWrite(found: LedgerRecord, written: LedgerRecord): boolean {
  return found.claimToken === written.claimToken && found.state === written.state;
}

/** One unreadable row must not hide the others of its page, nor vanish from it. */
function readable(items: readonly UncheckedItem[]): {
  rows: readonly LedgerRecord[];
  unreadable?: readonly SendKey[];
} {
  const rows: LedgerRecord[] = [];
  const unreadable: SendKey[] = [];
  for (const item of items) {
    const found = decodeRow(item);
    if (found.kind === 'row') rows.push(found.row);
    else unreadable.push(String(item[ROW.sendKey]) as SendKey);
  }
  return unreadable.length === 0 ? { rows } : { rows, unreadable };
}
