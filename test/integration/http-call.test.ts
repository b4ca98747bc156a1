import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpClient, type HttpClient, type HttpRequest } from '#adapters/http/http-call.ts';
import {
  hang,
  reply,
  resetAfterReading,
  type Script,
  startScriptedServer,
} from '#test/support/scripted-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

function client(options: Partial<Parameters<typeof createHttpClient>[0]> = {}): HttpClient {
  const http = createHttpClient({ maxSockets: 5, ...options });
  cleanUps.push(() => http.close());
  return http;
}

async function server(...scripts: readonly [Script, ...Script[]]) {
  const started = await startScriptedServer(...scripts);
  cleanUps.push(() => started.close());
  return started;
}

async function rawServer(onConnection: Parameters<typeof createServer>[1]): Promise<number> {
  const raw: Server = createServer(onConnection);
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  cleanUps.push(() => raw.close());
  return (raw.address() as AddressInfo).port;
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const raw = createServer();
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const { port } = raw.address() as AddressInfo;
  raw.close();
  await once(raw, 'close');
  return port;
}

function post(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'POST', url, headers: {}, body: '{"a":"ä"}', timeoutMs: 5_000, ...more };
}

describe('an answer', () => {
  test('carries status, lower-case headers and the whole text', async () => {
    const { url, seen } = await server(reply(418, { ok: 'ü'.repeat(50_000) }, { 'X-One': '1' }));
    const outcome = await client().call(post(`${url}/p?q=1`, { headers: { 'x-two': '2' } }));
    expect(outcome).toMatchObject({ kind: 'answer', status: 418, headers: { 'x-one': '1' } });
    expect(outcome.kind === 'answer' && JSON.parse(outcome.text).ok).toHaveLength(50_000);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      path: '/p?q=1',
      text: '{"a":"ä"}',
      headers: { 'x-two': '2', 'content-length': '10' },
    });
  });

  test('without a length that ends with the connection is complete', async () => {
    const port = await rawServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n{"id":"r"}'));
    });
    const outcome = await client().call(post(`http://127.0.0.1:${port}/`));
    expect(outcome).toMatchObject({ kind: 'answer', status: 200, text: '{"id":"r"}' });
  });

  test('a redirect is an answer and is not followed', async () => {
    const { url, seen } = await server(reply(307, '', { location: '/elsewhere' }));
    expect(await client().call(post(url))).toMatchObject({ kind: 'answer', status: 307 });
    expect(seen).toHaveLength(1);
  });

  test('that takes longer than a connection may is waited for', async () => {
    const { url } = await server((answer) => setTimeout(() => answer.end('{}'), 200));
    const outcome = await client({ connectTimeoutMs: 50 }).call(post(url));
    expect(outcome).toMatchObject({ kind: 'answer', status: 200 });
  });

  test('connections are kept and used again', async () => {
    const { url, connections } = await server(reply(200, {}));
    const http = client();
    for (let call = 0; call < 5; call += 1) await http.call(post(url));
    expect(connections()).toBe(1);
  });

  test('maxSockets bounds the connections, the rest wait for their turn', async () => {
    const { url, connections, seen } = await server(reply(200, {}));
    const http = client({ maxSockets: 2 });
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => http.call(post(url))));
    expect(outcomes.every((outcome) => outcome.kind === 'answer')).toBe(true);
    expect(seen).toHaveLength(12);
    expect(connections()).toBe(2);
  });
});

