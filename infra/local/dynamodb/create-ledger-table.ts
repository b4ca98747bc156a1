import { setTimeout as pause } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ledgerTableDefinition } from '#adapters/dynamodb/table-schema.ts';
import { LEDGER_TABLE } from '#config/table.ts';
import { errorName, RemindOnceError } from '#core/errors.ts';

const READY_WITHIN_POLLS = 200;
const POLL_MS = 10;

/** Creates table and index, waits until they take writes, and switches TTL on where possible. */
export async function createLedgerTableOn(
  client: DynamoDBDocumentClient,
  tableName: string,
  timeToLive: boolean,
): Promise<void> {
  await createTable(client, tableName);
  await untilActive(client, tableName);
  if (!timeToLive) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: tableName,
      TimeToLiveSpecification: {
        AttributeName: LEDGER_TABLE.timeToLiveAttribute,
        Enabled: true,
      },
    }),
  );
}

/**
 * A busy engine can answer after the client's patience is over; the client's second try then finds
 * the table that its first one made. Table names are never shared, so this one is ours.
 */
async function createTable(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand(ledgerTableDefinition(tableName)));
  } catch (error) {
    if (errorName(error) !== 'ResourceInUseException') throw error;
  }
}

async function untilActive(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  let seen: string | undefined;
  for (let poll = 0; poll < READY_WITHIN_POLLS; poll += 1) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    seen = Table?.TableStatus;
    if (seen === 'ACTIVE') return;
    await pause(POLL_MS);
  }
  throw new RemindOnceError(
    'LOCAL_TABLE_NOT_READY',
    `The local table ${tableName} is ${seen ?? 'unknown'} after ${READY_WITHIN_POLLS * POLL_MS} ms; it should be ACTIVE. Start the engine again.`,
  );
}
