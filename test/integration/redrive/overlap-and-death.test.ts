import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import type { ControlStore } from '#ports';
import { DUE_AT } from '#test/support/core-data.ts';
import { type Death, DyingProcess } from '#test/support/dying-ports.ts';
import { openRedriveStand, type RedriveStand } from '#test/support/redrive-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

/** Beyond the run lease and the skew. */
const LEASE_OVER_MS = 500_000;

async function plantExhausted(stand: RedriveStand, count: number) {
  const payloads = Array.from({ length: count }, (_, index) => stand.payload(index));
  for (const payload of payloads) await stand.plantRow(payload, 'EXHAUSTED');
  stand.plantDeadLetters(...payloads);
  return payloads;
}

describe('field report 84: two runs at once', () => {
  test('the second one does nothing, and says that another is at work', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 12);
    const reports = await Promise.all([stand.redrive(), stand.redrive(), stand.redrive()]);
    expect(reports.map(({ end }) => end).sort()).toEqual([
      'another-run',
      'another-run',
      'dead-letters-read',
    ]);
    expect(stand.queue.model.counters.redriven).toBe(12);
    for (const payload of payloads) expect((await stand.rowOf(payload))?.redriveCount).toBe(1);
  });

  test('a dry run and a redrive keep each other out as well', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 3);
    const reports = await Promise.all([stand.redrive({ mode: 'plan' }), stand.redrive()]);
    expect(reports.filter(({ end }) => end === 'another-run')).toHaveLength(1);
  });

  test('even two that both believe to be alone redrive nothing twice; at worst they count too much', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 12);
    // Both get every message: no lease of the queue keeps them apart either.
    stand.queue.faults.rule('queue.consume', 1, { kind: 'short-lease', leaseMs: 0 });
    const alone = (): RedriveDeps => ({ ...stand.deps, controls: emptyStore() });
    const reports = await Promise.all([
      stand.redrive(undefined, { deps: alone() }),
      stand.redrive(undefined, { deps: alone() }),
    ]);
    expect(reports.map(({ end }) => end)).not.toContain('another-run');
    stand.queue.faults.clear();
    expect(stand.queue.model.counters.redriven).toBe(12);
    for (const payload of payloads) {
      const { redriveCount = 0 } = (await stand.rowOf(payload)) ?? {};
      expect([1, 2]).toContain(redriveCount);
    }
    await stand.consume();
    for (const payload of payloads) expect(stand.effectsOf(payload)).toBe(1);
  });

  test('a lease that was given back is free at once', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 1);
    expect((await stand.redrive()).leaseGivenBack).toBe(true);
    expect((await stand.redrive()).end).toBe('dead-letters-read');
  });

  test('a document of another release is not believed to be free', async () => {
    const stand = await openRedriveStand(engine);
    await stand.deps.controls.write('redrive', { holder: 'somebody' }, 0);
    expect(await stand.redrive()).toMatchObject({
      end: 'ledger-failed',
      endCode: 'REDRIVE_DOCUMENT_UNREADABLE',
    });
  });
});

/** One of each kind that a run acts on. */
async function plantKinds(stand: RedriveStand) {
  const exhausted = stand.payload(0);
  const rowless = stand.payload(1);
  const unknown = stand.payload(2);
  const sent = stand.payload(3);
  const late = stand.payload(4, { use_by: new Date(DUE_AT + 60_000).toISOString() });
  await stand.plantRow(exhausted, 'EXHAUSTED');
  await stand.plantRow(unknown, 'UNKNOWN');
  await stand.plantRow(sent, 'SENT');
  await stand.plantRow(late, 'EXHAUSTED');
  stand.plantDeadLetters(exhausted, rowless, unknown, sent, late);
  return { redriven: [exhausted, rowless, unknown], sent, late };
}

function dying(stand: RedriveStand, death: Death | null) {
  const ending = new DyingProcess(death);
  const { deadLetters, ledger, controls } = stand.deps;
  const deps: RedriveDeps = {
    ...stand.deps,
    deadLetters: ending.wrap(deadLetters),
    ledger: ending.wrap(ledger),
    controls: ending.wrap(controls),
  };
  return { ending, deps };
}

describe('field report 85: a run that ends half-way', () => {
  test('at whatever call, before or after it: the next run finishes it and counts nothing twice', async () => {
    const rehearsal = await openRedriveStand(engine);
    await plantKinds(rehearsal);
    const whole = dying(rehearsal, null);
    await rehearsal.redrive(undefined, { deps: whole.deps });
    const calls = whole.ending.calls;
    expect(calls).toBeGreaterThan(20);

    for (let atCall = 1; atCall <= calls; atCall += 1) {
      for (const side of ['before', 'after'] as const) {
        await endAndFinish({ atCall, side });
      }
    }
  }, 180_000);

  test('keeps others out until its lease is over, then one takes over and says so', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 4);
    const { ending, deps } = dying(stand, { atCall: 8, side: 'after' });
    void stand.redrive(undefined, { deps });
    await ending.dead;
    expect((await stand.redrive()).end).toBe('another-run');
    stand.clock.advance(LEASE_OVER_MS);
    expect(await stand.redrive()).toMatchObject({ end: 'dead-letters-read', tookOver: true });
  });
});

async function endAndFinish(death: Death): Promise<void> {
  const where = `ended ${death.side} call ${death.atCall}`;
  const stand = await openRedriveStand(engine);
  const { redriven, sent, late } = await plantKinds(stand);
  const { ending, deps } = dying(stand, death);
  void stand.redrive(undefined, { deps });
  await ending.dead;
  const inBetween = stand.live().length + stand.deadLetters().length;
  expect(inBetween, where).toBeGreaterThanOrEqual(redriven.length);

  stand.clock.advance(LEASE_OVER_MS);
  const report = await stand.redrive();

  expect(report, where).toMatchObject({ end: 'dead-letters-read', left: 0 });
  await stand.consume();
  for (const payload of redriven) {
    expect(await stand.rowOf(payload), where).toMatchObject({ state: 'SENT', redriveCount: 1 });
    expect(stand.effectsOf(payload), where).toBe(1);
  }
  expect(stand.effectsOf(sent), where).toBe(0);
  expect(stand.effectsOf(late), where).toBe(0);
  expect(await stand.rowOf(late), where).toMatchObject({ state: 'EXPIRED', redriveCount: 0 });
  expect(stand.deadLetters(), where).toEqual([]);
  expect(stand.live(), where).toEqual([]);
}

/** A control store that never shows anybody else's lease. */
function emptyStore(): ControlStore {
  return {
    read: async () => ({ kind: 'absent' }),
    write: async () => ({ kind: 'written' }),
  };
}
