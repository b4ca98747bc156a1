import { describe, expect, it } from 'vitest';
import type { QueueBehaviour } from '#infra/local/queue-emulator/queue-contract.ts';
import { QueueModel } from '#infra/local/queue-emulator/queue-model.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';

const QUEUE = 'q';
const T0 = 1_000_000;

function aModel(behaviour: Partial<QueueBehaviour> = {}): QueueModel {
  return new QueueModel({ queues: [QUEUE], behaviour, random: seededRandom(3) });
}

function publish(model: QueueModel, now: number, more: object = {}): string {
  const result = model.publish({ queue: QUEUE, payload: { now }, ...more }, now);
  if (result.kind === 'refused') throw new Error(result.code);
  return result.messageId;
}

function consume(model: QueueModel, now: number, more: object = {}) {
  const result = model.consume({ queue: QUEUE, maxMessages: 10, ...more }, now);
  if (result.kind === 'refused') throw new Error(result.code);
  return result.messages;
}

describe('the queue model without sockets', () => {
  it('needs no timer: a week passes by being told so', () => {
    const model = aModel();
    const id = publish(model, T0, { delaySeconds: 604_800 });
    expect(model.nextDueAt()).toBe(T0 + 604_800_000);
    expect(consume(model, T0 + 604_799_999)).toEqual([]);
    expect(consume(model, T0 + 604_800_000)).toMatchObject([{ messageId: id, deliveryCount: 1 }]);
    expect(model.nextDueAt()).toBe(T0 + 604_806_000);
  });

  it('settles several leases that ended while nobody looked as one redelivery', () => {
    const model = aModel();
    publish(model, T0);
    consume(model, T0);
    // Nobody consumed in between, so only one delivery was used up.
    expect(consume(model, T0 + 3_600_000)).toMatchObject([{ deliveryCount: 2 }]);
  });

  it('gives every delivery a payload of its own', () => {
    const model = aModel();
    publish(model, T0);
    const first = consume(model, T0)[0]?.payload as { now: number };
    first.now = -1;
    expect(consume(model, T0 + 6_000)[0]?.payload).toEqual({ now: T0 });
  });

  it('delivers in the order in which messages became available', () => {
    const model = aModel();
    const late = publish(model, T0, { delaySeconds: 20 });
    const early = publish(model, T0, { delaySeconds: 10 });
    const now = publish(model, T0 + 30_000);
    const order = consume(model, T0 + 30_000).map((message) => message.messageId);
    expect(order).toEqual([early, late, now]);
  });

  it('moves a message to the dead letters when the last lease ends, not before', () => {
    const model = aModel();
    publish(model, T0);
    for (const at of [T0, T0 + 6_000, T0 + 12_000]) consume(model, at);
    expect(model.stats(QUEUE, T0 + 17_999)).toMatchObject({ inFlightCount: 1, dlqCount: 0 });
    expect(model.stats(QUEUE, T0 + 18_000)).toMatchObject({ inFlightCount: 0, dlqCount: 1 });
  });

  it('shows a dead letter to whoever looks at the dead-letter queue first', () => {
    const model = aModel();
    const id = publish(model, T0);
    for (const at of [T0, T0 + 6_000, T0 + 12_000]) consume(model, at);
    const dead = model.consume({ queue: `${QUEUE}.dlq` }, T0 + 18_000);
    expect(dead).toMatchObject({ messages: [{ messageId: id, deliveryCount: 1 }] });
  });

  it('never dead-letters out of a dead-letter queue', () => {
    const model = aModel();
    const id = publish(model, T0);
    for (const at of [T0, T0 + 6_000, T0 + 12_000]) consume(model, at);
    let now = T0 + 18_000;
    for (let delivery = 1; delivery <= 5; delivery += 1) {
      expect(model.consume({ queue: `${QUEUE}.dlq` }, now)).toMatchObject({
        messages: [{ messageId: id, deliveryCount: delivery }],
      });
      now += 6_000;
    }
  });

  it('a nack of the last delivery goes to the dead letters at once', () => {
    const model = aModel();
    const id = publish(model, T0);
    for (let delivery = 1; delivery <= 3; delivery += 1) {
      consume(model, T0);
      model.nack({ queue: QUEUE, messageId: id }, T0);
    }
    expect(model.stats(QUEUE, T0)).toMatchObject({ availableCount: 0, dlqCount: 1 });
  });

  it('redrives all when the bulk form is switched on, only those of the queue named', () => {
    const model = aModel({ bulkRedrive: 'works' });
    model.create({ name: 'other', deadLetterQueue: `${QUEUE}.dlq` });
    for (const queue of [QUEUE, 'other']) {
      model.publish({ queue, payload: {} }, T0);
      for (let delivery = 1; delivery <= 3; delivery += 1) {
        model.consume({ queue, leaseMs: 0 }, T0);
      }
    }
    expect(model.stats(QUEUE, T0)).toMatchObject({ dlqCount: 2 });
    expect(model.redrive(QUEUE, undefined, T0)).toEqual({ kind: 'redriven', count: 1 });
    expect(model.stats(QUEUE, T0)).toMatchObject({ availableCount: 1, dlqCount: 1 });
    model.behaviour.bulkRedrive = 'refused';
    expect(model.redrive(QUEUE, undefined, T0)).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('knows a dead letter of another queue as not found', () => {
    const model = aModel();
    model.create({ name: 'other', deadLetterQueue: `${QUEUE}.dlq` });
    const id = publish(model, T0);
    for (let delivery = 1; delivery <= 3; delivery += 1) consume(model, T0, { leaseMs: 0 });
    expect(model.redrive('other', id, T0)).toMatchObject({ code: 'QUEUE_MESSAGE_NOT_FOUND' });
    expect(model.redrive(QUEUE, id, T0)).toMatchObject({ kind: 'redriven' });
    expect(model.redrive(QUEUE, id, T0)).toMatchObject({ code: 'QUEUE_MESSAGE_NOT_FOUND' });
  });

  it('spreads lease ends by its seeded jitter', () => {
    const model = aModel({ redeliveryJitterMs: 1_000 });
    for (let n = 0; n < 20; n += 1) publish(model, T0, { idempotencyKey: `k${n}` });
    const ends = [...consume(model, T0), ...consume(model, T0)].map((one) => one.leaseUntil - T0);
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(6_000);
    expect(Math.max(...ends)).toBeLessThan(7_000);
    expect(new Set(ends).size).toBeGreaterThan(10);
  });

  it('counts money in whole micro-dollars', () => {
    const model = new QueueModel({ queues: [QUEUE], balanceUsd: 1 });
    for (let n = 0; n < 50_000; n += 1) publish(model, T0, { idempotencyKey: `k${n}` });
    expect(model.account.balanceUsd).toBe(0);
    expect(
      model.publish({ queue: QUEUE, payload: {}, idempotencyKey: 'one more' }, T0),
    ).toMatchObject({ code: 'INSUFFICIENT_CREDIT' });
    expect(
      model.publish({ queue: QUEUE, payload: { now: T0 }, idempotencyKey: 'k1' }, T0),
    ).toMatchObject({ kind: 'published', replayed: true });
  });

  it('forgets what is over: messages, keys and heaps do not pile up', () => {
    const model = aModel({ derivedKeys: false });
    for (let round = 0; round < 2_000; round += 1) {
      const now = T0 + round * 3_600_000;
      publish(model, now, { delaySeconds: 60, idempotencyKey: `k${round}` });
      for (const message of consume(model, now)) {
        model.ack({ queue: QUEUE, messageId: message.messageId }, now);
      }
    }
    expect(model.messages(QUEUE, T0)).toHaveLength(1);
    expect(model.rememberedKeys).toBeLessThanOrEqual(25);
  });
});
