import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import {
  type QueueEmulator,
  startQueueEmulator,
} from '#infra/local/queue-emulator/queue-emulator.ts';
import { InfraiClient } from '#test/support/infrai-client.ts';

const clock = EmulatorClock.frozenAt(Date.UTC(2026, 6, 26, 9));
const QUEUE = 'reminders';
let emulator: QueueEmulator;
let client: InfraiClient;

beforeAll(async () => {
  emulator = await startQueueEmulator({ clock, queues: [QUEUE] });
  client = new InfraiClient(emulator.url);
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

/** Lets a message die: three deliveries, none acked. */
async function deadLetter(payload: object): Promise<string> {
  const id = await client.publish(QUEUE, payload);
  for (let delivery = 1; delivery <= 3; delivery += 1) {
    await client.consume(QUEUE, { visibility_timeout: 6 });
    clock.advance(6_000);
  }
  return id;
}

describe('observed quirks', () => {
  it('1: three deliveries six seconds apart, then the dead-letter queue', async () => {
    const id = await client.publish(QUEUE, { n: 1 });
    for (let delivery = 1; delivery <= 3; delivery += 1) {
      expect(await client.consume(QUEUE)).toMatchObject([
        { message_id: id, delivery_count: delivery },
      ]);
      clock.advance(5_999);
      expect(await client.consume(QUEUE)).toEqual([]);
      clock.advance(1);
    }
    expect(await client.consume(QUEUE)).toEqual([]);
    expect(await client.stats(QUEUE)).toMatchObject({
      available_count: 0,
      in_flight_count: 0,
      dlq_count: 1,
    });
  });

  it('2: a redelivery keeps the message id, a republish gets a new one', async () => {
    const id = await client.publish(QUEUE, { n: 1 }, { idempotency_key: 'a' });
    const [first] = await client.consume(QUEUE);
    clock.advance(6_000);
    const [second] = await client.consume(QUEUE);
    expect([first.message_id, second.message_id]).toEqual([id, id]);
    const copy = await client.publish(QUEUE, { n: 1 }, { idempotency_key: 'b' });
    expect(copy).toMatch(/^qmsg_[A-Za-z0-9]{24}$/);
    expect(copy).not.toBe(id);
  });

  it('3: publish says available for a delayed message; the stats tell the truth', async () => {
    const { data } = await client.post('/v1/queue/publish', {
      queue: QUEUE,
      payload: { n: 1 },
      delay_seconds: 60,
    });
    expect(data.state).toBe('available');
    expect(await client.stats(QUEUE)).toMatchObject({ available_count: 0, delayed_count: 1 });
    expect(await client.consume(QUEUE)).toEqual([]);
    clock.advance(60_000);
    expect(await client.stats(QUEUE)).toMatchObject({ available_count: 1, delayed_count: 0 });
    expect(await client.consume(QUEUE)).toHaveLength(1);
  });

  it('4: the dead-letter listing is empty, but the dead-letter queue answers a consume', async () => {
    const id = await deadLetter({ n: 1 });
    expect((await client.get(`/v1/queue/dlq/list/${QUEUE}`)).data).toEqual({ items: [] });
    expect(await client.consume(`${QUEUE}.dlq`)).toMatchObject([
      { message_id: id, payload: { n: 1 }, delivery_count: 1 },
    ]);
    expect(await client.stats(`${QUEUE}.dlq`)).toMatchObject({ in_flight_count: 1 });
    expect((await client.ack(`${QUEUE}.dlq`, id)).ok).toBe(true);
    expect((await client.stats(QUEUE))['dlq_count']).toBe(0);
  });

  it('5: redrive by id works and starts at delivery 1; without an id nothing moves', async () => {
    const id = await deadLetter({ n: 1 });
    const bulk = await client.post(`/v1/queue/dlq/redrive/${QUEUE}`, {});
    expect(bulk).toMatchObject({ ok: true, data: { redriven_count: 0 } });
    expect((await client.stats(QUEUE))['dlq_count']).toBe(1);
    const byId = await client.post(`/v1/queue/dlq/redrive/${QUEUE}`, { message_id: id });
    expect(byId).toMatchObject({ ok: true, data: { redriven_count: 1 } });
    expect(byId.metadata['cost_usd']).toBe(0);
    expect(await client.consume(QUEUE)).toMatchObject([{ message_id: id, delivery_count: 1 }]);
    expect((await client.stats(QUEUE))['dlq_count']).toBe(0);
  });

  it('5: a dead letter that a reader holds can be redriven', async () => {
    const id = await deadLetter({ n: 1 });
    await client.consume(`${QUEUE}.dlq`, { visibility_timeout: 600 });
    expect((await client.post(`/v1/queue/dlq/redrive/${QUEUE}`, { message_id: id })).ok).toBe(true);
    expect((await client.ack(`${QUEUE}.dlq`, id)).error?.code).toBe('QUEUE_MESSAGE_NOT_IN_FLIGHT');
    expect(await client.consume(QUEUE)).toHaveLength(1);
  });

  it('6: a delay set by an update is ignored without an error', async () => {
    const updated = await client.post(`/v1/queue/update/${QUEUE}`, { delay_seconds: 300 });
    expect(updated.ok).toBe(true);
    await client.publish(QUEUE, { n: 1 });
    expect(await client.consume(QUEUE)).toHaveLength(1);
  });

  it('7: a late ack is not in flight, whether the lease ran out or it was acked before', async () => {
    const id = await client.publish(QUEUE, { n: 1 });
    await client.consume(QUEUE);
    clock.advance(6_000);
    expect(await client.ack(QUEUE, id)).toMatchObject({
      status: 409,
      ok: false,
      error: { code: 'QUEUE_MESSAGE_NOT_IN_FLIGHT' },
    });
    await client.consume(QUEUE);
    expect((await client.ack(QUEUE, id)).ok).toBe(true);
    expect((await client.ack(QUEUE, id)).error?.code).toBe('QUEUE_MESSAGE_NOT_IN_FLIGHT');
  });

  it('7: a late ack hits the lease of whoever holds the message now', async () => {
    const id = await client.publish(QUEUE, { n: 1 });
    await client.consume(QUEUE);
    clock.advance(6_000);
    await client.consume(QUEUE); // another worker's delivery
    expect((await client.ack(QUEUE, id)).ok).toBe(true); // the first worker's late ack
    clock.advance(60_000);
    expect(await client.consume(QUEUE)).toEqual([]);
  });

  it('8: visibility_timeout is honoured', async () => {
    await client.publish(QUEUE, { n: 1 });
    await client.consume(QUEUE, { visibility_timeout: 60 });
    clock.advance(59_999);
    expect(await client.consume(QUEUE)).toEqual([]);
    clock.advance(1);
    expect(await client.consume(QUEUE)).toHaveLength(1);
  });

  it('8: visibility_timeout is ignored, when switched so', async () => {
    emulator.model.behaviour.visibility = 'ignored';
    await client.publish(QUEUE, { n: 1 });
    await client.consume(QUEUE, { visibility_timeout: 60 });
    clock.advance(6_000);
    expect(await client.consume(QUEUE)).toHaveLength(1);
  });

  it("8: a queue's own visibility default holds where the call names none", async () => {
    await client.post('/v1/queue/create', { name: 'slow', visibility_timeout_default: 30 });
    await client.publish('slow', { n: 1 });
    await client.consume('slow');
    clock.advance(29_999);
    expect(await client.consume('slow')).toEqual([]);
    clock.advance(1);
    expect(await client.consume('slow')).toHaveLength(1);
  });
});

describe('retention and age', () => {
  it('drops a message that nobody took in 30 days, counted from when it was available', async () => {
    await client.publish(QUEUE, { n: 1 }, { delay_seconds: 604_800 });
    clock.advance(604_800_000 + 30 * 86_400_000 - 1);
    expect((await client.stats(QUEUE))['available_count']).toBe(1);
    clock.advance(1);
    expect((await client.stats(QUEUE))['available_count']).toBe(0);
  });

  it('keeps a dead letter for a retention of its own', async () => {
    await client.post('/v1/queue/create', { name: 'short', message_retention_days: 1 });
    const id = await client.publish('short', { n: 1 });
    for (let delivery = 1; delivery <= 3; delivery += 1) {
      await client.consume('short');
      clock.advance(6_000);
    }
    clock.advance(29 * 86_400_000);
    expect(await client.consume('short.dlq')).toMatchObject([{ message_id: id }]);
  });

  it('tells the age of the oldest available message, not of a delayed one', async () => {
    await client.publish(QUEUE, { n: 1 }, { delay_seconds: 100 });
    clock.advance(50_000);
    expect((await client.stats(QUEUE))['oldest_message_age_seconds']).toBe(0);
    await client.publish(QUEUE, { n: 2 });
    clock.advance(20_500);
    expect((await client.stats(QUEUE))['oldest_message_age_seconds']).toBe(20);
  });
});
