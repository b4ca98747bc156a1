import type { BackendsMessage, BackendsReply } from '../backends/backends-process.ts';
import { startChild } from '../measure/child-calls.ts';
import { type Spread, spreadOf } from '../measure/statistics.ts';
import type { CallPrices } from '../sdk-price/price-process.ts';

/** CPU of one conditional PutItem, microseconds, by who makes the call. */
export type SdkPrice = {
  /** The request as a plain POST by the product's HTTP client: nothing is signed or translated. */
  readonly barePost: Spread;
  /** `DynamoDBClient` as it comes. */
  readonly client: Spread;
  /** `DynamoDBDocumentClient` as it comes. */
  readonly documentClient: Spread;
  /** The ledger's claim: the product's client, its row codec and its budget. */
  readonly ledgerClaim: Spread;
};

/** What the AWS SDK costs in each ledger call; there are two for each reminder. */
export async function measureSdkPrice(
  rounds: number,
  progress: (text: string) => void,
): Promise<SdkPrice> {
  progress('price of an SDK call');
  const module = new URL('../backends/backends-process.ts', import.meta.url);
  const backends = await startChild<BackendsMessage, BackendsReply>(module, [], {});
  if (backends.greeting.kind !== 'listening') throw new Error('the backends did not start');
  const env = {
    AWS_ENDPOINT_URL_DYNAMODB: backends.greeting.urls.table,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  };
  const child = await startChild<never, readonly CallPrices[]>(
    new URL('../sdk-price/price-process.ts', import.meta.url),
    [String(rounds)],
    env,
  );
  await child.close();
  await backends.close();
  const of = (name: keyof CallPrices) => spreadOf(child.greeting.map((round) => round[name]));
  return {
    barePost: of('barePost'),
    client: of('client'),
    documentClient: of('documentClient'),
    ledgerClaim: of('ledgerClaim'),
  };
}
