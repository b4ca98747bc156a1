import { afterEach, describe, expect, test } from 'vitest';
import { ConfigError, RemindOnceError } from '#core/errors.ts';
import type { Secrets } from '#ports';
import { reply, resetAfterReading, type Script } from '#test/support/scripted-server.ts';
import { REQUEST, receipt, SECRET, senderStand } from '#test/support/sender-stand.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function against(...wiring: Parameters<typeof senderStand>) {
  const stand = await senderStand(...wiring);
  cleanUps.push(stand.close);
  return stand;
}

describe('asking about an earlier send', () => {
  const queryable = { class: 'queryable', queryUrl: '/by-key/{key}' } as const;

  test.each<[string, Script, unknown]>([
    ['a receipt', receipt(), { kind: 'found', receipt: 'rcpt_1' }],
    ['404', reply(404, {}), { kind: 'absent' }],
    ['401', reply(401, {}), { kind: 'channel-stopped', code: 'HTTP_401' }],
    ['429', reply(429, {}), { kind: 'cannot-tell', cause: 'HTTP_429' }],
    ['503', reply(503, {}), { kind: 'cannot-tell', cause: 'HTTP_503' }],
    ['202: not known yet', reply(202, {}), { kind: 'cannot-tell', cause: 'HTTP_202' }],
    ['200 without a receipt', reply(200, {}), { kind: 'cannot-tell', cause: 'NO_RECEIPT' }],
    ['a reset', resetAfterReading, { kind: 'cannot-tell', cause: 'RESET' }],
  ])('%s', async (_what, script, result) => {
    const { sender, server } = await against([script], { ...queryable, secretRef: 'push' });
    expect(await sender.query?.(REQUEST)).toEqual(result);
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      path: `/by-key/${REQUEST.sendKey}`,
      headers: { authorization: `Bearer ${SECRET}` },
    });
  });

  test('a list: its first entry, or proof of absence when it is empty', async () => {
    const { sender } = await against(
      [reply(200, { items: [{ id: 'r' }] }), reply(200, { items: [] }), reply(200, { other: [] })],
      { class: 'queryable', queryUrl: '/search?ref={key}', queryReceiptPath: 'items.0.id' },
    );
    expect(await sender.query?.(REQUEST)).toEqual({ kind: 'found', receipt: 'r' });
    expect(await sender.query?.(REQUEST)).toEqual({ kind: 'absent' });
    expect(await sender.query?.(REQUEST)).toEqual({ kind: 'cannot-tell', cause: 'NO_RECEIPT' });
  });

  test('only a queryable channel can be asked', async () => {
    const { sender } = await against([receipt()], { class: 'blind', queryUrl: '/{key}' });
    expect(sender.query).toBeUndefined();
  });
});

describe('the profile', () => {
  test('is what decisions need to know, with a window for the deduping class only', async () => {
    const { sender } = await against([receipt()]);
    expect(sender.profile).toEqual({
      provider: 'http',
      providerClass: 'dedupes',
      windowSeconds: 86_400,
      commitSeconds: 5,
      sendTimeoutMs: 2_000,
      blindPolicy: 'park',
    });
    expect(
      (await against([receipt()], { class: 'blind' })).sender.profile.windowSeconds,
    ).toBeNull();
  });

  test('a channel that cannot work is refused with all its faults, before any reminder', async () => {
    const broken = { url: 'nowhere', class: 'queryable', idempotencyHeader: 'bad name' } as const;
    const error = await against([receipt()], broken).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).faults.map((fault) => fault.setting)).toEqual([
      'url',
      'idempotencyHeader',
      'queryUrl',
    ]);
  });
});

describe('secrets', () => {
  const throwing = (error: Error): Secrets => ({ get: () => Promise.reject(error) });

  test('a missing one stops the channel without a call', async () => {
    const missing = new RemindOnceError('SECRET_MISSING', `no ${SECRET}`);
    const { sender, server } = await against([receipt()], { secretRef: 'p' }, throwing(missing));
    expect(await sender.send(REQUEST)).toEqual({ kind: 'channel-stopped', code: 'SECRET_MISSING' });
    expect(server.seen).toHaveLength(0);
  });

  test('one that no header can carry stops the channel without a call', async () => {
    const { sender, server } = await against(
      [receipt()],
      { secretRef: 'p' },
      { get: async () => 'a\nb' },
    );
    expect(await sender.send(REQUEST)).toEqual({
      kind: 'channel-stopped',
      code: 'SECRET_UNUSABLE',
    });
    expect(server.seen).toHaveLength(0);
  });

  test('a store that does not answer defers: nothing was sent', async () => {
    const { sender, server } = await against(
      [receipt()],
      { secretRef: 'p', class: 'queryable', queryUrl: '/{key}' },
      throwing(new Error(`throttled ${SECRET}`)),
    );
    expect(await sender.send(REQUEST)).toEqual({ kind: 'deferred', code: 'SECRET_UNAVAILABLE' });
    expect(await sender.query?.(REQUEST)).toEqual({
      kind: 'cannot-tell',
      cause: 'SECRET_UNAVAILABLE',
    });
    expect(server.seen).toHaveLength(0);
  });

  const echo =
    (status: number): Script =>
    (answer, seen) => {
      answer.writeHead(status, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ error: JSON.stringify(seen), code: seen.headers.authorization }));
    };
  test.each<[string, Script]>([
    ['400', echo(400)],
    ['429', echo(429)],
    ['200 without a receipt', echo(200)],
    ['a reset', resetAfterReading],
    ['no HTTP', (_answer, seen, socket) => socket.end(JSON.stringify(seen))],
  ])(
    'field report 74, 75: neither secret nor payload is in a result after %s',
    async (_w, script) => {
      const { sender } = await against([script], { secretRef: 'push' });
      const text = JSON.stringify(await sender.send(REQUEST));
      expect(text).not.toMatch(/planted|Bearer/);
    },
  );
});
