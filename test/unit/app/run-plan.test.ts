import { describe, expect, it } from 'vitest';
import { drainQueue } from '#app/drain-queue.ts';
import type { RunPlan } from '#core/breaker.ts';
import type { Sender } from '#ports';
import { aPayload, DRAIN, World } from '#test/support/world.ts';

const FREE: RunPlan = { concurrency: 32, stopped: new Map(), probing: new Set() };

/** Sends of a run by plan: how many, and how many at once at most. */
async function sendsBy(plan: RunPlan, answer?: Awaited<ReturnType<Sender['send']>>) {
  const world = new World({ latencyMs: () => 200 });
  for (let n = 0; n < 40; n += 1) world.publish(aPayload({ user_id: `u_${n}` }));
  const { sender } = world.provider;
  let underWay = 0;
  let most = 0;
  let total = 0;
  const counted: Sender = {
    profile: sender.profile,
    content: (reminder) => sender.content(reminder),
    async send(request) {
      total += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      await world.clock.sleep(50);
      const result = answer ?? (await sender.send(request));
      underWay -= 1;
      return result;
    },
  };
  const deps = world.deps({ senders: new Map([['push', counted]]) });
  const budget = { endsAt: world.clock.now() + 240_000 };
  const run = drainQueue(deps, DRAIN, budget, () => 'go-on', plan);
  const { tally } = await world.clock.run(run);
  return { most, total, tally };
}

describe('a run by plan', () => {
  it('has as many sends under way as the breaker allows, and no more', async () => {
    expect(await sendsBy(FREE)).toMatchObject({ most: 32, total: 40 });
    expect(await sendsBy({ ...FREE, concurrency: 2 })).toMatchObject({ most: 2, total: 40 });
    expect(await sendsBy({ ...FREE, concurrency: 1 })).toMatchObject({ most: 1, total: 40 });
  });

  it('does not try a channel that is stopped, and keeps its reminders', async () => {
    const run = await sendsBy({ ...FREE, stopped: new Map([['push', 'HTTP_401']]) });
    expect(run).toMatchObject({ total: 0, tally: { postponed: 40, keysClaimed: 0 } });
  });

  it('tries a channel that is probed with one send, and stops again when it is refused', async () => {
    const refused = { kind: 'channel-stopped', code: 'HTTP_401' } as const;
    const probed = { ...FREE, probing: new Set(['push']) };
    expect(await sendsBy(probed, refused)).toMatchObject({ total: 1, tally: { postponed: 40 } });
  });

  it('lets a probed channel grow while it is accepted', async () => {
    const run = await sendsBy({ ...FREE, probing: new Set(['push']) });
    expect(run.total).toBe(40);
    expect(run.most).toBeGreaterThan(2);
    expect(run.most).toBeLessThan(32);
  });
});
