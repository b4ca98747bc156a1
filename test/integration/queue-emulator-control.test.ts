import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import {
  type QueueEmulator,
  startQueueEmulator,
} from '#infra/local/queue-emulator/queue-emulator.ts';
import { failureOf, InfraiClient } from '#test/support/infrai-client.ts';

const START = Date.UTC(2026, 6, 26, 9);
const clock = EmulatorClock.frozenAt(START);
const QUEUE = 'reminders';
let emulator: QueueEmulator;
let client: InfraiClient;

beforeAll(async () => {
  emulator = await startQueueEmulator({ clock, queues: [QUEUE] });
  client = new InfraiClient(() => emulator.url);
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

const PUBLISH = '/v1/queue/publish';
const body = (n: number) => ({ queue: QUEUE, payload: { n } });
const available = async () => (await client.stats(QUEUE))['available_count'];

describe('answer variants', () => {
  const consumed = async () => {
    await client.publish(QUEUE, { n: 1 });
    return (await client.post('/v1/queue/consume', { queue: QUEUE })).data;
  };
  const style = (change: Partial<typeof emulator.surface.style>) => {
    emulator.surface.style = { ...emulator.surface.style, ...change };
  };

  it('messages under `messages`, or as a bare array', async () => {
    style({ consumeWrapper: 'messages' });
    expect((await consumed()).messages).toMatchObject([{ payload: { n: 1 } }]);
    emulator.reset();
    style({ consumeWrapper: 'array' });
    expect(await consumed()).toMatchObject([{ payload: { n: 1 } }]);
  });

  it('the payload as text, under `body`, the id under `id`, and no delivery count', async () => {
    style({
      payloadForm: 'json-string',
      payloadField: 'body',
      idField: 'id',
      deliveryCountPresent: false,
    });
    const { items } = await consumed();
    expect(items).toEqual([{ id: expect.stringMatching(/^qmsg_/), body: '{"n":1}' }]);
  });

  it('a receipt that is the message id, or good for one delivery only', async () => {
    style({ receiptField: 'receipt_handle' });
    const [plain] = (await consumed()).items;
    expect(plain.receipt_handle).toBe(plain.message_id);
    emulator.reset();
    style({ receiptField: 'receipt', receiptMeaning: 'delivery' });
    const [first] = (await consumed()).items;
    clock.advance(6_000);
    const [second] = await client.consume(QUEUE);
    const ack = (receipt: string) => client.post('/v1/queue/ack', { queue: QUEUE, receipt });
    expect((await ack(first.receipt)).error?.code).toBe('QUEUE_MESSAGE_NOT_IN_FLIGHT');
    expect((await ack(second.receipt)).ok).toBe(true);
  });

  it('an ack that reads one field only, and answers in another form', async () => {
    style({ ackField: 'receipt_handle', ackData: 'null', lateAckStatus: 200 });
    const [message] = (await consumed()).items;
    expect((await client.ack(QUEUE, message.message_id)).status).toBe(422);
    const ack = () =>
      client.post('/v1/queue/ack', { queue: QUEUE, receipt_handle: message.message_id });
    expect(await ack()).toMatchObject({ status: 200, ok: true, data: null });
    expect(await ack()).toMatchObject({
      status: 200,
      ok: false,
      error: { code: 'QUEUE_MESSAGE_NOT_IN_FLIGHT' },
    });
  });
});

describe('control routes, for people and other processes', () => {
  const control = async (path: string, json?: unknown) => {
    const method = json === undefined ? 'GET' : 'POST';
    const answer = await new InfraiClient(emulator.url, null).raw(
      method,
      `/_emulator/${path}`,
      json,
    );
    return { status: answer.status, ...JSON.parse(answer.text) };
  };

  it('drives the clock', async () => {
    clock.setNow(START);
    await client.publish(QUEUE, { n: 1 }, { delay_seconds: 60 });
    expect(await control('clock', { advance_ms: 60_000 })).toEqual({
      status: 200,
      now: START + 60_000,
      frozen: true,
    });
    expect(await available()).toBe(1);
    expect((await control('clock', { now: START })).now).toBe(START);
    expect((await control('clock', {})).status).toBe(400);
  });

  it('plans faults and refuses a plan that cannot be', async () => {
    const script = [{ route: 'queue.ack', times: 2, fault: { kind: 'dropped', applied: true } }];
    expect(await control('faults', { script })).toMatchObject({ status: 200, scriptedLeft: 2 });
    expect(await control('faults', { clear: true, latencyMs: 3 })).toMatchObject({
      scriptedLeft: 0,
      latencyMs: 3,
    });
    const wrong = await control('faults', {
      script: [{ route: 'queue.ack', fault: { kind: 'drop' } }],
    });
    expect(wrong.status).toBe(400);
    expect(wrong.error).toContain('script[0].fault');
    expect((await control('nonsense', {})).status).toBe(404);
  });

  it('switches behaviours, and leaves those not named as they are', async () => {
    await control('settings', { behaviour: { visibility: 'ignored' }, style: { idField: 'id' } });
    const settings = await control('settings', { balanceUsd: 3 });
    expect(settings.behaviour).toMatchObject({ visibility: 'ignored', redeliveryDelayMs: 6_000 });
    expect(settings.style).toMatchObject({ idField: 'id', consumeWrapper: 'items' });
    expect((await client.get('/v1/account/balance')).data.balance_usd).toBe(3);
  });

  it('shows the state and resets it', async () => {
    await client.publish(QUEUE, { n: 1 });
    expect(await control('state')).toMatchObject({
      counters: { published: 1 },
      calls: { 'queue.publish': 1 },
      queues: { [QUEUE]: { availableCount: 1 }, [`${QUEUE}.dlq`]: { availableCount: 0 } },
    });
    await control('reset', {});
    expect(await control('state')).toMatchObject({
      counters: { published: 0 },
      queues: { [QUEUE]: { availableCount: 0 } },
    });
  });
});

describe('restart', () => {
  it('is down, comes back on its port, and keeps what it held', async () => {
    const { port } = emulator;
    await client.publish(QUEUE, { n: 1 }, { idempotency_key: 'k1' });
    await emulator.close();
    expect(await failureOf(client.stats(QUEUE))).not.toBe('answered');
    await emulator.start();
    expect(emulator.port).toBe(port);
    expect(await available()).toBe(1);
    const again = await client.post(PUBLISH, { ...body(1), idempotency_key: 'k1' });
    expect(again.metadata['cache_hit']).toBe(true);
  });

  it('forgets by choice', async () => {
    await client.publish(QUEUE, { n: 1 });
    await emulator.close();
    expect(await failureOf(client.stats(QUEUE))).not.toBe('answered');
    await emulator.restart('dropped');
    expect(await available()).toBe(0);
  });

  it('breaks calls that are under way', async () => {
    emulator.faults.script('queue.stats', { kind: 'hang' });
    const pending = failureOf(client.stats(QUEUE));
    await expect.poll(() => emulator.surface.calls.count('queue.stats')).toBe(1);
    await emulator.close();
    expect(await pending).not.toBe('answered');
    await emulator.start();
  });

  it('hands its model to a successor', async () => {
    const first = await startQueueEmulator({ clock, queues: [QUEUE] });
    await new InfraiClient(first.url).publish(QUEUE, { n: 1 });
    await first.close();
    await using second = await startQueueEmulator({ clock, model: first.model, port: first.port });
    expect(second.port).toBe(first.port);
    expect(second.model.stats(QUEUE, clock.now())).toMatchObject({ availableCount: 1 });
  });
});
