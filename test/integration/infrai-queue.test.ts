import { afterEach, describe, expect, test } from 'vitest';
import { CONSUMER_METRICS } from '#config/metrics.ts';
import {
  API_KEY,
  COPY,
  infraiStand,
  MESSAGE,
  ok,
  PULL,
  refusal,
  type StandSetup,
} from '#test/support/infrai-stand.ts';
import { reply, type Script } from '#test/support/scripted-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function against(scripts: readonly [Script, ...Script[]], setup?: StandSetup) {
  const stand = await infraiStand(scripts, setup);
  cleanUps.push(stand.close);
  return stand;
}

describe('requests', () => {
  test('consume asks for at most ten, with the key as Bearer', async () => {
    const { queue, server, bodyOf } = await against([ok({ items: [] })]);
    await queue.consume({ maxMessages: 50, visibilityTimeoutSeconds: 60 });
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      path: '/v1/queue/consume',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    });
    expect(bodyOf(0)).toEqual({ queue: 'reminders/eu', max_messages: 10, visibility_timeout: 60 });
  });

  test('publish carries our own key, the delay and the payload', async () => {
    const { queue, server, bodyOf } = await against([ok({ message_id: 'qmsg_2' })]);
    expect(await queue.publish(COPY)).toEqual({ kind: 'published', messageId: 'qmsg_2' });
    expect(server.seen[0]?.headers['idempotency-key']).toBe('k1_00ff-1-0');
    expect(bodyOf(0)).toEqual({
      queue: 'reminders/eu',
      payload: { user_id: 'planted-user' },
      delay_seconds: 60,
      idempotency_key: 'k1_00ff-1-0',
    });
  });

  test('the payload field and the ack field can be switched', async () => {
    const { queue, bodyOf } = await against([ok({ message_id: 'm' }), ok({})], {
      payloadField: 'body',
      ackField: 'receipt_handle',
    });
    await queue.publish({ ...COPY, delaySeconds: 0 });
    await queue.ack({ ...MESSAGE, ackHandle: 'rh-1' });
    expect(bodyOf(0)).toEqual({
      queue: 'reminders/eu',
      body: { user_id: 'planted-user' },
      idempotency_key: 'k1_00ff-1-0',
    });
    expect(bodyOf(1)).toEqual({ queue: 'reminders/eu', receipt_handle: 'rh-1' });
  });

  test('ack names the message id by default', async () => {
    const { queue, bodyOf } = await against([ok({})]);
    expect(await queue.ack(MESSAGE)).toEqual({ kind: 'acked' });
    expect(bodyOf(0)).toEqual({ queue: 'reminders/eu', message_id: 'qmsg_1' });
  });

  test('stats are passed on unchecked, the queue name encoded in the path', async () => {
    const { queue, server } = await against([ok({ available_count: '7', dlq_count: null })]);
    expect(await queue.stats()).toEqual({
      kind: 'stats',
      figures: { available_count: '7', dlq_count: null },
    });
    expect(server.seen[0]?.path).toBe('/v1/queue/stats/reminders%2Feu');
  });
});

