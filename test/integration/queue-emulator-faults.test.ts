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

describe('one scripted fault', () => {
  it('429 with seconds, with a date, with nothing', async () => {
    clock.setNow(START);
    emulator.faults
      .script('queue.publish', { kind: 'rate-limited', retryAfter: { seconds: 7 } })
      .script('queue.publish', { kind: 'rate-limited', retryAfter: { dateInSeconds: 90 } })
      .script('queue.publish', { kind: 'rate-limited', retryAfter: { raw: 'soon' } })
      .script('queue.publish', { kind: 'rate-limited' });
    const waits: (string | null)[] = [];
    for (let call = 0; call < 4; call += 1) {
      const answer = await client.raw('POST', PUBLISH, body(call));
      expect(answer.status).toBe(429);
      expect(JSON.parse(answer.text).error).toMatchObject({
        code: 'RATE_LIMITED',
        retryable: true,
      });
      waits.push(answer.headers.get('retry-after'));
    }
    expect(waits).toEqual(['7', 'Sun, 26 Jul 2026 09:01:30 GMT', 'soon', null]);
    expect(await available()).toBe(0);
  });

  it('the date of a 429 is relative to the Date of the answer', async () => {
    clock.setNow(START);
    const retryAfter = { dateInSeconds: 90 };
    emulator.faults.script('queue.publish', { kind: 'rate-limited', retryAfter });
    const { headers } = await client.raw('POST', PUBLISH, body(1));
    const waitMs =
      Date.parse(headers.get('retry-after') ?? '') - Date.parse(headers.get('date') ?? '');
    expect(waitMs).toBe(90_000);
  });

  it('402 while there is money', async () => {
    emulator.faults.script('queue.publish', { kind: 'insufficient-credit' });
    const refused = await client.post(PUBLISH, body(1));
    expect(refused).toMatchObject({ status: 402, error: { code: 'INSUFFICIENT_CREDIT' } });
    expect(await available()).toBe(0);
  });

  it('5xx that is not JSON, before or after the work', async () => {
    emulator.faults
      .script('queue.publish', { kind: 'server-error', status: 502 })
      .script('queue.publish', { kind: 'server-error', applied: true });
    const before = await client.raw('POST', PUBLISH, body(1));
    expect(before.status).toBe(502);
    expect(() => JSON.parse(before.text)).toThrow(SyntaxError);
    expect(await available()).toBe(0);
    expect((await client.raw('POST', PUBLISH, body(1))).status).toBe(503);
    expect(await available()).toBe(1);
  });

  it('ok:false under HTTP 200, with an error object or a plain string', async () => {
    emulator.faults
      .script('queue.publish', { kind: 'not-ok', code: 'VENDOR_DOWN', retryable: true })
      .script('queue.publish', { kind: 'not-ok', status: 400, code: 'bad', plainString: true });
    expect(await client.post(PUBLISH, body(1))).toMatchObject({
      status: 200,
      ok: false,
      data: null,
      error: { code: 'VENDOR_DOWN', retryable: true },
    });
    expect(await client.post(PUBLISH, body(1))).toMatchObject({ status: 400, error: 'bad' });
    expect(await available()).toBe(0);
  });

  it('a connection dropped before the work, after it, or in the middle of the answer', async () => {
    emulator.faults
      .script('queue.publish', { kind: 'dropped', applied: false })
      .script('queue.publish', { kind: 'dropped', applied: true })
      .script('queue.publish', { kind: 'cut' });
    expect(await failureOf(client.raw('POST', PUBLISH, body(1)))).not.toBe('answered');
    expect(await available()).toBe(0);
    expect(await failureOf(client.raw('POST', PUBLISH, body(1)))).not.toBe('answered');
    expect(await available()).toBe(1);
    expect(await failureOf(client.raw('POST', PUBLISH, body(2)))).not.toBe('answered');
    expect(await available()).toBe(2);
  });

  it('a publish whose answer was lost is made good by its key', async () => {
    emulator.faults.script('queue.publish', { kind: 'dropped', applied: true });
    const keyed = { ...body(1), idempotency_key: 'k1' };
    await failureOf(client.raw('POST', PUBLISH, keyed));
    const again = await client.post(PUBLISH, keyed);
    expect(again.metadata['cache_hit']).toBe(true);
    expect(await client.consume(QUEUE)).toMatchObject([{ message_id: again.data.message_id }]);
  });

  it('a consume whose answer was lost has leased the messages all the same', async () => {
    await client.publish(QUEUE, { n: 1 });
    emulator.faults.script('queue.consume', { kind: 'dropped', applied: true });
    await failureOf(client.consume(QUEUE));
    expect(await client.consume(QUEUE)).toEqual([]);
    clock.advance(6_000);
    expect(await client.consume(QUEUE)).toMatchObject([{ delivery_count: 2 }]);
  });

  it('no answer at all: the caller has to give up', async () => {
    emulator.faults.script('queue.publish', { kind: 'hang', applied: true });
    const impatient = fetch(emulator.url + PUBLISH, {
      method: 'POST',
      headers: { authorization: 'Bearer x' },
      body: JSON.stringify(body(1)),
      signal: AbortSignal.timeout(50),
    });
    expect(await failureOf(impatient)).toBe('TimeoutError');
    expect(await available()).toBe(1);
  });

  it('a slow answer, and a fixed latency for all', async () => {
    emulator.faults.script('queue.publish', { kind: 'slow', latencyMs: 60 });
    let startedAt = performance.now();
    await client.publish(QUEUE, { n: 1 });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
    emulator.faults.latencyMs = 60;
    startedAt = performance.now();
    await client.stats(QUEUE);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
  });

  it('an acked message comes back once more, by its own id', async () => {
    const id = await client.publish(QUEUE, { n: 1 });
    await client.consume(QUEUE);
    emulator.faults.script('queue.ack', { kind: 'redeliver-acked' });
    expect((await client.ack(QUEUE, id)).ok).toBe(true);
    expect(await client.consume(QUEUE)).toEqual([]);
    clock.advance(6_000);
    expect(await client.consume(QUEUE)).toMatchObject([{ message_id: id, delivery_count: 2 }]);
    expect((await client.ack(QUEUE, id)).ok).toBe(true);
    clock.advance(6_000);
    expect(await client.consume(QUEUE)).toEqual([]);
  });

  it('a short lease puts one message into two hands', async () => {
    await client.publish(QUEUE, { n: 1 });
    emulator.faults.script('queue.consume', { kind: 'short-lease', leaseMs: 0 });
    const [first] = await client.consume(QUEUE, { visibility_timeout: 60 });
    const [second] = await client.consume(QUEUE, { visibility_timeout: 60 });
    expect([first.delivery_count, second.delivery_count]).toEqual([1, 2]);
    expect(second.message_id).toBe(first.message_id);
  });

  it('discovery may answer 429', async () => {
    emulator.faults.script('discovery.get', { kind: 'rate-limited' });
    expect((await client.raw('GET', '/v1/discovery/queue.consume')).status).toBe(429);
    expect((await client.raw('GET', '/v1/discovery/queue.consume')).status).toBe(200);
  });
});

