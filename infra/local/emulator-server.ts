import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wallSleep } from 'node:timers/promises';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type EmulatorServer = {
  readonly url: string;
  readonly port: number;
  /** Stops listening and destroys every socket, answered or not. */
  close(): Promise<void>;
};

/** @param port 0 for any free one */
export function listen(handler: Handler, port: number, host: string): Promise<EmulatorServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handler(request, response).catch((error: unknown) => {
      // A bug of the emulator must look like one, not like a fault that was asked for.
      const text = error instanceof Error ? (error.stack ?? error.message) : 'unknown error';
      process.stderr.write(`emulator bug: ${text}\n`);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end('emulator bug, see its standard error');
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const bound = server.address() as AddressInfo;
      resolve({
        port: bound.port,
        url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

export type BodyText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

/** Reads a request body up to `limitBytes`; beyond it the rest is thrown away unread. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<BodyText> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= limitBytes) chunks.push(chunk);
    }
  } catch {
    return { kind: 'aborted' };
  }
  if (bytes > limitBytes) return { kind: 'too-large' };
  return { kind: 'text', text: Buffer.concat(chunks).toString('utf8') };
}

export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const body = JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.destroyed) return;
  response.writeHead(answer.status, {
    'content-length': Buffer.byteLength(answer.body),
    ...answer.headers,
  });
  response.end(answer.body);
}

/** Ends the connection without an answer: the client sees a reset. */
export function dropConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

/** The answer's head and half of its body, then a reset. */
export function cutAnswer(response: ServerResponse, answer: Answer): void {
  const half = answer.body.slice(0, Math.floor(answer.body.length / 2));
  response.writeHead(answer.status, {
    'content-length': Buffer.byteLength(answer.body),
    ...answer.headers,
  });
  response.write(half, () => response.socket?.resetAndDestroy());
}

/** JSON or undefined; `undefined` is no JSON value, so that it cannot be mistaken for one. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Latency is of the wall, whatever the emulator's clock says; it never keeps a process alive. */
export async function wallDelay(ms: number): Promise<void> {
  if (ms > 0) await wallSleep(ms, undefined, { ref: false });
}
