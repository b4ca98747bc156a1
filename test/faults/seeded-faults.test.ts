import { describe, expect, test } from 'vitest';
import { drainQueue } from '#app/drain-queue.ts';
import type { LedgerFailure } from '#ports';
import { DUE_AT } from '#test/support/core-data.ts';
import { FatedWorker } from '#test/support/fated-worker.ts';
import { withReminders } from '#test/support/watched-queue.ts';
import { aPayload, DRAIN, LIMITS, World } from '#test/support/world.ts';

/** What only seeded faults (test/proof/mutants, and Stryker on core) showed to be unguarded. */

const LEASE_OVER_MS = 61_000;

describe('a worker that wakes up late', () => {
  test('field report 23: sends nothing once its lease does not cover the call', async () => {
    const world = new World();
    world.publish();
    const worker = new FatedWorker((call) =>
      call.method === 'claim' ? { frozen: 'after', forMs: LEASE_OVER_MS } : 'goes-on',
    );
    await world.drain(worker.deps(world.deps()));
    expect(world.provider.calls).toEqual([]);
    expect(world.row()).toMatchObject({ state: 'DEFERRED', reason: 'LEASE_TOO_SHORT' });
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
  });

  test('field report 23: records nothing over the worker that took over, and acks nothing', async () => {
    const world = new World();
    world.publish();
    const late = new FatedWorker((call) =>
      call.method === 'send' ? { frozen: 'after', forMs: 2 * LEASE_OVER_MS } : 'goes-on',
    );
    const lateRun = world.start(late.deps(world.deps()));
    await world.clock.runUntil(DUE_AT + LEASE_OVER_MS);
    await world.clock.run(Promise.all([lateRun, world.start()]));
    const lost = world.reports.find((report) => report.outcome === 'lost-claim');
    expect(lost).toMatchObject({ settled: 'left', reason: 'WINNER_HOLDS_SAME_RECEIPT' });
    expect(world.row()).toMatchObject({ state: 'SENT', attempt: 1 });
    expect(world.effects()).toBe(1);
  });
});

test('a sender that throws proves nothing: the outcome is unknown, never "not sent"', async () => {
  const world = new World({ profile: { providerClass: 'blind' } });
  world.publish();
  const { sender } = world.provider;
  const throwing = {
    ...sender,
    send: async (request: Parameters<typeof sender.send>[0]) => {
      await sender.send(request);
      throw new TypeError('planted bug');
    },
  };
  await world.drain({ ...world.deps(), senders: new Map([['push', throwing]]) });
  expect(world.row()).toMatchObject({ state: 'UNKNOWN', reason: 'PARKED_BLIND' });
  await world.untilQuiet();
  expect(world.effects()).toBe(1);
});

describe('a record that fails', () => {
  const withFailures = (failures: number) => {
    const world = new World();
    world.publish();
    const deps = world.deps();
    let tries = 0;
    const failed: LedgerFailure = { kind: 'failed', code: 'ServerError' };
    const ledger = {
      claim: deps.ledger.claim.bind(deps.ledger),
      replace: async (...call: Parameters<typeof deps.ledger.replace>) => {
        tries += 1;
        return tries <= failures ? failed : world.ledger.replace(...call);
      },
    };
    return { world, deps: { ...deps, ledger } };
  };

  test('field report 1: is tried again within its budget: sent and acked by one delivery', async () => {
    const { world, deps } = withFailures(3);
    await world.drain(deps);
    expect(world.reports).toMatchObject([{ outcome: 'sent', settled: 'acked' }]);
    expect(world.messages()).toEqual([]);
  });

  test('field report 1: for good leaves the message: an ack would forget an unrecorded send', async () => {
    const { world, deps } = withFailures(Number.POSITIVE_INFINITY);
    await world.drain(deps);
    expect(world.reports).toMatchObject([{ outcome: 'record-failed', settled: 'left' }]);
    expect(world.messages()).toHaveLength(1);
    await world.untilQuiet();
    expect(world.row()?.state).toBe('SENT');
    expect(world.effects()).toBe(1);
  });
});

