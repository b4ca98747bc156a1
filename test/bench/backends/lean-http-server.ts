import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export type LeanRequest = {
  readonly path: string;
  /** Request line and headers as they came, lower-case names not guaranteed. */
  readonly head: string;
  readonly body: string;
};
export type LeanAnswer = { readonly status: number; readonly body: string };

/** What crossed the wire, both directions, heads included. */
export type Traffic = { requests: number; bytesIn: number; bytesOut: number; connections: number };

export type LeanServer = {
  readonly port: number;
  readonly url: string;
  readonly traffic: Traffic;
  /** Added to every answer, milliseconds; 0 answers at once. */
  latencyMs: number;
  close(): Promise<void>;
};

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * As much HTTP/1.1 as the contestants speak: kept-alive connections, one request at a time on each,
 * bodies with a length. A full server would cost more CPU than the consumer under test and so
 * become what is measured.
 */
export async function startLeanServer(
  handle: (request: LeanRequest) => LeanAnswer,
): Promise<LeanServer> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    lean.traffic.connections += 1;
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    serve(socket, lean, handle);
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lean: LeanServer = {
    port,
    url: `http://127.0.0.1:${port}`,
    traffic: { requests: 0, bytesIn: 0, bytesOut: 0, connections: 0 },
    latencyMs: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return lean;
}

function serve(
  socket: Socket,
  server: LeanServer,
  handle: (request: LeanRequest) => LeanAnswer,
): void {
  let waiting: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    server.traffic.bytesIn += chunk.length;
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    for (;;) {
      const taken = takeRequest(waiting);
      if (taken === undefined) return;
      waiting = waiting.subarray(taken.end);
      server.traffic.requests += 1;
      const answer = handle(taken.request);
      if (server.latencyMs === 0) write(socket, server, answer);
      else setTimeout(() => write(socket, server, answer), server.latencyMs);
    }
  });
}

/** One whole request off the front, or undefined while it has not all arrived. */
function takeRequest(bytes: Buffer): { request: LeanRequest; end: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const start = headEnd + HEAD_END.length;
  const end = start + length;
  if (bytes.length < end) return undefined;
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'));
  return { request: { path, head, body: bytes.toString('utf8', start, end) }, end };
}

function write(socket: Socket, server: LeanServer, { status, body }: LeanAnswer): void {
  if (socket.destroyed) return;
  const reason = status === 200 ? 'OK' : 'Bad Request';
  const text = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  server.traffic.bytesOut += Buffer.byteLength(text);
  socket.write(text);
}
