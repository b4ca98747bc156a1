import { conditionTest, type WireItem } from './condition.ts';
import type { LeanAnswer, LeanRequest } from './lean-http-server.ts';

type TableRequest = {
  readonly Item?: WireItem;
  readonly Key?: WireItem;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: WireItem;
  readonly ReturnValuesOnConditionCheckFailure?: string;
  readonly ReturnConsumedCapacity?: string;
  readonly TableName?: string;
};

/** What the calls would cost on DynamoDB, by its published rule: 1 KB a write unit. */
export type TableCounts = {
  puts: number;
  updates: number;
  gets: number;
  refused: number;
  writeUnits: number;
  readUnits: number;
};

const WRITE_UNIT_BYTES = 1024;
const READ_UNIT_BYTES = 4096;
const FRESH = { puts: 0, updates: 0, gets: 0, refused: 0, writeUnits: 0, readUnits: 0 } as const;

/** Secrets Manager's answer to any GetSecretValue; it shares this server. */
const SECRET: LeanAnswer = {
  status: 200,
  body: '{"Name":"bench","SecretString":"bench-only-secret-of-every-name"}',
};

/**
 * DynamoDB's single-item operations as the contestants use them: in memory, conditions decided in
 * order of arrival, the old item handed out with a refusal. No checks of signatures or schemas.
 */
export class TableBackend {
  readonly #items = new Map<string, WireItem>();
  readonly counts: TableCounts = { ...FRESH };

  /** Control documents stay: they belong to the installation, not to a load. */
  reset(): void {
    for (const key of this.#items.keys()) if (!key.startsWith('control#')) this.#items.delete(key);
    this.resetCounts();
  }

  resetCounts(): void {
    Object.assign(this.counts, FRESH);
  }

  handle(request: LeanRequest): LeanAnswer {
    if (/^x-amz-target: *secretsmanager\./im.test(request.head)) return SECRET;
    const operation = /^x-amz-target: *DynamoDB_\d+\.(\w+)/im.exec(request.head)?.[1];
    const call = JSON.parse(request.body) as TableRequest;
    switch (operation) {
      case 'PutItem':
        this.counts.puts += 1;
        return this.#write(call, keyOf(call.Item), call.Item ?? {});
      case 'UpdateItem': {
        this.counts.updates += 1;
        const key = keyOf(call.Key);
        return this.#write(call, key, updated(this.#items.get(key) ?? call.Key ?? {}, call));
      }
      case 'GetItem':
        return this.#get(call);
      case 'Query':
        this.counts.gets += 1;
        return { status: 200, body: `{"Items":[],"Count":0,${capacity(call, 1).slice(1)}` };
      default:
        return { status: 400, body: '{"__type":"UnknownOperationException"}' };
    }
  }

  #write(call: TableRequest, key: string, item: WireItem): LeanAnswer {
    const old = this.#items.get(key);
    const units = Math.max(unitsOf(item, WRITE_UNIT_BYTES), unitsOf(old, WRITE_UNIT_BYTES));
    this.counts.writeUnits += units;
    if (call.ConditionExpression !== undefined) {
      const names = call.ExpressionAttributeNames ?? {};
      const values = call.ExpressionAttributeValues ?? {};
      if (!conditionTest(call.ConditionExpression)(old, { names, values })) {
        this.counts.refused += 1;
        const handsOut = call.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && old;
        return {
          status: 400,
          body: JSON.stringify({
            __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
            message: 'The conditional request failed',
            ...(handsOut && { Item: old }),
          }),
        };
      }
    }
    this.#items.set(key, item);
    return { status: 200, body: capacity(call, units) };
  }

  #get(call: TableRequest): LeanAnswer {
    this.counts.gets += 1;
    const item = this.#items.get(keyOf(call.Key));
    const units = unitsOf(item, READ_UNIT_BYTES);
    this.counts.readUnits += units;
    const cost = capacity(call, units);
    if (item === undefined) return { status: 200, body: cost };
    const comma = cost === '{}' ? '' : `,${cost.slice(1, -1)}`;
    return { status: 200, body: `{"Item":${JSON.stringify(item)}${comma}}` };
  }
}

function keyOf(item: WireItem | undefined): string {
  return String(item?.['pk']?.['S']);
}

/** `SET #a = :a, #b = :b`: all that Powertools' layer updates with. */
function updated(item: WireItem, call: TableRequest): WireItem {
  const next: Record<string, WireItem[string]> = { ...item };
  const names = call.ExpressionAttributeNames ?? {};
  for (const [, name = '', value = ''] of (call.UpdateExpression ?? '').matchAll(
    /(#\w+) = (:\w+)/g,
  )) {
    const given = call.ExpressionAttributeValues?.[value];
    if (given !== undefined) next[names[name] ?? name] = given;
  }
  return next;
}

function unitsOf(item: WireItem | undefined, unitBytes: number): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item ?? {})) {
    const text = value['S'];
    bytes += name.length + (typeof text === 'string' ? Buffer.byteLength(text) : 8);
  }
  return Math.max(1, Math.ceil(bytes / unitBytes));
}

function capacity(call: TableRequest, units: number): string {
  if (call.ReturnConsumedCapacity !== 'TOTAL') return '{}';
  return `{"ConsumedCapacity":{"TableName":"${call.TableName}","CapacityUnits":${units}}}`;
}
