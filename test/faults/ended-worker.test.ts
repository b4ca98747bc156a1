import { describe, expect, test } from 'vitest';
import type { ProviderClass } from '#core/send-result.ts';
import { type Fate, FatedWorker, type PortCall } from '#test/support/fated-worker.ts';
import { QUEUE_NAME, World } from '#test/support/world.ts';

/** One worker that ends at the first call of `method`, then fresh ones until the queue is quiet. */
async function endAt(world: World, method: string, fate: Fate): Promise<void> {
  const worker = new FatedWorker((call: PortCall) => (call.method === method ? fate : 'goes-on'));
  const run = world.start(worker.deps(world.deps()));
  await world.clock.run(Promise.race([run, worker.end]));
  if (!worker.ended) throw new Error(`the worker never called ${method}`);
}

const CLASSES: readonly ProviderClass[] = ['dedupes', 'queryable', 'blind'];

describe.each(CLASSES)('%s: the worker ends', (providerClass) => {
  const open = () => {
    const world = new World({ profile: { providerClass } });
    world.publish();
    return world;
  };
  const blind = providerClass === 'blind';

  test('after the claim: CLAIMED, then settled by class', async () => {
    const world = open();
    await endAt(world, 'claim', 'ended-after');
    expect(world.row()).toMatchObject({ state: 'CLAIMED', attempt: 0 });
    expect(world.effects()).toBe(0);
    await world.untilQuiet();
    if (blind) {
      expect(world.row()).toMatchObject({ state: 'UNKNOWN', reason: 'PARKED_BLIND' });
      expect(world.deadLetters()).toHaveLength(1);
      expect(world.effects()).toBe(0);
    } else {
      expect(world.row()).toMatchObject({ state: 'SENT', attempt: 1 });
      expect(world.effects()).toBe(1);
    }
  });

  test('field report 8: after the acceptance: CLAIMED, and one effect for good', async () => {
    const world = open();
    await endAt(world, 'send', 'ended-after');
    expect(world.row()?.state).toBe('CLAIMED');
    expect(world.effects()).toBe(1);
    const [accepted] = world.provider.model.effects.records();
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    if (blind) {
      expect(world.row()).toMatchObject({ state: 'UNKNOWN', reason: 'PARKED_BLIND' });
      expect(world.deadLetters()).toHaveLength(1);
    } else {
      expect(world.row()).toMatchObject({ state: 'SENT', receipt: accepted?.receipt });
      const keys = new Set(world.provider.calls.map((call) => call.sendKey));
      expect(keys.size).toBe(1);
    }
  });

  test('after the record: SENT, the redelivery is absorbed', async () => {
    const world = open();
    await endAt(world, 'ack', 'ended-before');
    expect(world.row()?.state).toBe('SENT');
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect(world.provider.calls).toHaveLength(1);
    expect(world.outcomes()).toEqual(['duplicate']);
    expect([...world.messages(), ...world.deadLetters()]).toEqual([]);
  });
});

describe('field report 13 and 14: after the lease, neither a blind repeat nor a stuck claim', () => {
  test('a live claim is only waited for; a dead one is settled with a new token', async () => {
    const world = new World({ queue: { visibility: 'ignored' } });
    world.publish();
    await endAt(world, 'claim', 'ended-after');
    const first = world.row();
    await world.untilQuiet();
    expect(world.outcomes()).toEqual(['held', 'sent']);
    expect(world.row()?.claimToken).not.toBe(first?.claimToken);
    expect(world.row()?.history.map((entry) => entry.reason)).toEqual([
      'FIRST_CLAIM',
      'RESEND_SAME_KEY',
      'ACCEPTED',
    ]);
  });

  test('field report 32: five open claims of a killed worker resolve without a person', async () => {
    const world = new World({ latencyMs: () => 4_000 });
    for (let user = 0; user < 5; user += 1) world.publish({ ...PAYLOAD, user_id: `u_${user}` });
    let sends = 0;
    const worker = new FatedWorker((call) => {
      if (call.method === 'send') sends += 1;
      return sends === 5 && call.method === 'send' ? 'ended-before' : 'goes-on';
    });
    await world.clock.run(Promise.race([world.start(worker.deps(world.deps())), worker.end]));
    const states = () => [...world.ledger.rows.values()].map((row) => row.state);
    expect(states()).toEqual(new Array(5).fill('CLAIMED'));
    await world.untilQuiet();
    expect(states()).toEqual(new Array(5).fill('SENT'));
    expect(world.provider.model.effects.total).toBe(5);
  });
});

