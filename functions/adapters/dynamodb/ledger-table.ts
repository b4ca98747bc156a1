import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { errorName, RemindOnceError } from '#core/errors.ts';
import { type Item, plainItem, rawItem, type UncheckedItem } from './item.ts';
import { ROW } from './table-schema.ts';

/**
 * DynamoDB's answer to an applied put, and to a read that found nothing, is an empty object; so is
 * what the SDK makes of an empty or foreign 200. A wrong endpoint or a gateway in between would
 * look like a ledger that has every claim applied: so every answer has to name its cost.
 */
export const PROVE_ANSWER = { ReturnConsumedCapacity: 'TOTAL' } as const;

/** @throws RemindOnceError ANSWER_UNPROVED when the answer is not DynamoDB's */
export function assertProved(answer: {
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number | undefined } | undefined;
}): void {
  if (typeof answer.ConsumedCapacity?.CapacityUnits === 'number') return;
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

/** The two requests that decide sends, for ledger rows and control documents alike. */
export class LedgerTable {
  readonly #documents: DynamoDBDocumentClient;
  readonly name: string;

  constructor(documents: DynamoDBDocumentClient, name: string) {
    this.#documents = documents;
    this.name = name;
  }

  /**
   * Puts the whole item under a condition. Everything but a refused condition is thrown.
   * By the plain command, twice for each reminder: the document client's general translation of
   * any value costs a tenth of the call.
   */
  async put(item: Item, condition: Condition, signal: AbortSignal): Promise<PutAnswer> {
    const command = new PutItemCommand({
      TableName: this.name,
      Item: rawItem(item),
      ConditionExpression: condition.expression,
      ExpressionAttributeNames: condition.names,
      ...(condition.values && { ExpressionAttributeValues: rawItem(condition.values) }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...PROVE_ANSWER,
    });
    try {
      assertProved(await this.#documents.send(command, { abortSignal: signal }));
      return { kind: 'applied' };
    } catch (error: unknown) {
      if (errorName(error) !== 'ConditionalCheckFailedException') throw error;
      const old = plainItem((error as { readonly Item?: unknown }).Item);
      // Not every engine hands out the old item; without it the row has to be asked for.
      return { kind: 'refused', found: old ?? (await this.get(String(item[ROW.sendKey]), signal)) };
    }
  }

  /** Consistent, always: an old copy of a row could permit a second send. */
  async get(key: string, signal: AbortSignal): Promise<UncheckedItem | undefined> {
    const answer = await this.#documents.send(
      new GetCommand({
        TableName: this.name,
        Key: { [ROW.sendKey]: key },
        ConsistentRead: true,
        ...PROVE_ANSWER,
      }),
      { abortSignal: signal },
    );
    assertProved(answer);
    return answer.Item;
  }
}
