import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoClient, type LedgerTiming } from '#adapters/dynamodb/dynamo-client.ts';

export type EngineName = 'dynalite' | 'dynamodb-local';

/** A DynamoDB engine that runs on this machine, its data in memory only. */
export interface EmbeddedDynamo {
  readonly engine: EngineName;
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  /** What a handler needs in its environment to use this engine. */
  readonly environment: Readonly<Record<string, string>>;
  /** Declared gaps: what this engine does not do, though AWS does. */
  readonly gaps: {
    /** A refused condition does not hand out the old item. */
    readonly noOldItem: boolean;
    /** TTL cannot be switched on. */
    readonly noTimeToLive: boolean;
  };
  /** The document client of this engine, one for all callers; closed with the engine. */
  client(): DynamoDBDocumentClient;
  /** Table, index and TTL as infra deploys them; resolves when the table takes writes. */
  createLedgerTable(name: string): Promise<void>;
  close(): Promise<void>;
}

/** An embedded engine checks no signature, but the SDK insists on signing. */
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
const REGION = 'eu-central-1';

export function localEnvironment(endpoint: string): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  };
}

/**
 * A JVM that has just started takes seconds for its first table, and a repeat after a time-out
 * would meet the table that the first request made.
 */
const LOCAL_TIMING: LedgerTiming = {
  connectTimeoutMs: 10_000,
  attemptTimeoutMs: 30_000,
  maxAttempts: 1,
  callBudgetMs: 30_000,
};

/** A client for an embedded engine, or for a proxy in front of one. */
export function localDynamoClient(
  endpoint: string,
  settings: Parameters<typeof createDynamoClient>[0] = { concurrency: 64, timing: LOCAL_TIMING },
): DynamoDBDocumentClient {
  return createDynamoClient(settings, { endpoint, region: REGION, credentials: CREDENTIALS });
}
