import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  createDynamoClient,
  type DynamoClient,
  type DynamoClientSettings,
} from '#adapters/dynamodb/dynamo-client.ts';

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
  /** The SDK's document client of this engine: a view past the product's own; closed with it. */
  client(): DynamoDBDocumentClient;
  /** The product's client of this engine, one for all callers; closed with the engine. */
  ledgerClient(): DynamoClient;
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

/** The product's client for an embedded engine, or for a proxy in front of one. */
export function localDynamoClient(
  endpoint: string,
  settings: DynamoClientSettings = { concurrency: 64 },
): DynamoClient {
  return createDynamoClient(settings, { endpoint, region: REGION, credentials: CREDENTIALS });
}

/**
 * A JVM that has just started takes seconds for its first table, and a repeat after a time-out
 * would meet the table that the first request made.
 */
const PATIENCE = { connectionTimeout: 10_000, requestTimeout: 30_000 } as const;

/** Both views of one engine, and their end. */
export function openClients(endpoint: string): {
  readonly direct: DynamoDBDocumentClient;
  readonly ledger: DynamoClient;
  close(): void;
} {
  const sdk = new DynamoDBClient({
    endpoint,
    region: REGION,
    credentials: CREDENTIALS,
    maxAttempts: 1,
    requestHandler: { ...PATIENCE, throwOnRequestTimeout: true },
  });
  const ledger = localDynamoClient(endpoint);
  return {
    direct: DynamoDBDocumentClient.from(sdk),
    ledger,
    close() {
      // The document client's own `destroy` leaves the sockets open.
      sdk.destroy();
      ledger.close();
    },
  };
}