describe('consume answers', () => {
  const full = { message_id: 'm1', payload: { a: 1 }, delivery_count: 2 };
  const read = { messageId: 'm1', payload: { a: 1 }, deliveryCount: 2, ackHandle: 'm1' };

  test.each<[string, unknown]>([
    ['{items}', { items: [full] }],
    ['{messages}', { messages: [full] }],
    ['a bare array', [full]],
    ['id for message_id', [{ ...full, message_id: undefined, id: 'm1' }]],
    ['body for payload', [{ ...full, payload: undefined, body: { a: 1 } }]],
    ['a payload as a JSON string', [{ ...full, payload: '{"a":1}' }]],
    ['a body as a JSON string', [{ ...full, payload: null, body: '{"a":1}' }]],
  ])('%s', async (_variant, data) => {
    const { queue } = await against([ok(data)]);
    expect(await queue.consume(PULL)).toEqual({ kind: 'messages', messages: [read] });
  });

  test.each<[string, unknown]>([
    ['{items: []}', { items: [] }],
    ['{messages: null}', { messages: null }],
    ['null', null],
    ['[]', []],
  ])('an empty pull: %s', async (_variant, data) => {
    const { queue } = await against([ok(data)]);
    expect(await queue.consume(PULL)).toEqual({ kind: 'messages', messages: [] });
  });

  test.each<[string, unknown]>([
    ['a string', 'nothing'],
    ['an object without a list', { count: 0 }],
    ['a list that is an object', { items: { m1: {} } }],
    ['a missing data member', undefined],
  ])('%s is unreadable and never looks like an empty queue', async (_variant, data) => {
    const { queue } = await against([ok(data)]);
    expect(await queue.consume(PULL)).toEqual({ kind: 'failed', code: 'UNREADABLE_ANSWER' });
  });

  test('the receipt handle is the ack handle when so configured, else the id', async () => {
    const { queue } = await against(
      [ok([{ ...full, receipt_handle: 'rh' }, { ...full, receipt: 'r' }, full])],
      { ackField: 'receipt_handle' },
    );
    const answer = await queue.consume(PULL);
    expect(answer.kind === 'messages' && answer.messages.map((m) => m.ackHandle)).toEqual([
      'rh',
      'r',
      'm1',
    ]);
  });

  test('a string is decoded once only', async () => {
    const { queue } = await against([ok([{ ...full, payload: '"{\\"a\\":1}"' }])]);
    const answer = await queue.consume(PULL);
    expect(answer.kind === 'messages' && answer.messages[0]?.payload).toBe('{"a":1}');
  });

  test('field report 57: one odd message never costs the others', async () => {
    const odd = [
      { message_id: 'not-json', payload: '{"a":' },
      { message_id: 'null', payload: null },
      { message_id: 'array', payload: [1] },
      { message_id: 'number', payload: 7 },
      { message_id: 12, payload: {} },
      null,
      'text',
      { payload: { lost: true } },
      { message_id: '  ', payload: {} },
    ];
    const { queue, counted } = await against([ok({ items: [...odd, full] })]);
    const answer = await queue.consume(PULL);
    expect(answer.kind === 'messages' && answer.messages).toEqual([
      { messageId: 'not-json', payload: undefined, deliveryCount: null, ackHandle: 'not-json' },
      { messageId: 'null', payload: undefined, deliveryCount: null, ackHandle: 'null' },
      { messageId: 'array', payload: [1], deliveryCount: null, ackHandle: 'array' },
      { messageId: 'number', payload: 7, deliveryCount: null, ackHandle: 'number' },
      { messageId: '12', payload: {}, deliveryCount: null, ackHandle: '12' },
      read,
    ]);
    expect(counted).toEqual({ [CONSUMER_METRICS.unreadableMessages]: 4 });
  });
});

describe('dead letters', () => {
  test('are consumed from <queue>.dlq and redriven by id through the main queue', async () => {
    const { deadLetters, server, bodyOf } = await against([ok({ items: [] }), ok({ redriven: 1 })]);
    expect(deadLetters.name).toBe('reminders/eu.dlq');
    await deadLetters.consume(PULL);
    expect(bodyOf(0)).toMatchObject({ queue: 'reminders/eu.dlq' });
    expect(await deadLetters.redrive('qmsg_9')).toEqual({ kind: 'redriven' });
    expect(server.seen[1]?.path).toBe('/v1/queue/dlq/redrive/reminders%2Feu');
    expect(bodyOf(1)).toEqual({ message_id: 'qmsg_9' });
  });

  test('two redrives of one message have two keys, the repeats of one redrive one', async () => {
    const { deadLetters, server } = await against([reply(500, 'x'), ok({ redriven: 1 })]);
    await deadLetters.redrive('qmsg_9');
    await deadLetters.redrive('qmsg_9');
    expect(server.seen.map((request) => request.headers['idempotency-key'])).toEqual([
      'token-1',
      'token-1',
      'token-2',
    ]);
  });

  test('a message that is no dead letter any more is gone', async () => {
    const { deadLetters } = await against([
      refusal(404, { code: 'QUEUE_MESSAGE_NOT_FOUND' }),
      ok({ redriven: 0 }),
      ok({ redriven_count: 0 }),
      refusal(404, { code: 'QUEUE_NOT_FOUND' }),
    ]);
    const gone = { kind: 'gone', code: 'QUEUE_MESSAGE_NOT_FOUND' };
    expect(await deadLetters.redrive('m')).toEqual(gone);
    expect(await deadLetters.redrive('m')).toEqual({ kind: 'gone', code: 'NOTHING_REDRIVEN' });
    expect(await deadLetters.redrive('m')).toEqual({ kind: 'gone', code: 'NOTHING_REDRIVEN' });
    expect(await deadLetters.redrive('m')).toEqual({ kind: 'failed', code: 'QUEUE_NOT_FOUND' });
  });
});
