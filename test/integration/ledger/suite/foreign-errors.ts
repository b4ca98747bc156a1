import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { type EmbeddedDynamo, localDynamoClient } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { aClaimedRow, finished } from '#test/support/ledger-rows.ts';
import { openLedger } from './open-ledger.ts';

/** A second copy of the SDK in one process: same error names, other classes. */
export function foreignErrorsSuite(engine: () => EmbeddedDynamo): void {
  describe('rule 8: errors are recognised by name', () => {
    it('field report 18: a refused condition of another SDK copy is a duplicate', async () => {
      const { tableName, ledger, engine: own } = await openLedger(engine());
      const documents = localDynamoClient(own.endpoint);
      onTestFinished(() => closeDynamoClient(documents));
      const thrown: unknown[] = [];
      documents.middlewareStack.add((next) => async (args) => {
        try {
          return await next(args);
        } catch (error: unknown) {
          thrown.push(ofAnotherCopy(error));
          throw thrown.at(-1);
        }
      });
      const other = new DynamoLedger({ documents, tableName, callBudgetMs: 20_000 });
      const row = aClaimedRow();
      await ledger.claim(row);
      expect(await other.claim(aClaimedRow({ sendKey: row.sendKey }))).toEqual({
        kind: 'exists',
        row,
      });
      const stranger = aClaimedRow({ sendKey: row.sendKey });
      expect(await other.replace(finished(stranger, 'SENT'), stranger)).toEqual({
        kind: 'lost',
        row,
      });
      expect(thrown).toHaveLength(2);
      for (const error of thrown) {
        expect(error, 'the test needs a class that is not ours').not.toBeInstanceOf(
          ConditionalCheckFailedException,
        );
      }
    });
  });
}

/** What the engine really said, in a class that only shares the name. */
function ofAnotherCopy(error: unknown): Error {
  const { name, message, Item } = error as ConditionalCheckFailedException;
  return Object.assign(new Error(message), { name, ...(Item && { Item }) });
}
