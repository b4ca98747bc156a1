import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REDRIVEN, REOPENED } from '#core/reopen.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { DAY_MS, DUE_AT, HOUR_MS } from '#test/support/core-data.ts';
import { openRedriveStand, type RedriveStand } from '#test/support/redrive-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const PLAN = { mode: 'plan' };
const LEASE_MS = 31_000;

type Kind = {
  readonly expected: string;
  readonly plant: (stand: RedriveStand, payload: Record<string, unknown>) => Promise<unknown>;
  readonly change?: Record<string, unknown>;
};

/** Every kind of dead letter that a queue can hold, and what the plan must say about it. */
const KINDS: readonly Kind[] = [
  { expected: 'settle SENT', plant: (s, p) => s.plantRow(p, 'SENT') },
  { expected: 'settle REJECTED', plant: (s, p) => s.plantRow(p, 'REJECTED') },
  { expected: 'settle EXPIRED', plant: (s, p) => s.plantRow(p, 'EXPIRED') },
  {
    expected: 'settle USE_BY_PASSED',
    plant: (s, p) => s.plantRow(p, 'EXHAUSTED'),
    change: { use_by: new Date(DUE_AT + 60_000).toISOString() },
  },
  {
    expected: 'settle USE_BY_PASSED',
    plant: async () => {},
    change: { use_by: new Date(DUE_AT + 60_000).toISOString() },
  },
  { expected: 'redrive EXHAUSTED', plant: (s, p) => s.plantRow(p, 'EXHAUSTED') },
  {
    expected: 'redrive EXHAUSTED',
    plant: (s, p) => s.plantRow(p, 'EXHAUSTED', { redriveCount: 2 }),
  },
  { expected: 'redrive DEFERRED', plant: (s, p) => s.plantRow(p, 'DEFERRED') },
  {
    expected: 'redrive DEFERRED',
    plant: (s, p) => s.plantRow(p, 'DEFERRED', { notBefore: DUE_AT + DAY_MS }),
  },
  {
    expected: 'redrive DEFERRED',
    plant: (s, p) => s.plantRow(p, 'DEFERRED', { reason: REDRIVEN, redriveCount: 1 }),
  },
  {
    expected: 'redrive REOPENED_EARLIER',
    plant: (s, p) => s.plantRow(p, 'DEFERRED', { reason: REOPENED, redriveCount: 3 }),
  },
  { expected: 'redrive NO_ROW', plant: async () => {} },
  {
    expected: 'redrive NO_ROW',
    plant: async () => {},
    change: { scheduled_at: new Date(DUE_AT + 2 * DAY_MS).toISOString() },
  },
  { expected: 'redrive UNKNOWN_DEDUPES', plant: (s, p) => s.plantRow(p, 'UNKNOWN') },
  { expected: 'redrive UNKNOWN_DEDUPES', plant: (s, p) => s.plantRow(p, 'CLAIMED') },
  {
    expected: 'redrive UNKNOWN_QUERYABLE',
    plant: (s, p) => s.plantRow(p, 'UNKNOWN'),
    change: { channel: 'ask' },
  },
  { expected: 'keep AT_CAP', plant: (s, p) => s.plantRow(p, 'EXHAUSTED', { redriveCount: 3 }) },
  {
    expected: 'keep PROVIDER_WINDOW_OVER',
    plant: (s, p) => s.plantRow(p, 'UNKNOWN', { firstSendAt: DUE_AT - 25 * HOUR_MS }),
  },
  {
    expected: 'keep DECISION_NEEDED',
    plant: (s, p) => s.plantRow(p, 'UNKNOWN', { reason: 'PARKED_BLIND' }),
    change: { channel: 'blind' },
  },
  {
    expected: 'keep CONTENT_CONFLICT',
    plant: (s, p) => s.plantRow(p, 'EXHAUSTED', { bodyHash: 'b1_other' }),
  },
  {
    expected: 'keep CLAIM_ALIVE',
    plant: (s, p) => s.plantRow(p, 'CLAIMED', { leaseUntil: DUE_AT + 2 * DAY_MS }),
  },
  { expected: 'keep INVALID_PAYLOAD', plant: async () => {}, change: { user_id: '   ' } },
  { expected: 'keep INVALID_PAYLOAD', plant: async () => {}, change: { channel: 'pigeon' } },
];

