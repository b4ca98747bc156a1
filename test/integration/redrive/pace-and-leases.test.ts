import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { DAY_MS } from '#test/support/core-data.ts';
import { openRedriveStand, QUEUE, type RedriveStand } from '#test/support/redrive-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const DLQ = `${QUEUE}.dlq`;
const LEASE_MS = 31_000;

async function plantExhausted(stand: RedriveStand, count: number) {
  const payloads = Array.from({ length: count }, (_, index) => stand.payload(index));
  for (const payload of payloads) await stand.plantRow(payload, 'EXHAUSTED');
  stand.plantDeadLetters(...payloads);
  return payloads;
}

/** Notes the instant of every redrive. */
function timed(stand: RedriveStand): { readonly deps: RedriveDeps; readonly at: number[] } {
  const { deadLetters } = stand.deps;
  const at: number[] = [];
  const redrive: typeof deadLetters.redrive = (messageId) => {
    at.push(stand.clock.now());
    return deadLetters.redrive(messageId);
  };
  return { at, deps: { ...stand.deps, deadLetters: { ...deadLetters, redrive } } };
}

describe('the rate', () => {
  test('is honoured from the first redrive to the last', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 12);
    const { deps, at } = timed(stand);
    await stand.redrive({ mode: 'redrive', ratePerSecond: 2 }, { deps });
    const gaps = at.slice(1).map((instant, index) => instant - (at[index] ?? 0));
    expect(at).toHaveLength(12);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeLessThan(12_000);
  });

  test('429 with Retry-After: nothing goes before it, the refused one is not lost', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 6);
    const limited = { kind: 'rate-limited', retryAfter: { seconds: 25 } } as const;
    stand.queue.faults.script('queue.dlq.redrive', 'pass', 2);
    stand.queue.faults.script('queue.dlq.redrive', limited);
    const { deps, at } = timed(stand);
    const report = await stand.redrive(undefined, { deps });
    expect(report.results).toMatchObject({ redriven: 5, failed: 1 });
    expect(report.results?.failedByCode).toEqual({ 'queue:RATE_LIMITED': 1 });
    expect((at[3] ?? 0) - (at[2] ?? 0)).toBeGreaterThanOrEqual(25_000);
    stand.clock.advance(LEASE_MS);
    expect((await stand.redrive()).results?.redriven).toBe(1);
    for (const payload of payloads) expect((await stand.rowOf(payload))?.redriveCount).toBe(1);
  });

  test('429 without end: the run gives up, and everything is still there', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 20);
    stand.queue.faults.rule('queue.dlq.redrive', 1, { kind: 'rate-limited' });
    expect(await stand.redrive()).toMatchObject({
      end: 'queue-failed',
      endCode: 'RATE_LIMITED',
      results: { redriven: 0, failed: 8 },
      left: 20,
    });
    stand.queue.faults.clear();
    stand.clock.advance(LEASE_MS);
    expect(await stand.redrive()).toMatchObject({ results: { redriven: 20 }, left: 0 });
    for (const payload of payloads) expect((await stand.rowOf(payload))?.redriveCount).toBe(1);
  });
});

describe('the time budget', () => {
  test('ends the run in time, says what is left, and the next run goes on from there', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 60);
    const startedAt = stand.clock.now();
    const report = await stand.redrive({ mode: 'redrive', ratePerSecond: 1 }, { budgetMs: 60_000 });
    expect(report.end).toBe('run-budget');
    expect(stand.clock.now() - startedAt).toBeLessThanOrEqual(60_000);
    const { redriven = 0 } = report.results ?? {};
    expect(redriven).toBeGreaterThan(10);
    expect(report.left).toBe(60 - redriven);
    expect(await stand.redrive()).toMatchObject({
      end: 'dead-letters-read',
      results: { redriven: 60 - redriven },
      left: 0,
    });
    for (const payload of payloads) expect((await stand.rowOf(payload))?.redriveCount).toBe(1);
  });

  test('starts no dead letter that might not end in time, not even one that is in hand', async () => {
    const stand = await openRedriveStand(engine, { limits: { deadLetterLeaseSeconds: 600 } });
    await plantExhausted(stand, 10);
    const endsAt = stand.clock.now() + 60_000;
    const { deps, at } = timed(stand);
    const { redrive } = deps.deadLetters;
    const slow: typeof redrive = async (messageId) => {
      const answer = await redrive(messageId);
      stand.clock.advance(8_000);
      return answer;
    };
    const deadLetters = { ...deps.deadLetters, redrive: slow };
    const report = await stand.redrive(undefined, {
      deps: { ...deps, deadLetters },
      budgetMs: 60_000,
    });
    expect(report.end).toBe('run-budget');
    expect(Math.max(...at) + stand.deps.limits.worstDeadLetterMs).toBeLessThanOrEqual(endsAt);
    expect(report.left).toBe(10 - at.length);
  });

  test('too short for one dead letter: nothing is even read', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 1);
    const report = await stand.redrive(undefined, { budgetMs: 5_000 });
    expect(report).toMatchObject({ end: 'run-budget', examined: 0, left: 1 });
    expect(stand.queue.surface.calls.count('queue.consume')).toBe(0);
  });

  test('does not end within a canary’s wait without a word', async () => {
    const stand = await openRedriveStand(engine, { limits: { canarySize: 2 } });
    await plantExhausted(stand, 6);
    const report = await stand.redrive(undefined, { budgetMs: 60_000 });
    expect(report).toMatchObject({
      end: 'run-budget',
      results: { redriven: 2 },
      canaries: [{ verdict: 'open', pending: 2 }],
    });
  });
});

