import { afterEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { createHttpSender, type HttpChannel } from '#adapters/providers/http-sender.ts';
import { RECEIPTLESS } from '#adapters/providers/receipt.ts';
import type { SendKey } from '#core/brand.ts';
import { ConfigError, RemindOnceError } from '#core/errors.ts';
import { instantOf } from '#core/instant.ts';
import type { Reminder } from '#core/reminder.ts';
import type { Secrets, SendRequest } from '#ports';
import { HandClock } from '#test/support/hand-clock.ts';
import {
  hang,
  reply,
  resetAfterReading,
  type Script,
  startScriptedServer,
} from '#test/support/scripted-server.ts';

const SECRET = 'sk_live_planted';
const REMINDER: Reminder = {
  userId: 'planted-user',
  reminderId: 'trial-ends',
  scheduledAt: instantOf(Date.UTC(2026, 6, 26, 9)),
  channel: 'push',
  data: { b: 2, a: { d: 1, c: 'planted-data' } },
  attempt: 0,
  hop: 0,
};
const REQUEST: SendRequest = {
  reminder: REMINDER,
  sendKey: `k1_${'0f'.repeat(32)}` as SendKey,
  sendUuid: '0f0f0f0f-0f0f-8f0f-8f0f-0f0f0f0f0f0f',
};

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function against(
  scripts: readonly [Script, ...Script[]],
  channel: Partial<HttpChannel> = {},
  secrets: Secrets = { get: async () => SECRET },
) {
  const server = await startScriptedServer(...scripts);
  const http = createHttpClient({ maxSockets: 5 });
  cleanUps.push(
    () => http.close(),
    () => server.close(),
  );
  const sender = createHttpSender(
    {
      provider: 'http',
      url: `${server.url}/send`,
      class: 'dedupes',
      windowSeconds: 86_400,
      sendTimeoutMs: 2_000,
      commitSeconds: 5,
      blindPolicy: 'park',
      ...channel,
      ...(channel.queryUrl && { queryUrl: `${server.url}${channel.queryUrl}` }),
    },
    { http, secrets, clock: new HandClock() },
  );
  return { sender, server };
}

const receipt = (id: unknown = 'rcpt_1') => reply(200, { id });

describe('the request', () => {
  test('is one JSON POST with the send key in the header and the secret as Bearer', async () => {
    const { sender, server } = await against([receipt()], { secretRef: 'push' });
    expect(await sender.send(REQUEST)).toEqual({ kind: 'accepted', receipt: 'rcpt_1' });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      path: '/send',
      headers: {
        'idempotency-key': REQUEST.sendKey,
        authorization: `Bearer ${SECRET}`,
        'content-type': 'application/json',
      },
    });
    expect(JSON.parse(server.seen[0]?.text ?? '')).toEqual({
      user_id: 'planted-user',
      reminder_id: 'trial-ends',
      scheduled_at: '2026-07-26T09:00:00Z',
      channel: 'push',
      data: { a: { c: 'planted-data', d: 1 }, b: 2 },
    });
  });

  test('a UUID key under another header name', async () => {
    const { sender, server } = await against([receipt()], {
      keyForm: 'uuid',
      idempotencyHeader: 'X-Request-Id',
    });
    await sender.send(REQUEST);
    expect(server.seen[0]?.headers['x-request-id']).toBe(REQUEST.sendUuid);
    expect(server.seen[0]?.headers['idempotency-key']).toBeUndefined();
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('field report 44: body and content are frozen, whatever the attempt, hop or field order', async () => {
    const { sender, server } = await against([receipt()]);
    const later: Reminder = {
      hop: 7,
      attempt: 4,
      data: { a: { c: 'planted-data', d: 1 }, b: 2 },
      channel: 'push',
      scheduledAt: REMINDER.scheduledAt,
      reminderId: 'trial-ends',
      userId: 'planted-user',
    };
    await sender.send(REQUEST);
    await sender.send({ ...REQUEST, reminder: later });
    expect(server.seen[1]?.text).toBe(server.seen[0]?.text);
    expect(sender.content(later)).toBe(sender.content(REMINDER));
    expect(sender.content(REMINDER)).toBe(server.seen[0]?.text);
    expect(sender.content({ ...REMINDER, data: { b: 3 } })).not.toBe(sender.content(REMINDER));
  });

  test('field report 44: both key forms fit the narrowest alphabet', async () => {
    for (const keyForm of ['hex', 'uuid'] as const) {
      const { sender, server } = await against([receipt()], { keyForm });
      await sender.send(REQUEST);
      expect(server.seen[0]?.headers['idempotency-key']).toMatch(/^[A-Za-z0-9._-]{1,100}$/);
    }
  });

  test('field report 43: ids of any letters never meet a header', async () => {
    const { sender, server } = await against([receipt()]);
    const reminder = { ...REMINDER, reminderId: '苗条\n', userId: 'é\u0001' };
    expect(await sender.send({ ...REQUEST, reminder })).toMatchObject({ kind: 'accepted' });
    expect(JSON.parse(server.seen[0]?.text ?? '')).toMatchObject({ reminder_id: '苗条\n' });
  });
});

describe('status → result', () => {
  test.each<[number, unknown]>([
    [201, { kind: 'accepted', receipt: 'rcpt_1' }],
    [302, { kind: 'unknown', cause: 'HTTP_302' }],
    [400, { kind: 'rejected', code: 'HTTP_400' }],
    [401, { kind: 'channel-stopped', code: 'HTTP_401' }],
    [402, { kind: 'channel-stopped', code: 'HTTP_402' }],
    [403, { kind: 'channel-stopped', code: 'HTTP_403' }],
    [404, { kind: 'rejected', code: 'HTTP_404' }],
    [408, { kind: 'unknown', cause: 'HTTP_408', overload: true }],
    [409, { kind: 'unknown', cause: 'HTTP_409' }],
    [422, { kind: 'rejected', code: 'HTTP_422' }],
    [425, { kind: 'deferred', code: 'HTTP_425' }],
    [429, { kind: 'deferred', code: 'HTTP_429', overload: true }],
    [500, { kind: 'unknown', cause: 'HTTP_500' }],
    [503, { kind: 'unknown', cause: 'HTTP_503' }],
    [504, { kind: 'unknown', cause: 'HTTP_504', overload: true }],
  ])('%i', async (status, result) => {
    const { sender, server } = await against([reply(status, { id: 'rcpt_1' })]);
    expect(await sender.send(REQUEST)).toEqual(result);
    expect(server.seen).toHaveLength(1);
  });

  test('a channel can declare what a status of its service means', async () => {
    const statuses = { '503': 'deferred', '409': 'accepted', '200': 'rejected' } as const;
    const { sender } = await against(
      [reply(503, {}, { 'retry-after': '9' }), reply(409, { id: 'first' }), receipt()],
      { statuses },
    );
    expect(await sender.send(REQUEST)).toEqual({
      kind: 'deferred',
      code: 'HTTP_503',
      retryAfterSeconds: 9,
    });
    expect(await sender.send(REQUEST)).toEqual({ kind: 'accepted', receipt: 'first' });
    expect(await sender.send(REQUEST)).toEqual({ kind: 'rejected', code: 'HTTP_200' });
  });

  test.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '120' }, 120],
    ['field report 67: 1.5 counts as absent', { 'retry-after': '1.5' }, undefined],
    ['field report 67: -3 counts as absent', { 'retry-after': '-3' }, undefined],
    ['field report 67: 120, 60 counts as absent', { 'retry-after': '120, 60' }, undefined],
    [
      'field report 68: a date is relative to the Date of a server whose clock is wrong',
      { 'retry-after': 'Sun, 26 Jul 2026 09:12:00 GMT', date: 'Sun, 26 Jul 2026 09:10:00 GMT' },
      120,
    ],
    ['field report 68: 700000 is passed on as it is', { 'retry-after': '700000' }, 700_000],
  ])('429 with %s', async (_what, headers, seconds) => {
    const { sender } = await against([reply(429, {}, headers)]);
    const result = await sender.send(REQUEST);
    expect(result.kind === 'deferred' && result.retryAfterSeconds).toBe(seconds);
  });
});

