import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { awsPlace } from '#adapters/aws/aws-endpoint.ts';
import { type AwsJsonClient, createAwsJsonClient } from '#adapters/aws/aws-json-client.ts';
import type { AwsCredentials } from '#adapters/aws/request-signature.ts';
import { createHttpClient } from '#adapters/http/http-call.ts';

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
 * - budget 3.5 s: all attempts and their pauses (at most 50 + 100 ms after time-outs; up to 0.5 +
 *   1 s after throttling, which the budget may cut). A send lease must be longer than the send
 *   timeout by more than this, or acceptance could not be recorded within the lease.
 */
export const LEDGER_TIMING: LedgerTiming = {
  connectTimeoutMs: 1_000,
  attemptTimeoutMs: 1_000,
  maxAttempts: 3,
  callBudgetMs: 3_500,
};

export type DynamoClient = AwsJsonClient & { close(): void };

/** Where and as whom; for several engines in one process, and for an operator's machine. */
export type DynamoPlace = {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: AwsCredentials | (() => Promise<AwsCredentials>);
};

/**
 * The client for the ledger table: Amazon DynamoDB's JSON protocol, version 2012-08-10. Region,
 * credentials and endpoint come from the standard AWS environment (`AWS_ENDPOINT_URL_DYNAMODB`
 * points it at an embedded engine).
 * @param overrides a deployed function has none
 */
export function createDynamoClient(
  settings: DynamoClientSettings,
  overrides: DynamoPlace = {},
): DynamoClient {
  const timing = settings.timing ?? LEDGER_TIMING;
  const http = createHttpClient({
    maxSockets: settings.concurrency,
    connectTimeoutMs: timing.connectTimeoutMs,
  });
  const { credentials } = overrides;
  const { call } = createAwsJsonClient({
    ...awsPlace('dynamodb', 'DYNAMODB', overrides),
    service: 'dynamodb',
    targetPrefix: 'DynamoDB_20120810',
    jsonVersion: '1.0',
    http,
    credentials:
      typeof credentials === 'object'
        ? async () => credentials
        : (credentials ?? defaultProvider()),
    maxAttempts: timing.maxAttempts,
    attemptTimeoutMs: timing.attemptTimeoutMs,
  });
  return { call, close: () => http.close() };
}

/** Closes the client's sockets, those of calls under way included. */
export function closeDynamoClient(client: DynamoClient): void {
  client.close();
}