/** `perKind` dead letters of each kind, and a second copy of every tenth. */
async function plantAll(stand: RedriveStand, perKind: number): Promise<Map<string, number>> {
  const expected = new Map<string, number>();
  const count = (name: string) => expected.set(name, (expected.get(name) ?? 0) + 1);
  const payloads: Record<string, unknown>[] = [];
  for (let index = 0; index < perKind * KINDS.length; index += 1) {
    const kind = KINDS[index % KINDS.length] as Kind;
    const payload = stand.payload(index, kind.change);
    await kind.plant(stand, payload);
    payloads.push(payload);
    count(kind.expected);
    if (index % 10 !== 0) continue;
    payloads.push({ ...payload, attempt: 0, hop: 1 });
    const redriven = kind.expected.startsWith('redrive');
    const expired = kind.expected.endsWith('USE_BY_PASSED') ? 'settle EXPIRED' : kind.expected;
    count(redriven ? 'redrive SAME_REMINDER' : expired);
  }
  stand.plantDeadLetters(...payloads);
  return expected;
}

const countsOf = (report: {
  decisions: readonly { action: string; reason: string; count: number }[];
}) => new Map(report.decisions.map(({ action, reason, count }) => [`${action} ${reason}`, count]));

describe('a plan', () => {
  test('equals the result, count by count and example by example, on more than 200 dead letters', async () => {
    const stand = await openRedriveStand(engine);
    const expected = await plantAll(stand, 10);
    const total = [...expected.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(250);

    const plan = await stand.redrive(PLAN);
    const result = await stand.redrive({ mode: 'redrive' });

    expect(countsOf(plan)).toEqual(expected);
    expect(plan).toMatchObject({ examined: total, results: null, end: 'dead-letters-read' });
    expect(result.decisions).toEqual(plan.decisions);
    expect(result.totals).toEqual(plan.totals);
    expect(result).toMatchObject({
      results: {
        redriven: plan.totals.redrive,
        settled: plan.totals.settle,
        kept: plan.totals.keep,
        failed: 0,
        vanished: 0,
      },
      left: plan.totals.keep,
    });
    await stand.consume();
    expect(stand.provider.effects.duplicated().size).toBe(0);
    expect(stand.deadLetters()).toHaveLength(plan.totals.keep);
  });

  test('of a scheduled run equals it too', async () => {
    const stand = await openRedriveStand(engine);
    await plantAll(stand, 2);
    const plan = await stand.redrive(PLAN);
    const result = await stand.redrive();
    expect(result.decisions).toEqual(plan.decisions);
  });

  test.each([
    ['a state', { filter: { state: 'EXHAUSTED' } }],
    ['a user, by keyed reference', { filter: { userId: 'user-3' } }],
    ['a channel and a reason', { filter: { channel: 'push', reason: 'TEST_EXHAUSTED' } }],
    ['force', { force: true }],
  ])('with %s equals the result', async (_name, fields) => {
    const stand = await openRedriveStand(engine);
    await plantAll(stand, 2);
    const plan = await stand.redrive({ ...PLAN, ...fields });
    const result = await stand.redrive({ mode: 'redrive', ...fields });
    expect(result.decisions).toEqual(plan.decisions);
    expect(result.filteredOut).toBe(plan.filteredOut);
    expect(result.totals.redrive).toBeGreaterThan(0);
  });

  test('with a bound says as many as go back; which ones is up to the queue’s order', async () => {
    const stand = await openRedriveStand(engine);
    await plantAll(stand, 2);
    const plan = await stand.redrive({ ...PLAN, max: 7 });
    const result = await stand.redrive({ mode: 'redrive', max: 7 });
    expect(plan).toMatchObject({ end: 'max', totals: { redrive: 7 } });
    expect(result).toMatchObject({ end: 'max', totals: { redrive: 7 }, results: { redriven: 7 } });
  });

  test('changes nothing that a consumer could notice', async () => {
    const stand = await openRedriveStand(engine);
    await plantAll(stand, 1);
    const deadBefore = stand.deadLetters().length;
    const puts = () =>
      stand.proxy.requests.filter(
        ({ operation, body }) => operation === 'PutItem' && /"k1_/.test(body),
      );
    const putsBefore = puts().length;
    expect(putsBefore).toBeGreaterThan(0);

    await stand.redrive(PLAN);

    expect(puts().length).toBe(putsBefore);
    expect(stand.queue.model.counters).toMatchObject({ acked: 0, redriven: 0 });
    expect(stand.live()).toEqual([]);
    stand.clock.advance(LEASE_MS);
    expect(stand.deadLetters()).toHaveLength(deadBefore);
    expect(stand.queue.model.stats('reminders.dlq', stand.clock.now())).toMatchObject({
      availableCount: deadBefore,
      inFlightCount: 0,
    });
  });

  test('filtered dead letters stay untouched', async () => {
    const stand = await openRedriveStand(engine);
    const [wanted, other] = [stand.payload(1), stand.payload(2)];
    for (const payload of [wanted, other]) await stand.plantRow(payload, 'EXHAUSTED');
    stand.plantDeadLetters(wanted, other);
    const report = await stand.redrive({ mode: 'redrive', filter: { reminderId: 'reminder-1' } });
    expect(report).toMatchObject({
      examined: 2,
      filteredOut: 1,
      results: { redriven: 1 },
      left: 1,
    });
    expect((await stand.rowOf(other))?.redriveCount).toBe(0);
  });
});

describe('a dead letter', () => {
  test('of a sent reminder disappears without a send', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = [0, 1, 2].map((index) => stand.payload(index));
    for (const payload of payloads) await stand.plantRow(payload, 'SENT');
    stand.plantDeadLetters(...payloads);
    expect(await stand.redrive()).toMatchObject({
      results: { settled: 3, redriven: 0 },
      left: 0,
      summary: '3 already sent (settled)',
    });
    await stand.consume();
    expect(stand.deadLetters()).toEqual([]);
    expect(stand.live()).toEqual([]);
    expect(stand.provider.calls.counts()).toEqual({});
  });

  test('and its stale duplicate are redriven and counted once; one is sent', async () => {
    const stand = await openRedriveStand(engine);
    const copies = [0, 1, 2].map((attempt) => stand.payload(0, { attempt }));
    const [copy = {}] = copies;
    await stand.plantRow(copy, 'EXHAUSTED', { attempt: 2, attemptLimit: 3 });
    stand.plantDeadLetters(...copies);
    const report = await stand.redrive();
    expect(countsOf(report)).toEqual(
      new Map([
        ['redrive SAME_REMINDER', 2],
        ['redrive EXHAUSTED', 1],
      ]),
    );
    expect((await stand.rowOf(copy))?.redriveCount).toBe(1);
    await stand.consumeUntil(stand.clock.now() + HOUR_MS);
    expect(stand.effectsOf(copy)).toBe(1);
    expect(stand.live()).toEqual([]);
  });

  test('older than a living copy: redriving it is absorbed, the living copy is not lost', async () => {
    const stand = await openRedriveStand(engine);
    const payload = stand.payload(0);
    const notBefore = stand.clock.now() + HOUR_MS;
    await stand.plantRow(payload, 'DEFERRED', { attempt: 1, notBefore });
    stand.plantDeadLetters(payload);
    const sendKey = stand.deliveryOf(payload).identity.sendKey;
    const living = { ...payload, attempt: 1, hop: 0 };
    const publish = { queue: 'reminders', payload: living, delaySeconds: 3600 };
    stand.queue.model.publish({ ...publish, idempotencyKey: `${sendKey}-1-0` }, stand.clock.now());

    expect((await stand.redrive()).results?.redriven).toBe(1);
    await stand.consume();
    expect(stand.provider.calls.counts()).toEqual({});
    expect(stand.live()).toHaveLength(1);
    await stand.consumeUntil(stand.clock.now() + 2 * HOUR_MS);
    expect(stand.effectsOf(payload)).toBe(1);
    expect(stand.live()).toEqual([]);
    expect(stand.deadLetters()).toEqual([]);
  });

  test('whose publish failed while it waited is made good: its copy is due when it was to be', async () => {
    const stand = await openRedriveStand(engine);
    const payload = stand.payload(0);
    const notBefore = stand.clock.now() + HOUR_MS;
    await stand.plantRow(payload, 'DEFERRED', { attempt: 1, notBefore });
    stand.plantDeadLetters(payload);
    expect((await stand.redrive()).results?.redriven).toBe(1);
    await stand.consumeUntil(notBefore - 60_000);
    expect(stand.provider.calls.counts()).toEqual({});
    await stand.consumeUntil(notBefore + 60_000);
    expect(stand.effectsOf(payload)).toBe(1);
  });
});
