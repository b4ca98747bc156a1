import { describe, expect, test } from 'vitest';
import { DUE_AT } from '#test/support/core-data.ts';
import { watched, withReminders } from '#test/support/watched-queue.ts';
import { aPayload, DRAIN, LIMITS, World } from '#test/support/world.ts';

describe('an empty queue', () => {
  test('costs one pull', async () => {
    const world = new World();
    const { deps, asked } = watched(world);
    const { end, tally } = await world.drain(deps);
    expect(end).toBe('queue-empty');
    expect(asked).toHaveLength(1);
    expect(tally).toMatchObject({ pulls: 1, deliveries: 0 });
    expect(world.clock.now()).toBe(DUE_AT);
  });

  test('after its backlog ends the run early, long before the budget', async () => {
    const world = withReminders(500, { latencyMs: () => 100 });
    const { end, tally } = await world.drain();
    expect(end).toBe('queue-empty');
    expect(tally).toMatchObject({ deliveries: 500, receipts: 500, acked: 500 });
    expect(world.clock.now() - DUE_AT).toBeLessThan(5_000);
  });
});

describe('slots', () => {
  test.each([1, 2, 5, 32])(
    'concurrency %d: never more in hand than two per send',
    async (concurrency) => {
      const world = withReminders(200, { latencyMs: () => 200 });
      const { deps, asked, done } = watched(world);
      await world.drain(deps, { concurrency }, done);
      for (const { wanted, inHand } of asked) {
        expect(wanted + inHand).toBeLessThanOrEqual(2 * concurrency);
        expect(wanted).toBeLessThanOrEqual(DRAIN.batchSize);
        expect(wanted).toBeGreaterThanOrEqual(1);
      }
      expect(world.provider.mostUnderWay).toBe(concurrency);
      expect(world.provider.model.effects.total).toBe(200);
    },
  );

  test('a queue that gives one message at a time is drained all the same', async () => {
    const world = withReminders(30);
    const { deps, done } = watched(world, {
      consume: (request) => world.queue.consume({ ...request, maxMessages: 1 }),
    });
    const { tally } = await world.drain(deps, {}, done);
    expect(tally.receipts).toBe(30);
  });
});

describe('the run’s budget', () => {
  test('field report 50: stops pulling and starting when time is short; leftovers untouched', async () => {
    const world = withReminders(500, { latencyMs: () => 9_000 });
    const { deps, asked, done } = watched(world);
    const { end, tally } = await world.drain(deps, { concurrency: 4 }, done);
    expect(end).toBe('run-budget');
    expect(world.clock.now()).toBeLessThanOrEqual(DUE_AT + 240_000);
    const lastPull = Math.max(...asked.map((pull) => pull.at));
    expect(lastPull + DRAIN.queueCallMs + LIMITS.worstDeliveryMs).toBeLessThanOrEqual(
      DUE_AT + 240_000,
    );
    expect(tally.acked).toBe(tally.receipts);
    expect(world.provider.model.effects.duplicated().size).toBe(0);
    await world.untilQuiet();
    expect(world.provider.model.effects.total).toBe(500);
    expect(world.provider.model.effects.duplicated().size).toBe(0);
  });

  test('a budget that no delivery fits pulls nothing', async () => {
    const world = withReminders(1);
    const { deps, asked } = watched(world);
    const short = { ...deps, limits: { ...LIMITS, worstDeliveryMs: 240_000 } };
    expect((await world.drain(short)).end).toBe('run-budget');
    expect(asked).toEqual([]);
  });

  test('holds although every port takes as long as it may', async () => {
    const world = withReminders(60, { latencyMs: () => 9_999 });
    const { deps, done } = watched(world);
    const slow = <Answer>(ms: number, call: () => Promise<Answer>) =>
      world.clock.sleep(ms).then(call);
    const { queue, ledger } = deps;
    const { end } = await world.drain(
      {
        ...deps,
        queue: {
          consume: (request) => slow(10_000, () => queue.consume(request)),
          publish: (request) => slow(10_000, () => queue.publish(request)),
          ack: (message) => slow(10_000, () => queue.ack(message)),
        },
        ledger: {
          claim: (row) => slow(5_000, () => ledger.claim(row)),
          replace: () => slow(5_000, async () => ({ kind: 'failed', code: 'ServerError' })),
        },
      },
      { concurrency: 2 },
      done,
    );
    expect(end).toBe('run-budget');
    expect(world.clock.now()).toBeLessThanOrEqual(DUE_AT + 240_000);
    expect(world.provider.underWay).toBe(0);
  });
});

