import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QueueModel } from '#infra/local/queue-emulator/queue-model.ts';

const QUEUE = 'q';
const DEAD = 'q.dlq';
const LEASE_MS = 6_000;
const RETENTION_MS = 30 * 86_400_000;

/** One message as a list entry; everything about it is computed by looking at all of them. */
type Entry = {
  readonly id: string;
  in: 'queue' | 'dead' | 'gone';
  availableAt: number;
  /** Start of its retention. */
  keptFrom: number;
  leasedUntil: number | null;
  deliveries: number;
};

/** The queue once more, slow and simple: no heap, no order, every question a scan. */
class SlowQueue {
  readonly entries: Entry[] = [];

  settle(now: number): void {
    for (const entry of this.entries) {
      if (entry.in !== 'gone' && entry.leasedUntil !== null && entry.leasedUntil <= now) {
        const overAt = entry.leasedUntil;
        entry.leasedUntil = null;
        entry.availableAt = overAt;
        if (entry.in === 'queue' && entry.deliveries >= 3) {
          entry.in = 'dead';
          entry.deliveries = 0;
          entry.keptFrom = overAt;
        }
      }
      if (entry.in !== 'gone' && entry.keptFrom + RETENTION_MS <= now) entry.in = 'gone';
    }
  }

  at(place: 'queue' | 'dead'): Entry[] {
    return this.entries.filter((entry) => entry.in === place);
  }

  free(place: 'queue' | 'dead', now: number): Entry[] {
    return this.at(place).filter((one) => one.leasedUntil === null && one.availableAt <= now);
  }
}

type Step =
  | { readonly do: 'publish'; readonly delaySeconds: number }
  | {
      readonly do: 'consume';
      readonly from: 'queue' | 'dead';
      readonly max: number;
      readonly leaseMs: number;
    }
  | { readonly do: 'ack' | 'nack'; readonly from: 'queue' | 'dead'; readonly pick: number }
  | { readonly do: 'redrive'; readonly pick: number }
  | { readonly do: 'wait'; readonly ms: number };

const place = fc.constantFrom('queue' as const, 'dead' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('publish' as const),
    delaySeconds: fc.constantFrom(0, 0, 1, 60, 604_800),
  }),
  fc.record({
    do: fc.constant('consume' as const),
    from: place,
    max: fc.integer({ min: 1, max: 12 }),
    leaseMs: fc.constantFrom(LEASE_MS, 0, 30_000),
  }),
  fc.record({
    do: fc.constantFrom('ack' as const, 'nack' as const),
    from: place,
    pick: fc.nat(30),
  }),
  fc.record({ do: fc.constant('redrive' as const), pick: fc.nat(30) }),
  fc.record({
    do: fc.constant('wait' as const),
    ms: fc.constantFrom(1, 1_000, LEASE_MS, 60_000, 86_400_000, 16 * 86_400_000),
  }),
);

describe('the queue model against a slow and simple one', () => {
  it('agrees in every answer and every figure, whatever happens in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 150, size: 'max' }), (steps) => {
        const fast = new QueueModel({ queues: [QUEUE], behaviour: { derivedKeys: false } });
        const slow = new SlowQueue();
        let now = 1_000;
        for (const one of steps) {
          now += one.do === 'wait' ? one.ms : 0;
          slow.settle(now);
          perform(one, fast, slow, now);
          slow.settle(now);
          compare(fast, slow, now);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function perform(one: Step, fast: QueueModel, slow: SlowQueue, now: number): void {
  if (one.do === 'publish') {
    const request = { queue: QUEUE, payload: {}, delaySeconds: one.delaySeconds };
    const published = fast.publish(request, now);
    if (published.kind === 'refused') throw new Error(published.code);
    const availableAt = now + one.delaySeconds * 1000;
    slow.entries.push({
      id: published.messageId,
      in: 'queue',
      availableAt,
      keptFrom: availableAt,
      leasedUntil: null,
      deliveries: 0,
    });
  }
  if (one.do === 'consume') consume(one, fast, slow, now);
  if (one.do === 'ack' || one.do === 'nack') settle(one, fast, slow, now);
  if (one.do === 'redrive') redrive(one.pick, fast, slow, now);
}

function consume(
  one: Extract<Step, { do: 'consume' }>,
  fast: QueueModel,
  slow: SlowQueue,
  now: number,
): void {
  const queue = one.from === 'queue' ? QUEUE : DEAD;
  const request = { queue, maxMessages: one.max, leaseMs: one.leaseMs };
  const got = fast.consume(request, now);
  if (got.kind === 'refused') throw new Error(got.code);
  const free = slow.free(one.from, now);
  expect(got.messages).toHaveLength(Math.min(one.max, 10, free.length));
  let before = Number.NEGATIVE_INFINITY;
  for (const message of got.messages) {
    const entry = free.find((candidate) => candidate.id === message.messageId);
    if (entry === undefined) throw new Error('a message was delivered that was not available');
    expect(entry.availableAt).toBeGreaterThanOrEqual(before);
    before = entry.availableAt;
    entry.deliveries += 1;
    entry.leasedUntil = now + one.leaseMs;
    expect(message.deliveryCount).toBe(entry.deliveries);
  }
}

function settle(
  one: Extract<Step, { do: 'ack' | 'nack' }>,
  fast: QueueModel,
  slow: SlowQueue,
  now: number,
): void {
  const entry = slow.entries[one.pick];
  if (entry === undefined) return;
  const request = { queue: one.from === 'queue' ? QUEUE : DEAD, messageId: entry.id };
  const answer = one.do === 'ack' ? fast.ack(request, now) : fast.nack(request, now);
  if (entry.in !== one.from || entry.leasedUntil === null) {
    expect(answer).toMatchObject({ kind: 'refused', code: 'QUEUE_MESSAGE_NOT_IN_FLIGHT' });
    return;
  }
  expect(answer.kind).toBe(`${one.do}ed`);
  if (one.do === 'ack') entry.in = 'gone';
  else entry.leasedUntil = now;
}

function redrive(pick: number, fast: QueueModel, slow: SlowQueue, now: number): void {
  const entry = slow.entries[pick];
  if (entry === undefined) return;
  const answer = fast.redrive(QUEUE, entry.id, now);
  expect(answer.kind).toBe(entry.in === 'dead' ? 'redriven' : 'refused');
  if (entry.in !== 'dead') return;
  entry.in = 'queue';
  entry.availableAt = now;
  entry.keptFrom = now;
  entry.leasedUntil = null;
  entry.deliveries = 0;
}

function compare(fast: QueueModel, slow: SlowQueue, now: number): void {
  for (const [name, where] of [
    [QUEUE, 'queue'],
    [DEAD, 'dead'],
  ] as const) {
    const held = slow.at(where);
    const inFlight = held.filter((entry) => entry.leasedUntil !== null);
    const delayed = held.filter((entry) => entry.leasedUntil === null && entry.availableAt > now);
    const oldest = Math.min(now, ...held.map((entry) => entry.keptFrom));
    expect(fast.stats(name, now)).toEqual({
      kind: 'stats',
      availableCount: slow.free(where, now).length,
      inFlightCount: inFlight.length,
      delayedCount: delayed.length,
      dlqCount: where === 'queue' ? slow.at('dead').length : 0,
      oldestMessageAgeSeconds: Math.floor((now - oldest) / 1000),
    });
    const ids = fast.messages(name, now).map((message) => message.messageId);
    expect(ids.toSorted()).toEqual(held.map((entry) => entry.id).toSorted());
  }
}
