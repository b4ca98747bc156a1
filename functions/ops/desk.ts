import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LEDGER_TABLE } from '#config/table.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import { askAws } from '#functions/ops/target/aws-fault.ts';
import { consumerConfig, SILENT, statsConfig, type Target } from '#functions/ops/target/target.ts';
import { openCheck } from '#functions/stats-alarm/stats-alarm.ts';
import {
  type Backends,
  type LedgerSide,
  openBackends,
  openLedgerSide,
  openQueueSide,
  type QueueSide,
} from '#wiring/backends.ts';

/** A person waits, one call after the other; a bulk publish asks for more. */
const CALLS_AT_ONCE = 16;
const LIMITS = { concurrency: CALLS_AT_ONCE, queueCallMs: 15_000, ledgerCallMs: 5000 };

/**
 * Refuses a table that is not a ledger of this product, before anything is read from it or written
 * to it: its key and its sparse index are its marker.
 */
export async function assertLedgerTable(tableName: string): Promise<void> {
  const question = { action: 'dynamodb:DescribeTable', subject: `table ${tableName}` };
  const { Table } = await askAws(question, () =>
    new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: tableName })),
  );
  const { partitionKey, unresolvedIndex } = LEDGER_TABLE;
  const keyed =
    Table?.KeySchema?.length === 1 && Table.KeySchema[0]?.AttributeName === partitionKey;
  const index = Table?.GlobalSecondaryIndexes?.find(
    ({ IndexName }) => IndexName === unresolvedIndex.name,
  );
  const indexed =
    index?.KeySchema?.map(({ AttributeName }) => AttributeName).join() ===
    [unresolvedIndex.partitionKey, unresolvedIndex.sortKey].join();
  if (keyed && indexed) return;
  throw new OpsError(
    EXIT.target,
    'TABLE_FOREIGN',
    `table ${tableName} is not a ledger of Remind Once: it lacks the key "${partitionKey}" or the index "${unresolvedIndex.name}"; look at LEDGER_TABLE of the functions`,
  );
}

function surroundings({ clock, random, secrets }: Target) {
  return { clock, random, secrets, telemetry: SILENT };
}

/** Ledger rows and control documents, for commands that need no queue and no secret. */
export async function openLedgerDesk(target: Target): Promise<LedgerSide> {
  const config = consumerConfig(target);
  await assertLedgerTable(config.ledgerTable);
  return openLedgerSide(config, LIMITS, target);
}

/** Everything that the consumer has: queue, ledger, senders, keys. */
export async function openDesk(target: Target): Promise<Backends> {
  const config = consumerConfig(target);
  await assertLedgerTable(config.ledgerTable);
  return openBackends(config, LIMITS, surroundings(target));
}

/** The queue alone. */
export function openQueueDesk(target: Target): Promise<QueueSide> {
  return openQueueSide(consumerConfig(target), LIMITS, surroundings(target));
}

/** What a check of the stats function reads. */
export async function openCheckDesk(target: Target) {
  const config = statsConfig(target);
  await assertLedgerTable(config.ledgerTable);
  return { config, deps: await openCheck(config, surroundings(target)) };
}