describe('the plan', () => {
  it('runs a script in order, lets calls pass where it says so, and touches one route only', async () => {
    emulator.faults
      .script('queue.publish', 'pass', 2)
      .script('queue.publish', { kind: 'server-error' }, 2);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      statuses.push((await client.raw('POST', PUBLISH, body(n))).status);
      expect((await client.raw('GET', `/v1/queue/stats/${QUEUE}`)).status).toBe(200);
    }
    expect(statuses).toEqual([200, 200, 503, 503, 200, 200]);
  });

  it('draws faults by probability, the same ones for the same seed', async () => {
    const run = async (seed: number): Promise<string> => {
      await using other = await startQueueEmulator({ seed, queues: [QUEUE] });
      other.faults.rule('queue.publish', 0.5, { kind: 'server-error' });
      const its = new InfraiClient(other.url);
      const statuses: number[] = [];
      for (let n = 0; n < 40; n += 1) {
        statuses.push((await its.raw('POST', PUBLISH, body(n))).status);
      }
      return statuses.join(' ');
    };
    const first = await run(7);
    expect(first).toContain('200');
    expect(first).toContain('503');
    expect(await run(7)).toBe(first);
    expect(await run(8)).not.toBe(first);
  });

  it('shows what was called, with keys and faults', async () => {
    emulator.faults.script('queue.publish', { kind: 'cut' });
    await failureOf(client.post(PUBLISH, body(1), { 'idempotency-key': 'k1' }));
    expect(emulator.surface.calls.list('queue.publish')).toEqual([
      { route: 'queue.publish', body: body(1), idempotencyKey: 'k1', fault: 'cut' },
    ]);
  });
});