test('a send that would outlive the run’s budget is not begun, and costs no attempt', async () => {
  const world = withReminders(2, { latencyMs: () => 9_900 });
  const limits = { ...LIMITS, finishMs: 65_000 };
  const budget = { endsAt: DUE_AT + DRAIN.queueCallMs + LIMITS.worstDeliveryMs + 1_000 };
  const settings = { ...DRAIN, concurrency: 1 };
  const seen: string[] = [];
  const run = drainQueue({ ...world.deps(), limits }, settings, budget, (report) => {
    seen.push(`${report.outcome} ${report.reason}`);
    return 'go-on';
  });
  await world.clock.run(run);
  expect(seen).toEqual(['sent ACCEPTED', 'not-sent RUN_BUDGET']);
  expect(world.provider.calls).toHaveLength(1);
  const waiting = [...world.ledger.rows.values()].find((row) => row.state === 'DEFERRED');
  expect(waiting).toMatchObject({ reason: 'RUN_BUDGET', attempt: 0 });
  await world.untilQuiet();
  expect(world.provider.model.effects.total).toBe(2);
});

test('what a pull brings after the breaker has tripped is left untouched', async () => {
  const world = withReminders(DRAIN.batchSize + 3);
  const deps = world.deps();
  let pulls = 0;
  const queue = {
    publish: deps.queue.publish.bind(deps.queue),
    ack: deps.queue.ack.bind(deps.queue),
    consume: async (request: Parameters<typeof deps.queue.consume>[0]) => {
      pulls += 1;
      const answer = await deps.queue.consume(request);
      if (pulls > 1) await world.clock.sleep(1_000);
      return answer;
    },
  };
  // The first delivery to end trips it; the second pull answers a second later.
  const slow = world.provider.sender;
  const senders = new Map([
    [
      'push',
      {
        ...slow,
        send: async (request: Parameters<typeof slow.send>[0]) => {
          await world.clock.sleep(500);
          return slow.send(request);
        },
      },
    ],
  ]);
  const { end } = await world.drain({ ...deps, queue, senders }, {}, () => 'halt');
  expect(end).toBe('stopped');
  const halted = world.reports.filter((report) => report.outcome === 'halted');
  expect(halted.length).toBeGreaterThan(0);
  for (const report of halted) expect(report).toMatchObject({ settled: 'left', submissions: 0 });
  expect(world.ledger.rows.size).toBe(DRAIN.batchSize);
});

test('field report 7: a row that says SENT without any proof is left, never acked', async () => {
  const world = new World();
  world.publish();
  await world.drain();
  const row = world.row();
  if (row === undefined) throw new Error('not sent');
  world.ledger.rows.set(row.sendKey, { ...row, receipt: null });
  world.publish();
  await world.drain();
  expect(world.reports.at(-1)).toMatchObject({ outcome: 'unproved', settled: 'left' });
  expect(world.messages()).toHaveLength(1);
  expect(world.effects()).toBe(1);
});

test('field report 39: ids that a joined key would confuse make as many effects as reminders', async () => {
  const world = new World();
  const ids = [
    ['a', 'bc'],
    ['ab', 'c'],
    ['a:b', 'c'],
    ['a', 'b:c'],
    ['a|b', 'c'],
    ['a', 'b|c'],
    ['a\u0000b', 'c'],
    ['a', 'b\u0000c'],
    ['a,b', 'c'],
    ['a","b', 'c'],
  ];
  for (const [user_id, reminder_id] of ids) world.publish(aPayload({ user_id, reminder_id }));
  await world.untilQuiet();
  expect(world.provider.model.effects.total).toBe(ids.length);
  expect(world.ledger.rows.size).toBe(ids.length);
});
