import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { onTestFinished } from 'vitest';
import { closeDynamoClient, type LedgerTiming } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoControlStore } from '#adapters/dynamodb/dynamo-control-store.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { encodeRow } from '#adapters/dynamodb/row-codec.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import { type EmbeddedDynamo, localDynamoClient } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { FaultyProxy } from '#test/support/faulty-proxy.ts';

/** Wide enough for a busy machine: a test that wants a time-out names its own times. */
export const PATIENT: LedgerTiming = {
  connectTimeoutMs: 5_000,
  attemptTimeoutMs: 5_000,
  maxAttempts: 3,
  callBudgetMs: 20_000,
};
/** For answers that never come. */
export const HASTY: LedgerTiming = {
  connectTimeoutMs: 2_000,
  attemptTimeoutMs: 400,
  maxAttempts: 2,
  callBudgetMs: 20_000,
};

/** A table of the test's own, seen through a proxy by the ledger and directly by the test. */
export type OpenLedger = {
  readonly engine: EmbeddedDynamo;
  readonly tableName: string;
  readonly proxy: FaultyProxy;
  readonly ledger: DynamoLedger;
  readonly controls: DynamoControlStore;
  /** The engine itself, past the proxy. */
  readonly direct: DynamoDBDocumentClient;
  /** Another worker's ledger on the same table, through the same proxy. */
  worker(timing?: LedgerTiming): DynamoLedger;
};

export async function openLedger(
  engine: EmbeddedDynamo,
  timing: LedgerTiming = PATIENT,
): Promise<OpenLedger> {
  const tableName = `ledger-${randomUUID()}`;
  await engine.createLedgerTable(tableName);
  return openTable(engine, tableName, timing);
}

/** As `openLedger`, for a table that may not be there. */
export async function openTable(
  engine: EmbeddedDynamo,
  tableName: string,
  timing: LedgerTiming = PATIENT,
): Promise<OpenLedger> {
  const proxy = await FaultyProxy.start(engine.endpoint);
  const clients: DynamoDBDocumentClient[] = [];
  onTestFinished(async () => {
    for (const client of clients) closeDynamoClient(client);
    await proxy.close();
  });
  const documentsWith = (times: LedgerTiming) => {
    const client = localDynamoClient(proxy.endpoint, { concurrency: 64, timing: times });
    clients.push(client);
    return client;
  };
  const worker = (times: LedgerTiming = timing) =>
    new DynamoLedger({
      documents: documentsWith(times),
      tableName,
      callBudgetMs: times.callBudgetMs,
    });
  return {
    engine,
    tableName,
    proxy,
    ledger: worker(),
    controls: new DynamoControlStore({
      documents: documentsWith(timing),
      tableName,
      callBudgetMs: timing.callBudgetMs,
      random: { token: randomUUID },
    }),
    direct: engine.client(),
    worker,
  };
}

/** The stored item itself, whatever the codec thinks of it. */
export async function storedItem(
  open: OpenLedger,
  key: string,
): Promise<Record<string, unknown> | undefined> {
  const request = { TableName: open.tableName, Key: { pk: key }, ConsistentRead: true };
  return (await open.direct.send(new GetCommand(request))).Item;
}

/** Puts a row, or anything else, without asking the ledger. */
export async function plant(open: OpenLedger, item: Record<string, unknown>): Promise<void> {
  await open.direct.send(new PutCommand({ TableName: open.tableName, Item: item }));
}

export async function plantRow(open: OpenLedger, row: LedgerRecord): Promise<void> {
  await plant(open, encodeRow(row));
}
