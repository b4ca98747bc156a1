import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REDRIVEN } from '#core/reopen.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { DAY_MS, HOUR_MS } from '#test/support/core-data.ts';
import { openRedriveStand, QUEUE, type RedriveStand } from '#test/support/redrive-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const WEEK_MS = 7 * DAY_MS;
/** A reminder that is still worth sending after a week, so that its cap is what ends it. */
const LONG_USE_BY = { useBySeconds: 30 * 86_400 };

/** A worker that takes every message and ends before it has done anything. */
function dieWithEverything({ queue, clock }: RedriveStand): void {
  for (let delivery = 1; delivery <= 3; delivery += 1) {
    queue.model.consume({ queue: QUEUE, maxMessages: 10 }, clock.now());
    clock.advance(61_000);
    queue.model.stats(QUEUE, clock.now());
  }
}

describe('a simulated week of hourly runs', () => {
  test('field report 52: what always fails is redriven up to its cap, then rests with its reason', async () => {
    const stand = await openRedriveStand(engine, {
      settings: LONG_USE_BY,
      limits: { canarySize: 5 },
    });
    const { clock, provider } = stand;
    provider.faults.rule('sick', 1, { kind: 'defer' });
    const failing = [0, 1].map((index) => stand.payload(index, { channel: 'sick' }));
    for (const payload of failing) {
      const idempotencyKey = `producer-${payload['reminder_id']}`;
      stand.queue.model.publish({ queue: QUEUE, payload, idempotencyKey }, clock.now());
    }
    stand.whileSleeping(() => stand.consume());
    const startedAt = clock.now();
    const end = startedAt + WEEK_MS;
    let redriven = 0;
    let callsAtRest = 0;
    let report = await stand.redrive();
    while (clock.now() < end) {
      await stand.consumeUntil(clock.now() + HOUR_MS);
      report = await stand.redrive();
      redriven += report.results?.redriven ?? 0;
      if (clock.now() < startedAt + 4 * DAY_MS) callsAtRest = provider.calls.count('sick');
    }

    expect(redriven).toBe(2 * 3);
    expect(report).toMatchObject({
      totals: { redrive: 0, settle: 0, keep: 2 },
      decisions: [{ reason: 'AT_CAP', count: 2, details: { HTTP_429: 2 } }],
      summary: '2 at their cap',
      left: 2,
    });
    for (const payload of failing) {
      expect(await stand.rowOf(payload)).toMatchObject({
        state: 'EXHAUSTED',
        redriveCount: 3,
        // Six attempts at first, six more for each redrive; 0 is the first.
        attempt: 4 * 6 - 1,
        reason: 'HTTP_429',
      });
    }
    // Field report 56: not one call more than the ledger's attempts, and none at all at rest.
    expect(provider.calls.count('sick')).toBe(2 * 24);
    expect(callsAtRest).toBe(2 * 24);
    expect(provider.effects.total).toBe(0);
  }, 120_000);
});

