import { afterEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '#adapters/http/http-call.ts';
import {
  createInfraiDeadLetters,
  createInfraiQueue,
  type InfraiQueueOptions,
} from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import { CONSUMER_METRICS } from '#config/metrics.ts';
import type { QueueMessage } from '#ports';
import { HandClock } from '#test/support/hand-clock.ts';
import {
  hang,
  reply,
  resetAfterReading,
  type Script,
  startScriptedServer,
} from '#test/support/scripted-server.ts';

const API_KEY = 'ifr_planted_key_for_tests';
const PULL = { maxMessages: 10, visibilityTimeoutSeconds: 60 };
const COPY = {
  payload: { user_id: 'planted-user' },
  delaySeconds: 60,
  idempotencyKey: 'k1_00ff-1-0',
};
const MESSAGE: QueueMessage = {
  messageId: 'qmsg_1',
  payload: {},
  deliveryCount: 1,
  ackHandle: 'qmsg_1',
};

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

type Setup = Partial<Pick<InfraiQueueOptions, 'ackField' | 'payloadField'>> & {
  readonly tryTimeoutMs?: number;
};

async function against(scripts: readonly [Script, ...Script[]], setup: Setup = {}) {
  const server = await startScriptedServer(...scripts);
  const http = createHttpClient({ maxSockets: 5 });
  cleanUps.push(
    () => http.close(),
    () => server.close(),
  );
  const clock = new HandClock();
  let tokens = 0;
  const random = {
    fraction: () => 0.5,
    token: () => {
      tokens += 1;
      return `token-${tokens}`;
    },
  };
  const transport = createInfraiTransport({
    baseUrl: `${server.url}/`,
    apiKey: API_KEY,
    http,
    clock,
    random,
    tryTimeoutMs: setup.tryTimeoutMs ?? 5_000,
  });
  const counted: Record<string, number> = {};
  const options = {
    transport,
    name: 'reminders/eu',
    random,
    telemetry: {
      count: (metric: string, value = 1) => {
        counted[metric] = (counted[metric] ?? 0) + value;
      },
    },
    ...(setup.ackField && { ackField: setup.ackField }),
    ...(setup.payloadField && { payloadField: setup.payloadField }),
  };
  return {
    queue: createInfraiQueue(options),
    deadLetters: createInfraiDeadLetters(options),
    server,
    clock,
    counted,
    bodyOf: (call: number) => JSON.parse(server.seen[call]?.text ?? 'null'),
  };
}

const ok = (data: unknown) => reply(200, { ok: true, data, error: null, metadata: {} });
const refusal = (status: number, error: unknown, headers: Record<string, string> = {}) =>
  reply(status, { ok: false, data: null, error, metadata: {} }, headers);

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

describe('refusals', () => {
  test.each<[string, Script, string]>([
    ['ok:false with 200', refusal(200, { code: 'QUEUE_NOT_FOUND' }), 'QUEUE_NOT_FOUND'],
    ['a 4xx envelope', refusal(404, { code: 'QUEUE_NOT_FOUND' }), 'QUEUE_NOT_FOUND'],
    ['an error that is a plain code', refusal(404, 'QUEUE_NOT_FOUND'), 'QUEUE_NOT_FOUND'],
    ['an error that is a plain sentence', refusal(422, `no ${API_KEY}`), 'HTTP_422'],
    ['a plain sentence with 200', refusal(200, 'no such queue'), 'REFUSED'],
    ['no error at all', refusal(400, null), 'HTTP_400'],
    ['a code that is no code', refusal(400, { code: `Bearer ${API_KEY}` }), 'HTTP_400'],
    ['no envelope', reply(401, { message: 'who are you' }), 'HTTP_401'],
    ['an envelope that says ok with 500', reply(500, { ok: true, data: [] }), 'HTTP_500'],
    ['a page instead of JSON', reply(503, '<html>upstream</html>'), 'HTTP_503'],
    ['a page with 200', reply(200, '<html>login</html>'), 'NOT_JSON'],
    ['no credit', refusal(402, { code: 'INSUFFICIENT_CREDIT' }), 'INSUFFICIENT_CREDIT'],
  ])('%s', async (_what, script, code) => {
    const { queue } = await against([script]);
    expect(await queue.consume(PULL)).toEqual({ kind: 'failed', code });
  });

  test('the same key with another body means that the earlier publish got through', async () => {
    for (const script of [
      refusal(409, { code: 'IDEMPOTENCY_KEY_CONFLICT' }),
      refusal(422, { code: 'IDEMPOTENCY_KEY_MISMATCH' }),
      refusal(200, { code: 'IDEMPOTENCY_KEY_REUSED' }),
      reply(409, 'conflict'),
    ]) {
      const { queue } = await against([script]);
      expect(await queue.publish(COPY)).toEqual({ kind: 'already-published' });
    }
  });

  test('a conflict for another reason is an ordinary refusal', async () => {
    for (const code of ['QUEUE_PAUSED', 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_INVALID']) {
      const { queue } = await against([refusal(409, { code })]);
      expect(await queue.publish(COPY)).toEqual({ kind: 'failed', code });
    }
  });

  test('a publish whose answer names no message is not published', async () => {
    const { queue } = await against([ok({})]);
    expect(await queue.publish(COPY)).toEqual({ kind: 'failed', code: 'NO_MESSAGE_ID' });
  });
});

describe('transport retries', () => {
  const troubles: [string, Script][] = [
    ['429', refusal(429, { code: 'RATE_LIMITED' })],
    ['500', reply(500, 'oops')],
    ['200 that is no JSON', reply(200, 'oops')],
    ['a reset', resetAfterReading],
    ['no answer', hang],
  ];

  test.each(troubles)('publish is repeated after %s, under the same key', async (_what, script) => {
    const { queue, server } = await against([script, ok({ message_id: 'm' })], {
      tryTimeoutMs: 150,
    });
    expect(await queue.publish(COPY)).toEqual({ kind: 'published', messageId: 'm' });
    expect(server.seen.map((request) => request.headers['idempotency-key'])).toEqual([
      'k1_00ff-1-0',
      'k1_00ff-1-0',
    ]);
    expect(server.seen[1]?.text).toBe(server.seen[0]?.text);
  });

  test.each(troubles)('consume is not repeated after %s', async (_what, script) => {
    const { queue, server, clock } = await against([script, ok({ items: [] })], {
      tryTimeoutMs: 150,
    });
    expect(await queue.consume(PULL)).toMatchObject({ kind: 'failed' });
    expect(server.seen).toHaveLength(1);
    expect(clock.slept).toEqual([]);
  });

  test('waits grow and are bounded in number', async () => {
    const { queue, server, clock } = await against([reply(503, 'no')]);
    expect(await queue.ack(MESSAGE)).toEqual({ kind: 'failed', code: 'HTTP_503' });
    expect(server.seen).toHaveLength(4);
    expect(clock.slept).toEqual([100, 200, 400]);
  });

  test.each<[string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '2' }, 2_000],
    [
      'a date',
      { 'retry-after': 'Sun, 26 Jul 2026 09:00:13 GMT', date: 'Sun, 26 Jul 2026 09:00:10 GMT' },
      3_000,
    ],
    ['nothing', {}, 100],
    ['field report 67: 0, which is no hot loop', { 'retry-after': '0' }, 100],
    ['field report 67: a fraction, which counts as absent', { 'retry-after': '1.5' }, 100],
  ])('a 429 with %s', async (_what, headers, waitMs) => {
    const { queue, clock } = await against([
      refusal(429, { code: 'RATE_LIMITED' }, headers),
      ok({}),
    ]);
    expect(await queue.ack(MESSAGE)).toEqual({ kind: 'acked' });
    expect(clock.slept).toEqual([waitMs]);
  });

  test('field report 68: a wait beyond the budget is passed on instead of slept', async () => {
    const { queue, clock, server } = await against([
      refusal(429, { code: 'RATE_LIMITED' }, { 'retry-after': '86400' }),
    ]);
    expect(await queue.ack(MESSAGE)).toEqual({
      kind: 'failed',
      code: 'RATE_LIMITED',
      retryAfterSeconds: 86_400,
    });
    expect(clock.slept).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  test('a refusal that time does not heal is not repeated', async () => {
    for (const script of [
      refusal(402, { code: 'INSUFFICIENT_CREDIT', retryable: true }),
      refusal(422, { code: 'BAD_QUEUE' }),
      refusal(503, { code: 'GONE_FOR_GOOD', retryable: false }),
    ]) {
      const { queue, server } = await against([script]);
      expect(await queue.publish(COPY)).toMatchObject({ kind: 'failed' });
      expect(server.seen).toHaveLength(1);
    }
  });

  test('nobody listening is a failure by code, after its repeats', async () => {
    const { queue, server, clock } = await against([ok({})]);
    await server.close();
    cleanUps.pop();
    expect(await queue.ack(MESSAGE)).toEqual({ kind: 'failed', code: 'CONNECTION' });
    expect(clock.slept).toHaveLength(3);
  });
});

describe('field report 48: acks that do not work are seen and harm nothing', () => {
  test('not in flight is a normal outcome, with 200 and with 4xx', async () => {
    for (const status of [200, 409]) {
      const { queue, server } = await against([
        refusal(status, { code: 'QUEUE_MESSAGE_NOT_IN_FLIGHT' }),
      ]);
      expect(await queue.ack(MESSAGE)).toEqual({ kind: 'not-in-flight' });
      expect(server.seen).toHaveLength(1);
    }
  });

  test('a network error and a 500 are repeated briefly, then left with a code', async () => {
    const { queue, server } = await against([
      resetAfterReading,
      reply(500, 'x'),
      reply(500, 'x'),
      reply(500, 'x'),
    ]);
    expect(await queue.ack(MESSAGE)).toEqual({ kind: 'failed', code: 'HTTP_500' });
    expect(server.seen).toHaveLength(4);
  });

  test('an ack whose first answer was lost ends well', async () => {
    const { queue } = await against([
      resetAfterReading,
      refusal(409, { code: 'QUEUE_MESSAGE_NOT_IN_FLIGHT' }),
    ]);
    expect(await queue.ack(MESSAGE)).toEqual({ kind: 'not-in-flight' });
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
      refusal(404, { code: 'QUEUE_NOT_FOUND' }),
    ]);
    const gone = { kind: 'gone', code: 'QUEUE_MESSAGE_NOT_FOUND' };
    expect(await deadLetters.redrive('m')).toEqual(gone);
    expect(await deadLetters.redrive('m')).toEqual({ kind: 'gone', code: 'NOTHING_REDRIVEN' });
    expect(await deadLetters.redrive('m')).toEqual({ kind: 'failed', code: 'QUEUE_NOT_FOUND' });
  });
});

describe('field report 74, 75: failures carry neither the API key nor the payload', () => {
  const echo: Script = (answer, seen) => {
    answer.writeHead(400, { 'content-type': 'application/json' });
    const text = JSON.stringify(seen);
    answer.end(JSON.stringify({ ok: false, error: { code: text, message: text, hint: text } }));
  };
  test.each<[string, Script]>([
    ['an answer that echoes the request', echo],
    ['a page that echoes the key', reply(500, `Authorization: Bearer ${API_KEY}`)],
    ['a reset', resetAfterReading],
    ['an unreadable answer', ok(`${API_KEY} planted-user`)],
  ])('%s', async (_what, script) => {
    const { queue } = await against([script]);
    const answers = [
      await queue.publish(COPY),
      await queue.consume(PULL),
      await queue.ack(MESSAGE),
      await queue.stats(),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/ifr_planted|planted-user|Bearer/);
  });
});