test('field report 54: a reminder that kills every worker is parked at its attempts, unsent', async () => {
  const world = new World({ profile: { providerClass: 'queryable' } });
  world.publish();
  for (let life = 0; life < 60; life += 1) {
    const worker = new FatedWorker((call) =>
      call.method === 'send' || call.method === 'query' ? 'ended-before' : 'goes-on',
    );
    const run = world.start(worker.deps(world.deps()));
    await world.clock.run(Promise.race([run, worker.end]));
    await world.clock.runUntil(world.clock.now() + 61_000);
    for (const { messageId } of world.deadLetters()) {
      world.model.redrive(QUEUE_NAME, messageId, world.clock.now());
    }
  }
  const { state, reason, attempt } = world.row() ?? {};
  expect({ state, reason, attempt }).toEqual({
    state: 'UNKNOWN',
    reason: 'PARKED_ATTEMPTS_USED',
    attempt: 11,
  });
  expect(world.provider.calls).toEqual([]);
});

test('field report 56: at most three deliveries are the broker’s rule, attempts are ours', async () => {
  const world = new World({ behaviourOf: () => ({ kind: 'defer' }) });
  world.publish();
  await world.untilQuiet();
  expect(world.provider.calls).toHaveLength(6);
  expect(world.row()).toMatchObject({ state: 'EXHAUSTED', attempt: 5 });
  expect(world.deadLetters()).toHaveLength(1);
});

test('field report 36: steps after the send never cause the send again', async () => {
  const world = new World();
  world.publish();
  await endAt(world, 'replace', 'ended-after');
  expect(world.row()?.state).toBe('SENT');
  await world.untilQuiet();
  expect(world.provider.calls).toHaveLength(1);
});

describe('field report 1: accepted, and the record fails', () => {
  test('one effect and one call while the ledger cannot record; settled once it can', async () => {
    const world = new World();
    world.publish();
    let unwell = true;
    const deps = world.deps();
    const ledger = {
      claim: deps.ledger.claim.bind(deps.ledger),
      replace: (...call: Parameters<typeof deps.ledger.replace>) =>
        unwell
          ? Promise.resolve({ kind: 'failed', code: 'ProvisionedThroughputExceeded' } as const)
          : world.ledger.replace(...call),
    };
    for (let minute = 0; minute < 10; minute += 1) {
      world.publish();
      await world.drain({ ...deps, ledger });
      await world.clock.runUntil(world.clock.now() + 60_000);
    }
    expect(world.provider.calls).toHaveLength(1);
    expect(world.effects()).toBe(1);
    expect(world.row()?.state).toBe('CLAIMED');
    expect(world.outcomes().filter((outcome) => outcome === 'record-failed')).toHaveLength(1);
    unwell = false;
    world.publish();
    await world.untilQuiet({ ...deps, ledger });
    expect(world.row()?.state).toBe('SENT');
    expect(world.effects()).toBe(1);
  });

  test('field report 2: a ledger that cannot claim sends nothing, acks nothing', async () => {
    const world = new World();
    for (let user = 0; user < 5; user += 1) world.publish({ ...PAYLOAD, user_id: `u_${user}` });
    const deps = world.deps();
    const failed = { kind: 'failed', code: 'AccessDeniedException' } as const;
    const ledger = { claim: async () => failed, replace: async () => failed };
    const { tally } = await world.drain({ ...deps, ledger });
    expect(tally).toMatchObject({
      submissions: 0,
      acked: 0,
      postponed: 0,
      leftByReason: { AccessDeniedException: 5 },
    });
    expect(world.messages()).toHaveLength(5);
  });
});

const PAYLOAD = {
  reminder_id: 'r_trial_end',
  scheduled_at: '2026-07-26T09:00:00Z',
  channel: 'push',
};
