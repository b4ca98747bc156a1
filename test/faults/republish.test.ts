import { describe, expect, test } from 'vitest';
import type { ProviderClass } from '#core/send-result.ts';
import { BROKEN_RULES, walkCopies } from '#test/support/copy-walk.ts';
import { DUE_AT } from '#test/support/core-data.ts';
import { type Fate, FatedWorker } from '#test/support/fated-worker.ts';
import { aPayload, World } from '#test/support/world.ts';

/** A world in which the first send is deferred and a call of the queue meets its fate. */
async function deferredWith(method: string, fate: Fate, keyConflict: 'first-result' | 'refused') {
  const world = new World({
    behaviourOf: (_, call) => (call === 0 ? { kind: 'defer' } : undefined),
    queue: { keyConflict },
  });
  world.publish();
  const worker = new FatedWorker((call) => (call.method === method ? fate : 'goes-on'));
  const run = world.start(worker.deps(world.deps()));
  await world.clock.run(Promise.race([run, worker.end]));
  return world;
}

describe.each(['first-result', 'refused'] as const)('a key with another body: %s', (conflict) => {
  test('field report 55: republished, and the ack is lost: original and copy, one send', async () => {
    const world = await deferredWith('ack', 'not-applied', conflict);
    expect(world.row()).toMatchObject({ state: 'DEFERRED', attempt: 1 });
    expect(world.messages()).toHaveLength(2);
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect(world.model.counters.published).toBeLessThanOrEqual(3);
    expect([...world.messages(), ...world.deadLetters()]).toEqual([]);
  });

  test('republished, and its answer is lost: the redelivery publishes the same copy', async () => {
    const world = await deferredWith('publish', 'answer-lost', conflict);
    expect(world.messages()).toHaveLength(2);
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect([...world.messages(), ...world.deadLetters()]).toEqual([]);
  });

  test.each(['ended-before', 'not-applied'] as const)(
    'the republish is %s: made good later',
    async (fate) => {
      const world = await deferredWith('publish', fate, conflict);
      expect(world.messages()).toHaveLength(1);
      expect(world.row()?.state).toBe('DEFERRED');
      await world.untilQuiet();
      expect(world.effects()).toBe(1);
      expect(world.row()?.state).toBe('SENT');
    },
  );
});

test('a copy carries the whole reminder, what we do not know of it included', async () => {
  const world = new World({ now: DUE_AT - 86_400_000 });
  const payload = aPayload({ data: { n: 1 }, trace: { id: 'x' }, order_id: null });
  world.publish(payload);
  await world.drain();
  expect(world.messages()).toMatchObject([{ payload: { ...payload, attempt: 0, hop: 1 } }]);
});

test('a copy with other content never stands in for the reminder whose send is to be settled', async () => {
  const first = aPayload({ data: { text: 'first' } });
  const second = aPayload({ data: { text: 'second' } });
  const world = new World({
    queue: { visibility: 'ignored' },
    behaviourOf: (_, call) => (call === 0 ? { kind: 'reset', accepted: false } : undefined),
  });
  world.publish(first);
  const worker = new FatedWorker((call) =>
    call.method === 'publish' ? 'ended-before' : 'goes-on',
  );
  await world.clock.run(Promise.race([world.start(worker.deps(world.deps())), worker.end]));
  world.publish(second);
  await world.untilQuiet();
  expect(world.row()).toMatchObject({ state: 'SENT' });
  expect(world.provider.calls.map((call) => call.reminder.data)).toEqual([
    { text: 'first' },
    { text: 'first' },
  ]);
  expect(world.effects()).toBe(1);
  expect(world.reports.some((report) => report.contentConflict)).toBe(true);
});

const CLASSES: readonly ProviderClass[] = ['dedupes', 'queryable', 'blind'];

describe('protocol section 4: the key must name the copy that is being made', () => {
  test.each(CLASSES)('%s: a random walk never loses a reminder', async (providerClass) => {
    let steps = 0;
    for (let seed = 1; steps < 8_000; seed += 1) {
      const end = await walkCopies({ seed, steps: 200, providerClass });
      expect(end, `seed ${seed}`).toMatchObject({ kind: 'kept' });
      if (end.kind === 'kept') steps += end.steps;
    }
  });

  test.each(Object.entries(BROKEN_RULES))('broken, it is lost: %s', async (_, misname) => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const end = await walkCopies({ seed, steps: 200, providerClass: 'dedupes', misname });
      if (end.kind === 'lost') return;
    }
    expect.unreachable('no walk lost the reminder');
  });
});