describe('trouble on the way', () => {
  test('no answer is unknown and a sign of load', async () => {
    const { sender } = await against([hang], { sendTimeoutMs: 100 });
    expect(await sender.send(REQUEST)).toEqual({
      kind: 'unknown',
      cause: 'TIMEOUT',
      overload: true,
    });
  });

  test('field report 11: a reset is unknown after exactly one request', async () => {
    const { sender, server } = await against([resetAfterReading]);
    expect(await sender.send(REQUEST)).toEqual({ kind: 'unknown', cause: 'RESET' });
    expect(server.seen).toHaveLength(1);
  });

  test('nobody listening defers: nothing was sent', async () => {
    const { sender, server } = await against([receipt()]);
    await server.close();
    cleanUps.pop();
    expect(await sender.send(REQUEST)).toEqual({
      kind: 'deferred',
      code: 'CONNECTION_REFUSED',
      overload: true,
    });
  });
});

describe('field report 7: a 2xx without a receipt is not sent', () => {
  test.each<[string, Script]>([
    ['an empty body', reply(200, '')],
    ['204', (answer) => answer.writeHead(204).end()],
    ['another member', reply(200, { message: 'ok' })],
    ['an empty receipt', receipt('')],
    ['null', receipt(null)],
    ['an object', receipt({})],
    ['a page', reply(200, '<html>rcpt_1</html>')],
  ])('%s', async (_what, script) => {
    const { sender } = await against([script]);
    expect(await sender.send(REQUEST)).toEqual({ kind: 'unknown', cause: 'NO_RECEIPT' });
  });

  test('unless the service is declared to give none', async () => {
    const { sender } = await against([reply(200, ''), receipt()], { givesReceipt: false });
    expect(await sender.send(REQUEST)).toEqual({ kind: 'accepted', receipt: RECEIPTLESS });
    expect(await sender.send(REQUEST)).toEqual({ kind: 'accepted', receipt: 'rcpt_1' });
  });

  test('a path leads to the receipt, a number counts, length and letters are bounded', async () => {
    const { sender } = await against(
      [
        reply(200, { data: { messages: [{ id: 42 }] } }),
        reply(200, { data: { messages: [{ id: `a b\n${'x'.repeat(5_000)}` }] } }),
      ],
      { receiptPath: 'data.messages.0.id' },
    );
    expect(await sender.send(REQUEST)).toEqual({ kind: 'accepted', receipt: '42' });
    expect(await sender.send(REQUEST)).toEqual({
      kind: 'accepted',
      receipt: `ab${'x'.repeat(198)}`,
    });
  });
});

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