describe('not sent: causes that prove it (a failed TLS handshake: https-call.test.ts)', () => {
  test('the name does not resolve', async () => {
    const outcome = await client().call(post('http://no-such-host.invalid/'));
    expect(outcome).toEqual({ kind: 'not-sent', cause: 'NAME_RESOLUTION' });
  });

  test('the connection is refused', async () => {
    const outcome = await client().call(post(`http://127.0.0.1:${await closedPort()}/`));
    expect(outcome).toEqual({ kind: 'not-sent', cause: 'CONNECTION_REFUSED' });
  });

  test('every address of a name is refused (an aggregate of errors)', async () => {
    const outcome = await client().call(post(`http://localhost:${await closedPort()}/`));
    expect(outcome).toEqual({ kind: 'not-sent', cause: 'CONNECTION_REFUSED' });
  });

  test('the connection is not ready in time: a handshake that never ends', async () => {
    let bytes = '';
    const port = await rawServer((socket) => {
      cleanUps.push(() => socket.destroy());
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.toString('latin1');
      });
    });
    const outcome = await client({ connectTimeoutMs: 100 }).call(
      post(`https://127.0.0.1:${port}/`, { headers: { 'x-planted': 'planted-value' } }),
    );
    expect(outcome).toEqual({ kind: 'not-sent', cause: 'CONNECT_TIMEOUT' });
    expect(bytes).not.toContain('planted-value');
  });

  test('no connection becomes free within the call: nothing of it reaches the server', async () => {
    const { url, seen } = await server(hang);
    const http = client({ maxSockets: 1 });
    const first = http.call(post(`${url}/first`, { timeoutMs: 400 }));
    const second = await http.call(post(`${url}/second`, { timeoutMs: 100 }));
    expect(second).toEqual({ kind: 'not-sent', cause: 'CONNECT_TIMEOUT' });
    expect(await first).toEqual({ kind: 'unknown', cause: 'TIMEOUT' });
    expect(seen.map((request) => request.path)).toEqual(['/first']);
  });
});

describe('unknown: the request may have been received', () => {
  test('no answer in time, and nothing is left running', async () => {
    let closed: Promise<unknown> | undefined;
    const { url, seen } = await server((_answer, _seen, socket) => {
      closed = once(socket, 'close');
    });
    expect(await client().call(post(url, { timeoutMs: 100 }))).toEqual({
      kind: 'unknown',
      cause: 'TIMEOUT',
    });
    expect(seen).toHaveLength(1);
    await closed;
  });

  test('reset after the request was read', async () => {
    const { url } = await server(resetAfterReading);
    expect(await client().call(post(url))).toEqual({ kind: 'unknown', cause: 'RESET' });
  });

  test('closed without an answer', async () => {
    const { url } = await server((_answer, _seen, socket) => socket.end());
    expect(await client().call(post(url))).toEqual({ kind: 'unknown', cause: 'CLOSED' });
  });

  test('an answer that is cut off, by a close and by a reset', async () => {
    const half = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":';
    const { url } = await server(
      (_answer, _seen, socket) => socket.end(half),
      (_answer, _seen, socket) => socket.write(half, () => socket.resetAndDestroy()),
    );
    const http = client();
    expect(await http.call(post(url))).toEqual({ kind: 'unknown', cause: 'CUT_BODY' });
    const second = await http.call(post(url));
    // A reset may overtake the bytes before it: then it is a reset, and unknown all the same.
    expect(second.kind).toBe('unknown');
  });

  test('a slow body counts into the whole call', async () => {
    const { url } = await server((answer) => answer.write('{"id":'));
    expect(await client().call(post(url, { timeoutMs: 100 }))).toEqual({
      kind: 'unknown',
      cause: 'TIMEOUT',
    });
  });

  test('an answer over the cap', async () => {
    const { url } = await server(reply(200, 'x'.repeat(10_001)), reply(200, 'x'.repeat(10_000)));
    const http = client({ maxAnswerBytes: 10_000 });
    expect(await http.call(post(url))).toEqual({ kind: 'unknown', cause: 'ANSWER_TOO_LARGE' });
    expect(await http.call(post(url))).toMatchObject({ kind: 'answer', status: 200 });
  });

  test('an answer that is no HTTP', async () => {
    const port = await rawServer((socket) => {
      socket.once('data', () => socket.end('220 mail.example ESMTP\r\n'));
    });
    expect(await client().call(post(`http://127.0.0.1:${port}/`))).toEqual({
      kind: 'unknown',
      cause: 'BAD_ANSWER',
    });
  });

  test('aborted by the caller, before and during the call', async () => {
    const controller = new AbortController();
    const { url, seen } = await server(() => controller.abort());
    const request = post(url, { signal: controller.signal });
    expect(await client().call(request)).toEqual({ kind: 'unknown', cause: 'ABORTED' });
    expect(await client().call(request)).toEqual({ kind: 'unknown', cause: 'ABORTED' });
    expect(seen).toHaveLength(1);
  });

  test('a kept connection that is reset under a second request is never called not sent', async () => {
    const { url, connections } = await server(reply(200, {}), resetAfterReading);
    const http = client();
    await http.call(post(url));
    expect(await http.call(post(url))).toEqual({ kind: 'unknown', cause: 'RESET' });
    expect(connections()).toBe(1);
  });
});

