import { describe, expect, test } from 'vitest';
import type { SenderProfile } from '#core/send-result.ts';
import { FatedWorker } from '#test/support/fated-worker.ts';
import { aPayload, World } from '#test/support/world.ts';

const FIVE_MINUTES_MS = 300_000;

/** A worker frozen for five minutes just before or just after its send, and others that go on. */
async function frozenAtSend(profile: Partial<SenderProfile>, when: 'before' | 'after') {
  const world = new World({ profile });
  world.publish();
  const frozen = new FatedWorker((call) =>
    call.method === 'send' ? { frozen: when, forMs: FIVE_MINUTES_MS } : 'goes-on',
  );
  const run = world.start(frozen.deps(world.deps()));
  await world.clock.runUntil(world.clock.now() + FIVE_MINUTES_MS - 1_000);
  // Delivered again twice meanwhile, to fresh workers, a minute apart.
  const fresh = world.start();
  await world.clock.run(fresh);
  const meanwhile = world.row();
  await world.clock.run(run);
  return { world, meanwhile };
}

describe('field report 23: a worker that wakes up after somebody else took over', () => {
  test('records nothing: its token is not the row’s', async () => {
    const { world, meanwhile } = await frozenAtSend({ providerClass: 'dedupes' }, 'after');
    expect(meanwhile?.state).toBe('SENT');
    expect(world.row()).toEqual(meanwhile);
    expect(world.effects()).toBe(1);
    const late = world.reports.find((report) => report.outcome === 'lost-claim');
    expect(late).toMatchObject({ settled: 'left', receipt: true });
  });

  test('a provider that dedupes absorbs even the send that was frozen before it went out', async () => {
    const { world } = await frozenAtSend({ providerClass: 'dedupes' }, 'before');
    expect(world.effects()).toBe(1);
    expect(world.provider.calls).toHaveLength(2);
    expect(world.row()?.state).toBe('SENT');
  });
});

describe('a worker that wakes up with a proof for a row that nobody could settle', () => {
  test('records it: nobody else has claimed the row, and what is known is not left unknown', async () => {
    const { world, meanwhile } = await frozenAtSend({ providerClass: 'blind' }, 'after');
    expect(meanwhile).toMatchObject({ state: 'UNKNOWN', reason: 'PARKED_BLIND' });
    expect(world.row()).toMatchObject({ state: 'SENT', reason: 'ACCEPTED' });
    expect(world.row()?.history.map((entry) => entry.state)).toEqual([
      'CLAIMED',
      'UNKNOWN',
      'SENT',
    ]);
    expect(world.effects()).toBe(1);
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
  });

  test('but nothing else: a refusal does not end what a person may be deciding', async () => {
    const world = new World({
      profile: { providerClass: 'blind' },
      behaviourOf: () => ({ kind: 'reject' }),
    });
    world.publish(aPayload());
    const frozen = new FatedWorker((call) =>
      call.method === 'send' ? { frozen: 'after', forMs: FIVE_MINUTES_MS } : 'goes-on',
    );
    const run = world.start(frozen.deps(world.deps()));
    await world.clock.runUntil(world.clock.now() + FIVE_MINUTES_MS - 1_000);
    await world.clock.run(world.start());
    await world.clock.run(run);
    expect(world.row()).toMatchObject({ state: 'UNKNOWN', reason: 'PARKED_BLIND' });
  });
});