describe('field report 54: a payload that ends its worker before any claim', () => {
  test('is redriven up to the cap and no further: its row, made by the redrive, counts', async () => {
    const stand = await openRedriveStand(engine, { settings: LONG_USE_BY });
    const payload = stand.payload(0);
    stand.plantDeadLetters(payload);
    let redriven = 0;
    for (let hour = 0; hour < 24; hour += 1) {
      redriven += (await stand.redrive()).results?.redriven ?? 0;
      dieWithEverything(stand);
      stand.clock.advance(HOUR_MS);
    }
    expect(redriven).toBe(3);
    expect(await stand.redrive()).toMatchObject({
      decisions: [{ action: 'keep', reason: 'AT_CAP', details: { [REDRIVEN]: 1 } }],
      left: 1,
    });
    expect(await stand.rowOf(payload)).toMatchObject({ state: 'DEFERRED', redriveCount: 3 });
    expect(stand.provider.calls.counts()).toEqual({});
  });

  test('not due for a month, so that it can have no row: counted all the same, before and after', async () => {
    const stand = await openRedriveStand(engine, { settings: LONG_USE_BY });
    const dueAt = stand.clock.now() + 20 * DAY_MS;
    const payload = stand.payload(0, { scheduled_at: new Date(dueAt).toISOString() });
    stand.plantDeadLetters(payload);
    let redriven = 0;
    for (let day = 0; day < 25; day += 1) {
      redriven += (await stand.redrive()).results?.redriven ?? 0;
      dieWithEverything(stand);
      stand.clock.advance(DAY_MS);
      if (day < 19) expect(await stand.rowOf(payload)).toBeUndefined();
    }
    expect(redriven).toBe(3);
    expect(await stand.redrive()).toMatchObject({ decisions: [{ reason: 'AT_CAP' }], left: 1 });
  });

  test('a reminder whose hop could not be published goes back and is sent at its instant', async () => {
    const stand = await openRedriveStand(engine, { limits: { canarySize: 5 } });
    const dueAt = stand.clock.now() + 3 * DAY_MS;
    const payload = stand.payload(0, { scheduled_at: new Date(dueAt).toISOString() });
    stand.plantDeadLetters(payload, { ...payload, hop: 1 });
    const report = await stand.redrive();
    expect(report).toMatchObject({ results: { redriven: 2, rowsCreated: 0 }, canaries: [] });
    await stand.consumeUntil(dueAt - 60_000);
    expect(stand.provider.calls.counts()).toEqual({});
    await stand.consumeUntil(dueAt + 120_000);
    expect(stand.effectsOf(payload)).toBe(1);
    expect(stand.live()).toEqual([]);
  });

  test.each(['DEFERRED', 'EXHAUSTED', 'UNKNOWN'] as const)('%s: the same', async (state) => {
    const stand = await openRedriveStand(engine, { settings: LONG_USE_BY });
    const payload = stand.payload(0);
    await stand.plantRow(payload, state);
    stand.plantDeadLetters(payload);
    let redriven = 0;
    for (let hour = 0; hour < 6; hour += 1) {
      redriven += (await stand.redrive()).results?.redriven ?? 0;
      dieWithEverything(stand);
    }
    expect(redriven).toBe(3);
    expect((await stand.rowOf(payload))?.redriveCount).toBe(3);
  });

  test('with a canary it is undecided, waits longer and longer, and ends at the same cap', async () => {
    const stand = await openRedriveStand(engine, {
      settings: LONG_USE_BY,
      limits: { canarySize: 5 },
    });
    stand.plantDeadLetters(stand.payload(0));
    const redrivenAtHour: number[] = [];
    for (let hour = 0; hour < 24; hour += 1) {
      const report = await stand.redrive();
      if (report.results?.redriven === 1) redrivenAtHour.push(hour);
      dieWithEverything(stand);
      stand.clock.advance(HOUR_MS);
    }
    expect(redrivenAtHour).toEqual([0, 1, 3]);
  });
});

describe('force', () => {
  test('a person may go beyond the cap, knowingly; the count goes on', async () => {
    const stand = await openRedriveStand(engine);
    const payload = stand.payload(0);
    await stand.plantRow(payload, 'EXHAUSTED', { redriveCount: 3 });
    stand.plantDeadLetters(payload);
    expect(await stand.redrive({ mode: 'redrive' })).toMatchObject({ totals: { keep: 1 } });
    stand.clock.advance(31_000);
    const report = await stand.redrive({ mode: 'redrive', force: true });
    expect(report.results?.redriven).toBe(1);
    await stand.consume();
    expect(stand.effectsOf(payload)).toBe(1);
    expect(await stand.rowOf(payload)).toMatchObject({ state: 'SENT', redriveCount: 4 });
  });

  test('an invalid payload goes back only by force, and is dead again soon', async () => {
    const stand = await openRedriveStand(engine);
    stand.plantDeadLetters({ user_id: '' });
    expect(await stand.redrive()).toMatchObject({
      decisions: [{ reason: 'INVALID_PAYLOAD', details: { USER_ID_BLANK: 1 }, examples: [] }],
    });
    stand.clock.advance(31_000);
    const forced = await stand.redrive({ mode: 'redrive', force: true });
    expect(forced.decisions).toMatchObject([{ action: 'redrive', reason: 'FORCED_INVALID' }]);
    expect(stand.live()).toHaveLength(1);
    await stand.consumeUntil(stand.clock.now() + HOUR_MS);
    expect(stand.deadLetters()).toHaveLength(1);
  });
});
