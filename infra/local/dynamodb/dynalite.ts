import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import { closeDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { createLedgerTableOn } from './create-ledger-table.ts';
import { type EmbeddedDynamo, localDynamoClient, localEnvironment } from './embedded-dynamo.ts';

export type DynaliteOptions = {
  /** Folder that keeps the data over a restart; in memory when absent. */
  readonly path?: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
};

/**
 * Starts dynalite inside this process, on the loopback interface.
 * Gaps: no old item with a refused condition, no TTL, no transactions.
 */
export async function startDynalite({
  path,
  port = 0,
}: DynaliteOptions = {}): Promise<EmbeddedDynamo> {
  const times = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };
  const server = dynalite({ ...times, ...(path !== undefined && { path }) });
  server.on('request', survivesAbortedRequests);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = localDynamoClient(endpoint);
  let closing: Promise<void> | undefined;
  return {
    engine: 'dynalite',
    endpoint,
    environment: localEnvironment(endpoint),
    gaps: { noOldItem: true, noTimeToLive: true },
    client: () => client,
    createLedgerTable: (name) => createLedgerTableOn(client, name, false),
    close: () => {
      closing ??= closeServer(server);
      closeDynamoClient(client);
      return closing;
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
  });
  // Kept-alive connections would hold it open until their callers let go.
  server.closeAllConnections();
  await closed;
}

/** dynalite throws when a caller hangs up in mid-request, which would end our whole process. */
function survivesAbortedRequests(request: IncomingMessage): void {
  request.removeAllListeners('error');
  request.on('error', () => {});
}
