import { describe, expect, it } from 'vitest';
import { ChannelGate } from '#app/channel-gate.ts';
import type { Halt, Run } from '#app/delivery-deps.ts';
import { processDelivery } from '#app/process-delivery.ts';
import type { Queue, QueueMessage } from '#ports';
import { aPayload, World } from '#test/support/world.ts';

const MESSAGE: QueueMessage = {
  messageId: 'qmsg_1',
  payload: aPayload(),
  deliveryCount: 1,
  ackHandle: 'qmsg_1',
};

function aRun(halted: Halt): Run {
  return {
    budget: { endsAt: Number.POSITIVE_INFINITY },
    gates: new Map([['push', new ChannelGate(4)]]),
    stoppedChannels: new Map(),
    halted,
  };
}

/** A queue that notes what it is told. */
function notedQueue() {
  const told: string[] = [];
  const queue: Pick<Queue, 'consume' | 'publish' | 'ack'> = {
    consume: async () => ({ kind: 'messages', messages: [] }),
    publish: async () => {
      told.push('publish');
      return { kind: 'published', messageId: 'qmsg_2' };
    },
    ack: async () => {
      told.push('ack');
      return { kind: 'acked' };
    },
  };
  return { told, queue };
}

describe('a run that was halted', () => {
  it.each(['sends', 'acks'] as const)('(%s) leaves what had not begun, untouched', async (halt) => {
    const world = new World();
    const { told, queue } = notedQueue();
    const report = await processDelivery(MESSAGE, world.deps({ queue }), aRun(halt));
    expect(report).toMatchObject({ outcome: 'halted', reason: 'BREAKER_TRIPPED', settled: 'left' });
    expect(world.ledger.rows.size).toBe(0);
    expect(world.effects()).toBe(0);
    expect(told).toEqual([]);
  });

  it('gives a claim back that waits for its turn, and keeps its reminder', async () => {
    const world = new World();
    const run = aRun('no');
    const { told, queue } = notedQueue();
    const deps = world.deps({
      queue,
      ledger: {
        claim: async (row) => {
          run.halted = 'sends';
          return world.ledger.claim(row);
        },
        replace: (row, seen) => world.ledger.replace(row, seen),
      },
    });
    const report = await processDelivery(MESSAGE, deps, run);
    expect(report).toMatchObject({ outcome: 'not-sent', reason: 'BREAKER_TRIPPED' });
    expect(world.row()?.state).toBe('DEFERRED');
    expect(world.effects()).toBe(0);
    expect(told).toEqual(['publish', 'ack']);
  });

  it('(acks) records a send that was under way and does not ack it', async () => {
    const world = new World();
    const run = aRun('no');
    const { told, queue } = notedQueue();
    const deps = world.deps({
      queue,
      ledger: {
        claim: (row) => world.ledger.claim(row),
        replace: async (row, seen) => {
          run.halted = 'acks';
          return world.ledger.replace(row, seen);
        },
      },
    });
    const report = await world.clock.run(processDelivery(MESSAGE, deps, run));
    expect(report).toMatchObject({ outcome: 'sent', settled: 'left' });
    expect(world.row()?.state).toBe('SENT');
    expect(told).toEqual([]);
  });
});
