import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One request as it arrived. */
export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** Plays the answer to one request: `reply`, or anything that can be done to a socket. */
export type Script = (answer: ServerResponse, seen: SeenRequest, socket: Socket) => void;

export type ScriptedServer = {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** How many connections were ever made. */
  connections(): number;
  close(): Promise<void>;
};

/** A JSON answer. */
export function reply(status: number, body: unknown, headers: Record<string, string> = {}): Script {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (answer) => {
    answer.writeHead(status, { 'content-type': 'application/json', ...headers });
    answer.end(text);
  };
}

/** The connection is reset once the request has been read: the server may have acted on it. */
export const resetAfterReading: Script = (_answer, _seen, socket) => socket.resetAndDestroy();

/** The request is read and never answered. */
export const hang: Script = () => undefined;

/**
 * A real HTTP server that answers the n-th request by the n-th script, the last one for ever.
 */
export async function startScriptedServer(
  ...scripts: readonly [Script, ...Script[]]
): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  const server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const entry: SeenRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        text: Buffer.concat(chunks).toString('utf8'),
      };
      seen.push(entry);
      const script = scripts[Math.min(seen.length, scripts.length) - 1];
      script?.(answer, entry, request.socket);
    });
  });
  // Never the first to close an unused connection: that is for the client under test to do.
  server.keepAliveTimeout = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
