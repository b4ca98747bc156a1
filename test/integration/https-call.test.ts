import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { selfSignedCertificate } from '#test/support/self-signed-certificate.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function tlsServer() {
  const pair = selfSignedCertificate();
  const seen: string[] = [];
  let connections = 0;
  const server = createServer(pair, (request, answer) => {
    request.on('data', (chunk: Buffer) => seen.push(chunk.toString('utf8')));
    request.on('end', () => answer.end('{"id":"r"}'));
  });
  server.on('secureConnection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = createHttpClient({ maxSockets: 2 });
  cleanUps.push(
    () => http.close(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;
  const post = (host = '127.0.0.1') =>
    http.call({
      method: 'POST',
      url: `https://${host}:${port}/`,
      headers: {},
      body: 'planted-body',
      timeoutMs: 5_000,
    });
  return { post, seen, trusted: pair.cert, connections: () => connections };
}

test('a trusted server is called, and its connection used again', async () => {
  const { post, seen, trusted, connections } = await tlsServer();
  const before = getCACertificates();
  setDefaultCACertificates([...before, trusted]);
  cleanUps.push(() => setDefaultCACertificates(before));
  expect(await post()).toMatchObject({ kind: 'answer', status: 200, text: '{"id":"r"}' });
  expect(await post()).toMatchObject({ kind: 'answer', status: 200 });
  const many = await Promise.all(Array.from({ length: 8 }, () => post()));
  expect(many.every((outcome) => outcome.kind === 'answer')).toBe(true);
  expect(seen).toHaveLength(10);
  expect(connections()).toBe(2);
});

test('a server that nobody vouches for gets no byte of the request', async () => {
  const { post, seen } = await tlsServer();
  expect(await post()).toEqual({ kind: 'not-sent', cause: 'TLS' });
  expect(seen).toEqual([]);
});

test('a trusted certificate for another name gets no byte of the request', async () => {
  const { post, seen, trusted } = await tlsServer();
  const before = getCACertificates();
  setDefaultCACertificates([...before, trusted]);
  cleanUps.push(() => setDefaultCACertificates(before));
  expect(await post('localhost')).toEqual({ kind: 'not-sent', cause: 'TLS' });
  expect(seen).toEqual([]);
});

test('a server that does not speak TLS gets no byte of the request', async () => {
  const received: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on('data', (chunk) => received.push(chunk.toString('latin1')));
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = createHttpClient({ maxSockets: 1 });
  cleanUps.push(
    () => http.close(),
    () => server.close(),
  );
  const outcome = await http.call({
    method: 'POST',
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    headers: {},
    body: 'planted-body',
    timeoutMs: 5_000,
  });
  expect(outcome).toEqual({ kind: 'not-sent', cause: 'TLS' });
  expect(received.join('')).not.toContain('planted-body');
});