describe('field report 10: nothing runs on', () => {
  test('the run waits for what is slow although another delivery threw at once', async () => {
    const world = withReminders(2, { latencyMs: () => 3_000 });
    const deps = world.deps();
    const push = world.provider.sender;
    const throwing = {
      ...push,
      content: (reminder: Parameters<typeof push.content>[0]) => {
        if (reminder.userId === 'u_0') throw new TypeError('planted bug');
        return push.content(reminder);
      },
    };
    await world.drain({ ...deps, senders: new Map([['push', throwing]]) });
    expect(world.clock.now()).toBe(DUE_AT + 3_000);
    expect(world.outcomes()).toEqual(['crashed', 'sent']);
    expect(world.provider.underWay).toBe(0);
    const writes = world.ledger.applied;
    await world.clock.runUntil(DUE_AT + 50_000);
    expect(world.ledger.applied).toBe(writes);
    expect(world.provider.calls).toHaveLength(1);
  });

  test('a port that throws fails the run only after everything has ended', async () => {
    const world = withReminders(30, { latencyMs: () => 3_000 });
    let pulls = 0;
    const { deps, done } = watched(world, {
      consume: (request) => {
        pulls += 1;
        if (pulls === 2) return Promise.reject(new TypeError('planted bug'));
        return world.queue.consume(request);
      },
    });
    await expect(world.drain(deps, {}, done)).rejects.toThrow('planted bug');
    expect(world.provider.underWay).toBe(0);
    expect(world.provider.model.effects.total).toBeGreaterThanOrEqual(10);
    expect(world.clock.now()).toBe(DUE_AT + 3_000);
  });

  test('a callback that throws does not leave a delivery running', async () => {
    const world = withReminders(10, { latencyMs: () => 1_000 });
    const run = world.drain(world.deps(), {}, () => {
      throw new Error('planted bug');
    });
    await expect(run).rejects.toThrow('planted bug');
    expect(world.provider.underWay).toBe(0);
    expect(world.provider.model.effects.total).toBe(10);
  });
});

describe('field report 6: one bad message never fails its batch', () => {
  test('message 7 throws: the others are sent once and acked once, only 7 is retried', async () => {
    const world = withReminders(10);
    const bad = 'u_6';
    const push = world.provider.sender;
    let planted = true;
    const sender = {
      ...push,
      content: (reminder: Parameters<typeof push.content>[0]) => {
        if (planted && reminder.userId === bad) throw new TypeError('planted bug');
        return push.content(reminder);
      },
    };
    const deps = { ...world.deps(), senders: new Map([['push', sender]]) };
    const { tally } = await world.drain(deps);
    expect(tally).toMatchObject({ deliveries: 10, acked: 9, leftByReason: { TypeError: 1 } });
    planted = false;
    await world.untilQuiet(deps);
    expect(world.provider.calls).toHaveLength(10);
    expect(world.provider.model.effects.total).toBe(10);
    expect(world.reports.filter((report) => report.settled === 'acked')).toHaveLength(10);
  });

  test('a sender that throws, before or after its first await, is an unknown outcome or a crash', async () => {
    const world = withReminders(2, { profile: { providerClass: 'queryable' } });
    const push = world.provider.sender;
    let calls = 0;
    const sender = {
      ...push,
      send: (request: Parameters<typeof push.send>[0]) => {
        calls += 1;
        if (calls === 1) throw new TypeError('planted bug');
        if (calls === 2) return Promise.reject(new TypeError('planted bug'));
        return push.send(request);
      },
    };
    const deps = { ...world.deps(), senders: new Map([['push', sender]]) };
    await world.untilQuiet(deps);
    expect(world.provider.model.effects.total).toBe(2);
    expect([...world.ledger.rows.values()].map((row) => row.state)).toEqual(['SENT', 'SENT']);
  });

  test('field report 57: payloads of every shape among good ones', async () => {
    const world = withReminders(3);
    for (const payload of [
      null,
      [],
      'text',
      7,
      { body: {} },
      { user_id: {} },
      aPayload({ channel: 'fax' }),
    ]) {
      world.publish(payload);
    }
    const { tally } = await world.drain();
    expect(tally).toMatchObject({ deliveries: 10, receipts: 3, acked: 3 });
    expect(tally.invalidByReason).toEqual({
      PAYLOAD_NOT_AN_OBJECT: 4,
      USER_ID_MISSING: 1,
      USER_ID_NOT_AN_ID: 1,
      CHANNEL_NOT_CONFIGURED: 1,
    });
    await world.untilQuiet();
    expect(world.deadLetters()).toHaveLength(7);
  });
});

describe('concurrency follows the provider', () => {
  test.each(['defer', 'hang'] as const)('%s lowers it, recovery raises it again', async (kind) => {
    let unwell = true;
    const world = withReminders(600, {
      latencyMs: () => 50,
      behaviourOf: (_, call) => {
        unwell = call < 24;
        if (!unwell) return undefined;
        return kind === 'hang' ? { kind, accepted: false } : { kind, retryAfter: { seconds: 600 } };
      },
    });
    const underWay: number[] = [];
    const push = world.provider.sender;
    const sender = {
      ...push,
      send: (request: Parameters<typeof push.send>[0]) => {
        const answer = push.send(request);
        underWay.push(world.provider.underWay);
        return answer;
      },
    };
    await world.drain(
      { ...world.deps(), senders: new Map([['push', sender]]) },
      { concurrency: 16 },
    );
    expect(Math.max(...underWay.slice(0, 16))).toBe(16);
    const lowest = Math.min(...underWay.slice(20, 60));
    expect(lowest).toBeLessThanOrEqual(8);
    expect(Math.max(...underWay.slice(-200))).toBe(16);
  });

  test('a refusal of a reminder says nothing about load', async () => {
    const world = withReminders(100, {
      latencyMs: () => 50,
      behaviourOf: () => ({ kind: 'reject' }),
    });
    await world.drain(world.deps(), { concurrency: 8 });
    expect(world.provider.mostUnderWay).toBe(8);
    expect(world.clock.now() - DUE_AT).toBeLessThan(50 * 16);
  });
});

test('stop pulls nothing more and finishes what is in hand', async () => {
  const world = withReminders(100, { latencyMs: () => 500 });
  const { end, tally } = await world.drain(world.deps(), { concurrency: 5 }, () => 'stop');
  expect(end).toBe('stopped');
  expect(tally).toMatchObject({ deliveries: 10, acked: 10 });
  expect(world.messages()).toHaveLength(90);
});
