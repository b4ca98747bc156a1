import { RemindOnceError } from '#core/errors.ts';
import type { DynamoClient } from './dynamo-client.ts';
import { type Item, plainItem, type UncheckedItem, wireItem } from './item.ts';
import { ROW } from './table-schema.ts';

/**
 * DynamoDB's answer to an applied put, and to a read that found nothing, is an empty object; so
 * may a foreign 200 be. A wrong endpoint or a gateway in between would look like a ledger that has
 * every claim applied: so every answer has to name its cost.
 */
const PROVE_ANSWER = { ReturnConsumedCapacity: 'TOTAL' } as const;

type Output = Readonly<Record<string, unknown>>;

/** @throws RemindOnceError ANSWER_UNPROVED when the answer is not DynamoDB's */
function assertProved(output: Output): void {
  const cost = output['ConsumedCapacity'] as { readonly CapacityUnits?: unknown } | undefined;
  if (typeof cost?.CapacityUnits === 'number') return;
  throw new RemindOnceError(
    'ANSWER_UNPROVED',
    'An answer from the ledger table names no consumed capacity; DynamoDB always does when asked. Check AWS_ENDPOINT_URL_DYNAMODB and what stands between.',
  );
}

/** A condition with its names and values: `#name` and `:value` placeholders. */
export type Condition = {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, string | number>>;
};

export type PutAnswer =
  | { readonly kind: 'applied' }
  /** The condition did not hold; `found` is what did, undefined when there is no item. */
  | { readonly kind: 'refused'; readonly found: UncheckedItem | undefined };

/** A call that DynamoDB refused or did not answer; known by its name. */
class TableCallFailed extends Error {
  constructor(code: string) {
    super(`the ledger table did not answer as asked: ${code}`);
    this.name = code;
  }
}

export type IndexQuery = {
  readonly index: string;
  /** The index's partition: attribute name and value. */
  readonly partition: readonly [string, string];
  readonly limit: number;
  readonly after?: Item | undefined;
};

export type IndexPage = {
  readonly items: readonly UncheckedItem[];
  /** Where the next page begins; undefined after the last. */
  readonly lastKey: UncheckedItem | undefined;
};

/**
 * The requests on the table, for ledger rows and control documents alike. Source: Amazon DynamoDB
 * API Reference. Everything but a refused condition is thrown.
 */
export class LedgerTable {
  readonly #client: DynamoClient;
  readonly name: string;

  constructor(client: DynamoClient, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** Puts the whole item under a condition. */
  async put(item: Item, condition: Condition, signal: AbortSignal): Promise<PutAnswer> {
    const { expression, names, values } = condition;
    const answer = await this.#client.call(
      'PutItem',
      {
        TableName: this.name,
        Item: wireItem(item),
        ConditionExpression: expression,
        ExpressionAttributeNames: names,
        ...(values && { ExpressionAttributeValues: wireItem(values) }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ...PROVE_ANSWER,
      },
      signal,
    );
    if (answer.kind === 'answer') {
      assertProved(answer.output);
      return { kind: 'applied' };
    }
    if (answer.kind === 'refused' && answer.name === 'ConditionalCheckFailedException') {
      const old = plainItem(answer.output['Item']);
      // Not every engine hands out the old item; without it the row has to be asked for.
      return { kind: 'refused', found: old ?? (await this.get(String(item[ROW.sendKey]), signal)) };
    }
    throw new TableCallFailed(answer.kind === 'refused' ? answer.name : answer.code);
  }

  /** Consistent, always: an old copy of a row could permit a second send. */
  async get(key: string, signal: AbortSignal): Promise<UncheckedItem | undefined> {
    const request = { Key: wireItem({ [ROW.sendKey]: key }), ConsistentRead: true };
    const output = await this.#read('GetItem', request, signal);
    return plainItem(output['Item']);
  }

  /** One page of a partition of an index, in the order of its sort key. */
  async query(query: IndexQuery, signal: AbortSignal): Promise<IndexPage> {
    const [attribute, value] = query.partition;
    const output = await this.#read(
      'Query',
      {
        IndexName: query.index,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': attribute },
        ExpressionAttributeValues: wireItem({ ':partition': value }),
        Limit: query.limit,
        ...(query.after && { ExclusiveStartKey: wireItem(query.after) }),
      },
      signal,
    );
    const items = Array.isArray(output['Items']) ? output['Items'] : [];
    return {
      items: items.map((item) => plainItem(item) ?? {}),
      lastKey: plainItem(output['LastEvaluatedKey']),
    };
  }

  async #read(operation: string, request: Output, signal: AbortSignal): Promise<Output> {
    const input = { TableName: this.name, ...request, ...PROVE_ANSWER };
    const answer = await this.#client.call(operation, input, signal);
    if (answer.kind !== 'answer') {
      throw new TableCallFailed(answer.kind === 'refused' ? answer.name : answer.code);
    }
    assertProved(answer.output);
    return answer.output;
  }
}
