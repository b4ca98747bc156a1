import { afterEach, describe, expect, test } from 'vitest';
import { createInfraiDiscovery } from '#adapters/infrai/infrai-discovery.ts';
import { RemindOnceError } from '#core/errors.ts';
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
import { hang, reply, resetAfterReading, type Script } from '#test/support/scripted-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function against(scripts: readonly [Script, ...Script[]], setup?: StandSetup) {
  const stand = await infraiStand(scripts, setup);
  cleanUps.push(stand.close);
  return stand;
}

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

  test('a key whose first publish is still worked on is asked for again', async () => {
    const { queue, server } = await against([
      refusal(409, { code: 'IDEMPOTENCY_IN_PROGRESS' }),
      ok({ message_id: 'm' }),
    ]);
    expect(await queue.publish(COPY)).toEqual({ kind: 'published', messageId: 'm' });
    expect(server.seen).toHaveLength(2);
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
    expect(await queue.ack(MESSAGE)).toEqual({ kind: 'failed', code: 'CONNECTION' });
    expect(clock.slept).toHaveLength(3);
  });
});

describe('bounds', () => {
  test('tries and waits together never pass the budget of one call', async () => {
    const { queue, clock, server } = await against([reply(503, 'no')], { callBudgetMs: 600 });
    await queue.ack(MESSAGE);
    // 100 ms and 200 ms were waited; 400 ms more would leave no time for a try.
    expect(clock.slept).toEqual([100, 200]);
    expect(server.seen).toHaveLength(3);
  });

  test('one try is cut off at the budget as well', async () => {
    const { queue, server } = await against([hang], { callBudgetMs: 260 });
    expect(await queue.ack(MESSAGE)).toEqual({ kind: 'failed', code: 'TIMEOUT' });
    expect(server.seen).toHaveLength(1);
  });
});

describe('the API key', () => {
  test('is asked for at each try where a function gives it, so that a rotation is seen', async () => {
    let keys = 0;
    const apiKey = async () => {
      keys += 1;
      return `ifr_${keys}`;
    };
    const { queue, server } = await against([reply(500, 'x'), ok({})], { apiKey });
    await queue.ack(MESSAGE);
    expect(server.seen.map((request) => request.headers.authorization)).toEqual([
      'Bearer ifr_1',
      'Bearer ifr_2',
    ]);
  });

  test('is not sent where none is needed', async () => {
    const { transport, server } = await against([reply(200, { capabilities: [] })]);
    await createInfraiDiscovery(transport).list();
    expect(server.seen[0]?.path).toBe('/v1/discovery');
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  test.each([
    ['SECRET_MISSING', 'SECRET_MISSING'],
    ['SECRET_UNREADABLE', 'SECRET_UNAVAILABLE'],
  ])('that cannot be had (%s) is a failure without a call', async (thrown, code) => {
    const apiKey = () => Promise.reject(new RemindOnceError(thrown, API_KEY));
    const { queue, server } = await against([ok({})], { apiKey });
    expect(await queue.consume(PULL)).toEqual({ kind: 'failed', code });
    expect(server.seen).toHaveLength(0);
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