describe('kept connections', () => {
  test('one that was idle for too long is not used again, even if no timer ran meanwhile', async () => {
    const { url, connections } = await server(reply(200, {}));
    let now = 1_000;
    const http = client({ monotonicMs: () => now });
    await http.call(post(url));
    now += 3_999;
    await http.call(post(url));
    expect(connections()).toBe(1);
    now += 4_001;
    expect(await http.call(post(url))).toMatchObject({ kind: 'answer' });
    expect(connections()).toBe(2);
  });

  test('an unused one is closed from our side, before common servers do it', async () => {
    let closed: Promise<unknown> | undefined;
    const { url } = await server((answer, _seen, socket) => {
      closed = once(socket, 'close');
      answer.end('{}');
    });
    await client({ freeSocketTimeoutMs: 30 }).call(post(url));
    await closed;
  });

  test('the idle bound does not end a call that is slow to answer', async () => {
    const { url } = await server((answer) => setTimeout(() => answer.end('{}'), 200));
    const outcome = await client({ freeSocketTimeoutMs: 40 }).call(post(url));
    expect(outcome).toMatchObject({ kind: 'answer', status: 200 });
  });
});

describe('field report 43: a header that cannot be built is a local error without a call', () => {
  test.each([
    ['a letter beyond Latin', { 'idempotency-key': '苗条' }],
    ['a letter of Latin-1', { 'idempotency-key': 'café' }],
    ['a line break', { 'idempotency-key': 'a\r\nx-injected: 1' }],
    ['a bad name', { 'bad name': '1' }],
  ])('%s', async (_what, headers) => {
    const { url, seen, connections } = await server(reply(200, {}));
    expect(await client().call(post(url, { headers }))).toEqual({
      kind: 'invalid-request',
      code: 'INVALID_HEADER',
    });
    expect(seen).toHaveLength(0);
    expect(connections()).toBe(0);
  });

  test.each(['', 'not a url', 'ftp://host/', 'file:///etc/hosts'])('address %j', async (url) => {
    expect(await client().call(post(url))).toEqual({
      kind: 'invalid-request',
      code: 'INVALID_URL',
    });
  });
});

describe('field report 74, 75: no outcome carries a secret, whatever happens', () => {
  test.each<[string, Script]>([
    ['reset', resetAfterReading],
    ['time-out', hang],
    ['close', (_answer, _seen, socket) => socket.end()],
    ['bad answer', (_answer, seen, socket) => socket.end(`sk_live_x ${JSON.stringify(seen)}`)],
  ])('%s', async (_what, script) => {
    const { url } = await server(script);
    const outcome = await client().call(
      post(`${url}/?api_key=sk_live_x`, {
        headers: { authorization: 'Bearer sk_live_x' },
        body: 'sk_live_x',
        timeoutMs: 200,
      }),
    );
    expect(JSON.stringify(outcome)).not.toContain('sk_live_x');
    expect(Object.keys(outcome).sort()).toEqual(['cause', 'kind']);
  });
});
