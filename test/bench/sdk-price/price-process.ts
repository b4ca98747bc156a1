import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { createDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { encodeRow } from '#adapters/dynamodb/row-codec.ts';
import { createHttpClient } from '#adapters/http/http-call.ts';
import type { ClaimToken, SendKey } from '#core/brand.ts';
import { expiryOf, type LedgerRecord } from '#core/ledger-record.ts';

/** CPU microseconds of one call, one round. */
export type CallPrices = Readonly<
  Record<'barePost' | 'client' | 'documentClient' | 'ledgerClaim', number>
>;

const CALLS = 2000;
const AT_ONCE = 32;
const TABLE = 'bench-price';
const endpoint = process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';

const condition = {
  TableName: TABLE,
  ConditionExpression: 'attribute_not_exists(#key)',
  ExpressionAttributeNames: { '#key': 'pk' },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  ReturnConsumedCapacity: 'TOTAL',
} as const;

let rows = 0;
function freshRow(): LedgerRecord {
  rows += 1;
  const at = 1_790_000_000_000;
  return {
    sendKey: `k1_${String(rows).padStart(64, '0')}` as SendKey,
    state: 'CLAIMED',
    claimToken: randomUUID() as ClaimToken,
    claimedAt: at,
    leaseUntil: at + 45_000,
    attempt: 0,
    attemptLimit: 6,
    firstSendAt: at,
    notBefore: null,
    bodyHash: `b1_${'0'.repeat(32)}`,
    receipt: null,
    provider: 'http',
    channel: 'push',
    redriveCount: 0,
    userRef: `u1_${'0'.repeat(32)}`,
    scheduledAt: at,
    reason: 'FIRST_CLAIM',
    history: [{ state: 'CLAIMED', at, attempt: 0, reason: 'FIRST_CLAIM' }],
    expiresAt: expiryOf(at, 86_400),
  };
}

function wireItem(row: LedgerRecord): Record<string, { S: string } | { N: string }> {
  const item: Record<string, { S: string } | { N: string }> = {};
  for (const [name, value] of Object.entries(encodeRow(row))) {
    item[name] = typeof value === 'string' ? { S: value } : { N: String(value) };
  }
  return item;
}

const sockets = { httpAgent: { keepAlive: true, maxSockets: AT_ONCE } };
const http = createHttpClient({ maxSockets: AT_ONCE });
const client = new DynamoDBClient({ requestHandler: sockets });
const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler: sockets }));
const ledger = new DynamoLedger({
  documents: createDynamoClient({ concurrency: AT_ONCE }),
  tableName: TABLE,
  callBudgetMs: 5000,
});

const CALLERS: Readonly<Record<keyof CallPrices, () => Promise<unknown>>> = {
  async barePost() {
    const outcome = await http.call({
      method: 'POST',
      url: endpoint,
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.PutItem',
      },
      body: JSON.stringify({ ...condition, Item: wireItem(freshRow()) }),
      timeoutMs: 5000,
    });
    if (outcome.kind !== 'answer') throw new Error(`the table answered ${outcome.kind}`);
    return JSON.parse(outcome.text);
  },
  client: () => client.send(new PutItemCommand({ ...condition, Item: wireItem(freshRow()) })),
  documentClient: () =>
    documents.send(new PutCommand({ ...condition, Item: encodeRow(freshRow()) })),
  async ledgerClaim() {
    const answer = await ledger.claim(freshRow());
    if (answer.kind !== 'claimed') throw new Error(`the ledger answered ${answer.kind}`);
  },
};

async function microsecondsOf(call: () => Promise<unknown>): Promise<number> {
  let left = CALLS;
  const cpuBefore = process.cpuUsage();
  const caller = async () => {
    for (; left > 0; left -= 1) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / CALLS;
}

const names = Object.keys(CALLERS) as (keyof CallPrices)[];
const rounds: CallPrices[] = [];
for (let round = 0; round <= Number(process.argv[2]); round += 1) {
  const prices: Record<string, number> = {};
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    prices[name] = await microsecondsOf(CALLERS[name]);
  }
  // Round 0 warms up.
  if (round > 0) rounds.push(prices as CallPrices);
}
process.send?.(rounds);
process.on('disconnect', () => process.exit());
