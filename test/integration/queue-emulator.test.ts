import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import {
  type QueueEmulator,
  startQueueEmulator,
} from '#infra/local/queue-emulator/queue-emulator.ts';
import { InfraiClient } from '#test/support/infrai-client.ts';

const START = Date.UTC(2026, 6, 26, 9);
const clock = EmulatorClock.frozenAt(START);
let emulator: QueueEmulator;
let client: InfraiClient;

beforeAll(async () => {
  emulator = await startQueueEmulator({ clock, queues: ['reminders'], balanceUsd: 1 });
  client = new InfraiClient(emulator.url);
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

describe('an independent client with the contract page only', () => {
  it('publishes, consumes and acks a message', async () => {
    const published = await client.post('/v1/queue/publish', {
      queue: 'reminders',
      payload: { user_id: 'u1', nested: { n: [1, null, 'ä'] } },
    });
    expect(published).toMatchObject({ status: 200, ok: true, error: null });
    expect(published.data.message_id).toMatch(/^qmsg_[a-z0-9]{24}$/);
    expect(published.metadata).toMatchObject({
      cost_usd: 0.00002,
      latency_ms: 0,
      vendor: 'emulator',
      cache_hit: false,
    });
    expect(published.metadata['request_id']).toMatch(/^req_/);
    const [message] = await client.consume('reminders');
    expect(message).toEqual({
      message_id: published.data.message_id,
      payload: { user_id: 'u1', nested: { n: [1, null, 'ä'] } },
      delivery_count: 1,
    });
    expect(await client.stats('reminders')).toEqual({
      available_count: 0,
      in_flight_count: 1,
      delayed_count: 0,
      dlq_count: 0,
      oldest_message_age_seconds: 0,
    });
    expect((await client.ack('reminders', message.message_id)).ok).toBe(true);
    clock.advance(3_600_000);
    expect(await client.consume('reminders')).toEqual([]);
  });

  it('takes `body` for `payload`, as four articles write it', async () => {
    await client.post('/v1/queue/publish', { queue: 'reminders', body: { n: 1 } });
    expect((await client.consume('reminders'))[0].payload).toEqual({ n: 1 });
  });

  it('acks by receipt_handle holding the message id', async () => {
    const id = await client.publish('reminders', { n: 1 });
    await client.consume('reminders');
    const acked = await client.post('/v1/queue/ack', { queue: 'reminders', receipt_handle: id });
    expect(acked.ok).toBe(true);
  });

  it('gets a nacked message back at once', async () => {
    const id = await client.publish('reminders', { n: 1 });
    await client.consume('reminders', { visibility_timeout: 600 });
    await client.post('/v1/queue/nack', { queue: 'reminders', message_id: id });
    expect(await client.consume('reminders')).toMatchObject([
      { message_id: id, delivery_count: 2 },
    ]);
  });

  it('gets at most ten messages however many it asks for, in order of arrival', async () => {
    for (let n = 0; n < 12; n += 1) await client.publish('reminders', { n });
    const first = await client.consume('reminders', { max_messages: 500 });
    expect(first.map((message) => message.payload.n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await client.consume('reminders')).toHaveLength(2);
  });

  it('creates, reads, lists, updates and deletes a queue', async () => {
    const name = 'weekly digests';
    await client.post('/v1/queue/create', { name, message_retention_days: 4, max_retries: 5 });
    const path = encodeURIComponent(name);
    expect((await client.get(`/v1/queue/get/${path}`)).data).toMatchObject({
      name,
      dead_letter_queue: `${name}.dlq`,
      max_retries: 5,
      message_retention_days: 4,
    });
    const { data } = await client.get('/v1/queue/list');
    const names = data.queues.map((queue: { name: string }) => queue.name);
    expect(names).toEqual(expect.arrayContaining([name, `${name}.dlq`, 'reminders']));
    expect(await client.post('/v1/queue/create', { name })).toMatchObject({
      status: 409,
      error: { code: 'QUEUE_ALREADY_EXISTS' },
    });
    const deleted = JSON.parse((await client.raw('DELETE', `/v1/queue/delete/${path}`)).text);
    expect(deleted.ok).toBe(true);
    expect(await client.get(`/v1/queue/get/${path}`)).toMatchObject({
      status: 404,
      error: { code: 'QUEUE_NOT_FOUND' },
    });
  });

  it('names a dead-letter queue only when it exists', async () => {
    const body = { name: 'renewals', dead_letter_queue: 'graveyard' };
    expect(await client.post('/v1/queue/create', body)).toMatchObject({
      status: 404,
      error: { code: 'QUEUE_NOT_FOUND' },
    });
    await client.post('/v1/queue/create', { name: 'graveyard' });
    expect((await client.post('/v1/queue/create', body)).ok).toBe(true);
  });

  it('reads priorities only where the queue was created with them', async () => {
    await client.post('/v1/queue/create', { name: 'ranked', enable_priority: true });
    await client.publish('ranked', { n: 'low' }, { priority: 1 });
    await client.publish('ranked', { n: 'high' }, { priority: 9 });
    const ranked = await client.consume('ranked');
    expect(ranked.map((message) => message.payload.n)).toEqual(['high', 'low']);
  });

  it('drops the second message of a FIFO deduplication id for five minutes', async () => {
    await client.post('/v1/queue/create', { name: 'orders.fifo', type: 'fifo' });
    const again = { deduplication_id: 'd1' };
    const first = await client.publish('orders.fifo', { n: 1 }, again);
    expect(await client.publish('orders.fifo', { n: 2 }, again)).toBe(first);
    clock.advance(5 * 60_000);
    expect(await client.publish('orders.fifo', { n: 3 }, again)).not.toBe(first);
  });

  it('finds every capability and its parameters, without a key', async () => {
    const anonymous = new InfraiClient(emulator.url, null);
    const list = JSON.parse((await anonymous.raw('GET', '/v1/discovery')).text);
    const ids = list.capabilities.map((capability: { id: string }) => capability.id);
    expect(ids).toContain('queue.dlq.redrive');
    expect(ids).toContain('account.balance');
    const consume = JSON.parse((await anonymous.raw('GET', '/v1/discovery/queue.consume')).text);
    expect(consume).toMatchObject({
      id: 'queue.consume',
      method: 'POST',
      path: '/v1/queue/consume',
      available: true,
      idempotent: false,
      params: { type: 'object', required: ['queue'] },
    });
    expect(Object.keys(consume.params.properties)).toContain('visibility_timeout');
    expect((await anonymous.raw('GET', '/v1/discovery/queue.peek')).status).toBe(404);
  });
});

describe('money', () => {
  it('charges a publish, nothing else, and says 402 when the balance is used up', async () => {
    emulator.model.account.balanceUsd = 0.00004;
    await client.publish('reminders', { n: 1 });
    const [message] = await client.consume('reminders');
    await client.ack('reminders', message.message_id);
    await client.stats('reminders');
    const balance = await client.get('/v1/account/balance');
    expect(balance.data).toEqual({ balance_usd: 0.00002, currency: 'USD' });
    await client.publish('reminders', { n: 2 });
    const refused = await client.post('/v1/queue/publish', {
      queue: 'reminders',
      payload: { n: 3 },
    });
    expect(refused).toMatchObject({
      status: 402,
      ok: false,
      error: { code: 'INSUFFICIENT_CREDIT' },
    });
    expect((await client.stats('reminders'))['available_count']).toBe(1);
  });
});

describe('refusals', () => {
  it('asks for a key, and for the right one when one is configured', async () => {
    const anonymous = new InfraiClient(emulator.url, null);
    expect(await anonymous.get('/v1/queue/list')).toMatchObject({
      status: 401,
      ok: false,
      error: { code: 'UNAUTHORIZED' },
    });
    await using guarded = await startQueueEmulator({ apiKeys: ['ifr_right'] });
    expect((await new InfraiClient(guarded.url).get('/v1/queue/list')).status).toBe(401);
    expect((await new InfraiClient(guarded.url, 'ifr_right').get('/v1/queue/list')).ok).toBe(true);
  });

  it.each([
    ['a delay above seven days', { payload: {}, delay_seconds: 604_801 }, 422],
    ['a negative delay', { payload: {}, delay_seconds: -1 }, 422],
    ['a broken delay', { payload: {}, delay_seconds: 1.5 }, 422],
    ['no payload', {}, 422],
    ['a payload that is no object', { payload: 'text' }, 422],
    ['more than 256 KB', { payload: { text: 'x'.repeat(256 * 1024) } }, 413],
    ['a runaway body', { payload: { text: 'x'.repeat(600 * 1024) } }, 413],
  ])('refuses %s and keeps nothing', async (_name, body, status) => {
    const answer = await client.post('/v1/queue/publish', { queue: 'reminders', ...body });
    expect(answer).toMatchObject({ status, ok: false });
    expect((await client.stats('reminders'))['available_count']).toBe(0);
  });

  it('takes 256 KB and seven days exactly', async () => {
    const payload = { text: 'x'.repeat(256 * 1024 - 11) };
    expect(await client.publish('reminders', payload, { delay_seconds: 604_800 })).toMatch(
      /^qmsg_/,
    );
  });

  it('counts bytes, not characters', async () => {
    const payload = { text: 'ä'.repeat(130 * 1024 + 500) };
    const answer = await client.post('/v1/queue/publish', { queue: 'reminders', payload });
    expect(answer.status).toBe(413);
  });

  it.each([
    ['POST', '/v1/queue/publish', 'not json', 400, 'INVALID_JSON'],
    ['POST', '/v1/queue/publish', '{"queue":"nowhere","payload":{}}', 404, 'QUEUE_NOT_FOUND'],
    ['POST', '/v1/queue/consume', '{"queue":"nowhere"}', 404, 'QUEUE_NOT_FOUND'],
    [
      'POST',
      '/v1/queue/consume',
      '{"queue":"reminders","max_messages":0}',
      422,
      'VALIDATION_FAILED',
    ],
    ['POST', '/v1/queue/ack', '{"queue":"reminders"}', 422, 'VALIDATION_FAILED'],
    ['POST', '/v1/queue/publish_batch', '{"queue":"reminders"}', 422, 'CAPABILITY_UNAVAILABLE'],
    ['POST', '/v1/queue/purge', '{}', 404, 'NOT_FOUND'],
    ['PUT', '/v1/queue/publish', '{}', 405, 'METHOD_NOT_ALLOWED'],
    [
      'POST',
      '/v1/queue/dlq/redrive/reminders',
      '{"message_id":"qmsg_x"}',
      404,
      'QUEUE_MESSAGE_NOT_FOUND',
    ],
  ])('%s %s with %s answers %i %s', async (method, path, body, status, code) => {
    const answer = await client.raw(method, path, body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ ok: false, data: null, error: { code } });
  });
});

describe('idempotency keys', () => {
  const publish = (payload: object, key: string, where: 'header' | 'body' = 'body') =>
    client.post(
      '/v1/queue/publish',
      { queue: 'reminders', payload, ...(where === 'body' && { idempotency_key: key }) },
      where === 'header' ? { 'idempotency-key': key } : {},
    );

  it('answers a repeated key with the first message, uncharged, from header or body', async () => {
    const first = await publish({ n: 1 }, 'k1');
    const second = await publish({ n: 1 }, 'k1', 'header');
    expect(second.data).toEqual(first.data);
    expect(second.metadata).toMatchObject({ cost_usd: 0, cache_hit: true });
    expect(await client.consume('reminders')).toHaveLength(1);
    expect(emulator.model.account.balanceUsd).toBe(0.99998);
  });

  it('makes no new message for a repeated key after the first was acked', async () => {
    const { data } = await publish({ n: 1 }, 'k1');
    await client.consume('reminders');
    await client.ack('reminders', data.message_id);
    await publish({ n: 1 }, 'k1');
    expect((await client.stats('reminders'))['available_count']).toBe(0);
  });

  it('forgets a key after 24 hours', async () => {
    const first = await publish({ n: 1 }, 'k1');
    clock.advance(24 * 3_600_000 - 1);
    expect((await publish({ n: 1 }, 'k1')).data).toEqual(first.data);
    clock.advance(1);
    expect((await publish({ n: 1 }, 'k1')).data).not.toEqual(first.data);
  });

  it('meets the same key with another body by the first result, or by a refusal', async () => {
    const first = await publish({ n: 1 }, 'k1');
    expect((await publish({ n: 2 }, 'k1')).data).toEqual(first.data);
    emulator.model.behaviour.keyConflict = 'refused';
    expect(await publish({ n: 2 }, 'k1')).toMatchObject({
      status: 409,
      error: { code: 'IDEMPOTENCY_KEY_CONFLICT' },
    });
    expect((await publish({ n: 1 }, 'k1')).data).toEqual(first.data);
  });

  it('collapses two identical publishes without a key, as a derived key may', async () => {
    const first = await client.publish('reminders', { n: 1 });
    expect(await client.publish('reminders', { n: 1 })).toBe(first);
    expect(await client.publish('reminders', { n: 1 }, { delay_seconds: 1 })).not.toBe(first);
    emulator.model.behaviour.derivedKeys = false;
    expect(await client.publish('reminders', { n: 1 })).not.toBe(first);
  });

  it('replays a create instead of refusing it as existing', async () => {
    const body = { name: 'renewals', idempotency_key: 'c1' };
    const first = await client.post('/v1/queue/create', body);
    expect(await client.post('/v1/queue/create', body)).toMatchObject({
      ok: true,
      data: first.data,
    });
  });

  it('does not remember a refusal', async () => {
    const redrive = (key: string) =>
      client.post('/v1/queue/create', {
        name: 'renewals',
        dead_letter_queue: 'graveyard',
        idempotency_key: key,
      });
    expect((await redrive('c1')).ok).toBe(false);
    await client.post('/v1/queue/create', { name: 'graveyard' });
    expect((await redrive('c1')).ok).toBe(true);
  });
});
