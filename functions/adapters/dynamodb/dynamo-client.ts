import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NodeSha256 } from '#adapters/aws/node-sha256.ts';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { createRequestHandler } from './request-handler.ts';

export type DynamoClientSettings = {
  /** How many ledger calls may be under way at once; each gets a socket of its own. */
  readonly concurrency: number;
  readonly timing?: LedgerTiming;
};

/** Milliseconds and counts that bound a ledger call from the inside out. */
export type LedgerTiming = {
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly maxAttempts: number;
  readonly callBudgetMs: number;
};

/**
 * DynamoDB answers a single-item request within tens of milliseconds, or something is wrong.
 * - connect 1 s: a cold function's first TLS handshake takes some 200 ms; longer is a lost packet.
 * - attempt 1 s: shorter would abort writes that are being applied and pay for each with a
 *   repeat; longer would leave no room for the repeat that answers what became of the first.
 * - 3 attempts: repeats are safe here, since every write is conditional and known by its token.
 *   More would keep pushing at a throttled table while the queue can simply hand over again later.
 * - budget 3.5 s: all attempts and their pauses (at most 50 + 100 ms after time-outs; up to 1 + 2 s
 *   after throttling, which the budget may cut). A send lease must be longer than the send timeout
 *   by more than this, or acceptance could not be recorded within the lease.
 */
export const LEDGER_TIMING: LedgerTiming = {
  connectTimeoutMs: 1_000,
  attemptTimeoutMs: 1_000,
  maxAttempts: 3,
  callBudgetMs: 3_500,
};

/**
 * Steps of every call that do nothing for a ledger: a log that nobody reads, a guard against
 * functions that invoke each other, a header about this SDK's release. Together they are an eighth
 * of a call's CPU, and there are two calls for each reminder.
 */
export const IDLE_MIDDLEWARE = [
  'loggerMiddleware',
  'recursionDetectionMiddleware',
  'getUserAgentMiddleware',
] as const;

/**
 * The document client for the ledger table. Region, credentials and endpoint come from the
 * standard AWS environment (`AWS_ENDPOINT_URL_DYNAMODB` points it at an embedded engine).
 * @param overrides for several engines in one process; a deployed function has none
 */
export function createDynamoClient(
  settings: DynamoClientSettings,
  overrides: Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'> = {},
): DynamoDBDocumentClient {
  const timing = settings.timing ?? LEDGER_TIMING;
  const http = createHttpClient({
    maxSockets: settings.concurrency,
    connectTimeoutMs: timing.connectTimeoutMs,
  });
  const client = new DynamoDBClient({
    ...overrides,
    retryMode: 'standard',
    maxAttempts: timing.maxAttempts,
    requestHandler: createRequestHandler(http, timing.attemptTimeoutMs),
    sha256: NodeSha256,
  });
  for (const name of IDLE_MIDDLEWARE) client.middlewareStack.remove(name);
  return DynamoDBDocumentClient.from(client);
}

/** Closes the client's sockets. The document client's own `destroy` leaves them open. */
export function closeDynamoClient(documents: DynamoDBDocumentClient): void {
  documents.config.requestHandler.destroy?.();
}
