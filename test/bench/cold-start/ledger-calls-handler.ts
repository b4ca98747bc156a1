import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';

const documents = createDynamoClient({ concurrency: 1 });

/** What the ledger's two puts cost by themselves: the SDK as the product sets it up, and no more. */
export async function handler(): Promise<void> {
  for (const state of ['CLAIMED', 'SENT']) {
    const Item = { pk: { S: 'cold' }, state: { S: state } };
    await documents.send(new PutItemCommand({ TableName: process.env['LEDGER_TABLE'], Item }));
  }
}
