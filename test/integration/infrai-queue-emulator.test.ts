import { afterEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { createInfraiAccount } from '#adapters/infrai/infrai-account.ts';
import { createInfraiDiscovery } from '#adapters/infrai/infrai-discovery.ts';
import {
  createInfraiDeadLetters,
  createInfraiQueue,
  type InfraiQueueOptions,
} from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import { systemRandom } from '#adapters/system/random.ts';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import {
  type QueueEmulatorOptions,
  startQueueEmulator,
} from '#infra/local/queue-emulator/queue-emulator.ts';
import type { ConsumeAnswer, QueueMessage } from '#ports';
import { HandClock } from '#test/support/hand-clock.ts';

const START = Date.UTC(2026, 6, 26, 9);
const NAME = 'reminders';
const PULL = { maxMessages: 10, visibilityTimeoutSeconds: 60 };

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function stage(
  options: QueueEmulatorOptions = {},
  dialect: Partial<Pick<InfraiQueueOptions, 'ackField' | 'payloadField'>> = {},
) {
  const clock = EmulatorClock.frozenAt(START);
  const emulator = await startQueueEmulator({ queues: [NAME], clock, ...options });
  const http = createHttpClient({ maxSockets: 5 });
  cleanUps.push(
    () => http.close(),
    () => emulator.close(),
  );
  const transport = createInfraiTransport({
    baseUrl: emulator.url,
    apiKey: 'ifr_test',
    http,
    clock: new HandClock(START),
    random: systemRandom,
    tryTimeoutMs: 300,
  });
  const queueOptions = {
    transport,
    name: NAME,
    random: systemRandom,
    telemetry: { count: () => undefined },
    ...dialect,
  };
  return {
    emulator,
    clock,
    transport,
    queue: createInfraiQueue(queueOptions),
    deadLetters: createInfraiDeadLetters(queueOptions),
  };
}

const copy = (n: number, delaySeconds = 0) => ({
  payload: { reminder_id: `r-${n}` },
  delaySeconds,
  idempotencyKey: `k1_${n}-0-0`,
});

function messagesOf(answer: ConsumeAnswer): readonly QueueMessage[] {
  if (answer.kind === 'failed') throw new Error(`consume failed: ${answer.code}`);
  return answer.messages;
}

function only(answer: ConsumeAnswer): QueueMessage {
  const [message, ...others] = messagesOf(answer);
  if (message === undefined || others.length > 0) throw new Error('not one message');
  return message;
}

describe('field report 57: every answer form of consume, published, delivered and acked', () => {
  const wrappers = ['items', 'messages', 'array'] as const;
  const forms = [
    { payloadField: 'payload', payloadForm: 'object', idField: 'message_id' },
    { payloadField: 'body', payloadForm: 'json-string', idField: 'id' },
  ] as const;
  const receipts = [
    { receiptField: 'none', ackField: 'message_id' },
    { receiptField: 'receipt_handle', ackField: 'receipt_handle' },
    { receiptField: 'receipt', ackField: 'receipt_handle' },
  ] as const;
  const styles = wrappers.flatMap((consumeWrapper) =>
    forms.flatMap((form) => receipts.map((receipt) => ({ consumeWrapper, ...form, ...receipt }))),
  );

  test.each(styles)('$consumeWrapper $payloadField $idField $receiptField', async (style) => {
    const { queue } = await stage(
      { style: { ...style, receiptMeaning: 'delivery' } },
      { ackField: style.ackField },
    );
    await queue.publish(copy(1));
    const message = only(await queue.consume(PULL));
    expect(message).toMatchObject({ payload: { reminder_id: 'r-1' }, deliveryCount: 1 });
    expect(await queue.ack(message)).toEqual({ kind: 'acked' });
    expect(await queue.ack(message)).toEqual({ kind: 'not-in-flight' });
  });

  test('the payload field of publish', async () => {
    const { queue } = await stage({}, { payloadField: 'body' });
    expect(await queue.publish(copy(1))).toMatchObject({ kind: 'published' });
    expect(only(await queue.consume(PULL)).payload).toEqual({ reminder_id: 'r-1' });
  });
});

describe('a message’s life', () => {
  test('never more than ten to a pull', async () => {
    const { queue, emulator } = await stage();
    for (let n = 0; n < 12; n += 1) await queue.publish(copy(n));
    const pulled = messagesOf(await queue.consume({ ...PULL, maxMessages: 12 }));
    expect(pulled).toHaveLength(10);
    expect(emulator.surface.calls.list('queue.consume')[0]?.body).toMatchObject({
      max_messages: 10,
    });
  });

  test('a delayed copy arrives when it is due, and stats tell it apart', async () => {
    const { queue, clock } = await stage();
    await queue.publish(copy(1, 600));
    expect(messagesOf(await queue.consume(PULL))).toEqual([]);
    expect(await queue.stats()).toMatchObject({
      kind: 'stats',
      figures: { delayed_count: 1, available_count: 0 },
    });
    clock.advance(600_000);
    expect(only(await queue.consume(PULL)).payload).toEqual({ reminder_id: 'r-1' });
  });

  test('field report 48: an ack after the lease is a normal outcome', async () => {
    for (const lateAckStatus of [409, 404, 200] as const) {
      const { queue, clock } = await stage({ style: { lateAckStatus } });
      await queue.publish(copy(1));
      const message = only(await queue.consume(PULL));
      clock.advance(61_000);
      expect(await queue.ack(message)).toEqual({ kind: 'not-in-flight' });
    }
  });

  test('left three times it becomes a dead letter, and is redriven by id once', async () => {
    const { queue, deadLetters, clock } = await stage();
    await queue.publish(copy(1));
    for (let delivery = 0; delivery < 3; delivery += 1) {
      only(await queue.consume(PULL));
      clock.advance(61_000);
    }
    expect(messagesOf(await queue.consume(PULL))).toEqual([]);
    const dead = only(await deadLetters.consume(PULL));
    expect(await deadLetters.redrive(dead.messageId)).toEqual({ kind: 'redriven' });
    expect(await deadLetters.redrive(dead.messageId)).toMatchObject({ kind: 'gone' });
    expect(only(await queue.consume(PULL))).toMatchObject({
      messageId: dead.messageId,
      deliveryCount: 1,
    });
  });

  test('a queue that is not there', async () => {
    const { queue } = await stage({ queues: [] });
    const missing = { kind: 'failed', code: 'QUEUE_NOT_FOUND' };
    expect(await queue.consume(PULL)).toEqual(missing);
    expect(await queue.publish(copy(1))).toEqual(missing);
    expect(await queue.stats()).toEqual(missing);
  });
});

describe('lost answers', () => {
  test.each([
    { kind: 'dropped', applied: true },
    { kind: 'dropped', applied: false },
    { kind: 'cut' },
    { kind: 'hang', applied: true },
    { kind: 'server-error', applied: true },
    { kind: 'rate-limited', retryAfter: { dateInSeconds: 1 } },
  ] as const)('a publish under %o makes one message', async (fault) => {
    const { queue, emulator } = await stage();
    emulator.faults.script('queue.publish', fault);
    expect(await queue.publish(copy(1))).toMatchObject({ kind: 'published' });
    expect(emulator.surface.calls.count('queue.publish')).toBe(2);
    expect(messagesOf(await queue.consume(PULL))).toHaveLength(1);
  });

  test('a pull whose answer was lost is left alone: its messages come back by themselves', async () => {
    const { queue, emulator, clock } = await stage();
    await queue.publish(copy(1));
    emulator.faults.script('queue.consume', { kind: 'dropped', applied: true });
    expect(await queue.consume(PULL)).toEqual({ kind: 'failed', code: 'CONNECTION' });
    expect(emulator.surface.calls.count('queue.consume')).toBe(1);
    clock.advance(61_000);
    expect(only(await queue.consume(PULL)).deliveryCount).toBe(2);
  });

  test('an ack whose answer was lost is repeated and finds nothing in flight', async () => {
    const { queue, emulator } = await stage();
    await queue.publish(copy(1));
    const message = only(await queue.consume(PULL));
    emulator.faults.script('queue.ack', { kind: 'dropped', applied: true });
    expect(await queue.ack(message)).toEqual({ kind: 'not-in-flight' });
  });

  test('a redrive whose answer was lost is repeated under its key and counts once', async () => {
    const { queue, deadLetters, emulator, clock } = await stage();
    await queue.publish(copy(1));
    for (let delivery = 0; delivery < 3; delivery += 1) {
      only(await queue.consume(PULL));
      clock.advance(61_000);
    }
    const dead = only(await deadLetters.consume(PULL));
    emulator.faults.script('queue.dlq.redrive', { kind: 'dropped', applied: true });
    expect(await deadLetters.redrive(dead.messageId)).toEqual({ kind: 'redriven' });
    expect(emulator.model.counters.redriven).toBe(1);
  });
});

describe('the same publish key once more', () => {
  test('with the same body gives the first message', async () => {
    const { queue } = await stage({ behaviour: { keyConflict: 'refused' } });
    const first = await queue.publish(copy(1));
    expect(await queue.publish(copy(1))).toEqual(first);
  });

  test('with another body: the first result, or the word that it got through', async () => {
    const lenient = await stage({ behaviour: { keyConflict: 'first-result' } });
    const first = await lenient.queue.publish(copy(1));
    expect(await lenient.queue.publish({ ...copy(1), delaySeconds: 60 })).toEqual(first);
    const strict = await stage({ behaviour: { keyConflict: 'refused' } });
    await strict.queue.publish(copy(1));
    expect(await strict.queue.publish({ ...copy(1), delaySeconds: 60 })).toEqual({
      kind: 'already-published',
    });
    expect(messagesOf(await strict.queue.consume(PULL))).toHaveLength(1);
  });

  test('no credit is a failure: the original stays where it is', async () => {
    const { queue } = await stage({ balanceUsd: 0 });
    expect(await queue.publish(copy(1))).toEqual({ kind: 'failed', code: 'INSUFFICIENT_CREDIT' });
  });
});

describe('account and discovery', () => {
  test('the balance is passed on as sent', async () => {
    const { transport } = await stage({ balanceUsd: 12.5 });
    expect(await createInfraiAccount(transport).balance()).toMatchObject({
      kind: 'balance',
      figures: { balance_usd: 12.5, currency: 'USD' },
    });
  });

  test('a wrong key is a failure by code', async () => {
    const { transport } = await stage({ apiKeys: ['ifr_other'] });
    expect(await createInfraiAccount(transport).balance()).toEqual({
      kind: 'failed',
      code: 'UNAUTHORIZED',
    });
  });

  test('capabilities are described without an envelope, without a key, after a 429', async () => {
    const { transport, emulator } = await stage({ apiKeys: ['ifr_other'] });
    emulator.faults.script('discovery.get', {
      kind: 'rate-limited',
      retryAfter: { seconds: 1 },
    });
    const discovery = createInfraiDiscovery(transport);
    expect(await discovery.get('queue.consume')).toMatchObject({
      kind: 'capability',
      capability: { id: 'queue.consume', method: 'POST', path: '/v1/queue/consume' },
    });
    expect(await discovery.get('queue.peek')).toEqual({ kind: 'unknown-capability' });
    const list = await discovery.list();
    expect(list.kind === 'capabilities' && list.capabilities.map(({ id }) => id)).toContain(
      'queue.dlq.redrive',
    );
  });
});
