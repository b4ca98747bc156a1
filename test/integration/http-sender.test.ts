import { afterEach, describe, expect, test } from 'vitest';
import { RECEIPTLESS } from '#adapters/providers/receipt.ts';
import type { Reminder } from '#core/reminder.ts';
import { hang, reply, resetAfterReading, type Script } from '#test/support/scripted-server.ts';
import { REMINDER, REQUEST, receipt, SECRET, senderStand } from '#test/support/sender-stand.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function against(...wiring: Parameters<typeof senderStand>) {
  const stand = await senderStand(...wiring);
  cleanUps.push(stand.close);
  return stand;
}

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
