import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import { startDynamoDbLocal } from '#infra/local/dynamodb/dynamodb-local.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { findJava } from '#infra/local/dynamodb/java.ts';
import { FaultyProxy } from '#test/support/faulty-proxy.ts';
import { Stand } from '../measure/stand.ts';
import { NONE } from './drain-rate.ts';

/** Capacity units of one delivery, as a DynamoDB engine reports them in its answers. */
export type Units = {
  readonly write: number;
  readonly read: number;
};
export type EngineUnits = {
  readonly engine: string;
  readonly send: Units;
  readonly quietDuplicate: Units;
  /** True where a refused put hands out no old item, so that it has to be read. */
  readonly readsAfterRefusal: boolean;
};

const REMINDERS = 40;
/** AWS charges a refused conditional write like an applied one; no engine reports it. */
const UNITS_OF_REFUSAL = 1;

/** Counts what a real engine says about the consumer's calls: DynamoDB Local, else dynalite. */
export async function countEngineUnits(tableName: string): Promise<EngineUnits> {
  const engine =
    (await findJava()).kind === 'found' ? await startDynamoDbLocal() : await startDynalite();
  const proxy = await FaultyProxy.start(engine.endpoint);
  try {
    await engine.createLedgerTable(tableName);
    return await countThrough(proxy, engine);
  } finally {
    await proxy.close();
    await engine.close();
  }
}

async function countThrough(proxy: FaultyProxy, engine: EmbeddedDynamo): Promise<EngineUnits> {
  const units = { write: 0, read: 0 };
  proxy.rule(({ operation, body }) => {
    const isLedger = body.includes('"k1_');
    const kind = operation === 'PutItem' ? 'write' : 'read';
    const rewrite = (answer: string) => {
      if (isLedger) units[kind] += unitsOf(answer);
      return answer;
    };
    return { kind: 'rewrite', rewrite };
  });
  const stand = await Stand.open(['product'], { tableUrl: proxy.endpoint });
  try {
    const request = { contestant: 'product', concurrency: 8, reminders: REMINDERS } as const;
    await stand.drain({ ...request, latencies: NONE });
    const send = { write: units.write / REMINDERS, read: units.read / REMINDERS };
    await stand.drain({ ...request, copies: 2, latencies: NONE });
    return {
      engine: engine.engine,
      send,
      quietDuplicate: {
        write: units.write / REMINDERS - 2 * send.write,
        read: units.read / REMINDERS - 2 * send.read,
      },
      readsAfterRefusal: engine.gaps.noOldItem,
    };
  } finally {
    await stand.close();
  }
}

function unitsOf(answer: string): number {
  const parsed = JSON.parse(answer) as {
    readonly __type?: string;
    readonly ConsumedCapacity?: { readonly CapacityUnits: number };
  };
  if (parsed.__type?.includes('ConditionalCheckFailed')) return UNITS_OF_REFUSAL;
  return parsed.ConsumedCapacity?.CapacityUnits ?? 0;
}