describe('reading is leasing', () => {
  test('a redrive right after its own dry run waits for the leases and finds everything', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 15);
    expect((await stand.redrive({ mode: 'plan' })).totals.redrive).toBe(15);
    const startedAt = stand.clock.now();
    expect((await stand.redrive({ mode: 'redrive' })).results?.redriven).toBe(15);
    expect(stand.clock.now() - startedAt).toBeGreaterThan(25_000);
  });

  test('what a run keeps comes back when its short lease is over', async () => {
    const stand = await openRedriveStand(engine);
    const payload = stand.payload(0);
    await stand.plantRow(payload, 'EXHAUSTED', { redriveCount: 3 });
    stand.plantDeadLetters(payload);
    await stand.redrive();
    const statsOf = () => stand.queue.model.stats(DLQ, stand.clock.now());
    expect(statsOf()).toMatchObject({ availableCount: 0, inFlightCount: 1 });
    stand.clock.advance(LEASE_MS);
    expect(statsOf()).toMatchObject({ availableCount: 1, inFlightCount: 0 });
  });

  test('a dead letter that is read for weeks is neither dropped nor moved on', async () => {
    const stand = await openRedriveStand(engine);
    const payload = stand.payload(0);
    await stand.plantRow(payload, 'UNKNOWN', { reason: 'PARKED_PROVIDER_CHANGED', provider: 'x' });
    stand.plantDeadLetters(payload);
    let highest: number | null = 0;
    for (let read = 1; read <= 50; read += 1) {
      const report = await stand.redrive({ mode: read % 2 === 0 ? 'plan' : 'redrive' });
      expect(report).toMatchObject({ examined: 1, left: 1, totals: { keep: 1 } });
      highest = report.highestDeliveryCount;
      stand.clock.advance(DAY_MS / 2);
    }
    // The proof that an operator sees: the broker has handed it out so often and still has it.
    expect(highest).toBe(50);
  });

  test('a queue that ignores the lease it was asked for: nothing twice, nothing lost', async () => {
    const stand = await openRedriveStand(engine);
    stand.queue.model.behaviour = { ...stand.queue.model.behaviour, visibility: 'ignored' };
    const payloads = await plantExhausted(stand, 20);
    for (const payload of payloads.slice(0, 4)) {
      const row = await stand.rowOf(payload);
      if (row === undefined) throw new Error('no row');
      await stand.deps.ledger.replace({ ...row, redriveCount: 3 }, row);
    }
    const report = await stand.redrive({ mode: 'redrive', ratePerSecond: 1 });
    expect(report).toMatchObject({ examined: 20, totals: { redrive: 16, keep: 4 }, left: 4 });
    expect(stand.queue.model.counters.redriven).toBe(16);
    await stand.consume();
    expect(stand.provider.effects.total).toBe(16);
  });

  test('an ack that comes too late is counted, and the next run settles it', async () => {
    const stand = await openRedriveStand(engine);
    const payload = stand.payload(0);
    await stand.plantRow(payload, 'SENT');
    stand.plantDeadLetters(payload);
    stand.queue.faults.script('queue.consume', { kind: 'short-lease', leaseMs: 0 });
    expect(await stand.redrive()).toMatchObject({
      results: { settled: 1, lateAcks: 1 },
      left: 1,
    });
    stand.clock.advance(LEASE_MS);
    expect(await stand.redrive()).toMatchObject({ results: { settled: 1, lateAcks: 0 }, left: 0 });
  });

  test('a pull that fails is tried again; one that never works ends the run', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 3);
    stand.queue.faults.script('queue.consume', { kind: 'server-error' }, 2);
    expect((await stand.redrive()).results?.redriven).toBe(3);
    stand.queue.faults.rule('queue.consume', 1, { kind: 'server-error' });
    expect(await stand.redrive()).toMatchObject({ end: 'queue-failed', endCode: 'HTTP_503' });
  });

  test('figures of the queue that are none do not become a 0', async () => {
    const stand = await openRedriveStand(engine);
    stand.plantDeadLetters(stand.payload(0));
    for (const figures of [{}, { available_count: '7' }, { available_count: -1 }]) {
      const stats = async () => ({ kind: 'stats' as const, figures });
      const deadLetters = { ...stand.deps.deadLetters, stats };
      const report = await stand.redrive(
        { mode: 'plan' },
        { deps: { ...stand.deps, deadLetters } },
      );
      expect(report.left).toBeNull();
    }
  });
});
