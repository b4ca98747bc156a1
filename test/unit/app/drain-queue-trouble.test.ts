import { describe, expect, test } from 'vitest';
import type { ConsumeAnswer } from '#ports';
import { DUE_AT } from '#test/support/core-data.ts';
import { watched, withReminders } from '#test/support/watched-queue.ts';

describe('a queue in trouble', () => {
  const failing =
    (code: string, retryAfterSeconds?: number) => async (): Promise<ConsumeAnswer> => ({
      kind: 'failed',
      code,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });

  test('a pull that fails is tried three times, a little apart, then the next tick is better', async () => {
    const world = withReminders(5);
    const { deps, asked } = watched(world, { consume: failing('HTTP_500') });
    const { end, tally } = await world.drain(deps);
    expect(end).toBe('queue-failed');
    expect(tally).toMatchObject({ failedPulls: 3, deliveries: 0 });
    expect(asked.map((pull) => pull.at - DUE_AT)).toEqual([0, 1_000, 3_000]);
  });

  test('429 with Retry-After is respected', async () => {
    const world = withReminders(5);
    let pulls = 0;
    const { deps, asked, done } = watched(world, {
      consume: (request) => {
        pulls += 1;
        return pulls === 1 ? failing('RATE_LIMITED', 20)() : world.queue.consume(request);
      },
    });
    const { end, tally } = await world.drain(deps, {}, done);
    expect(end).toBe('queue-empty');
    expect(tally.receipts).toBe(5);
    expect(asked[1]?.at).toBe(DUE_AT + 20_000);
  });

  test('a Retry-After beyond the budget ends the run at once', async () => {
    const world = withReminders(5);
    const { deps, asked } = watched(world, { consume: failing('RATE_LIMITED', 3_600) });
    expect((await world.drain(deps)).end).toBe('queue-failed');
    expect(asked).toHaveLength(1);
    expect(world.clock.now()).toBe(DUE_AT);
  });

  test('what is in hand is finished while pulls fail', async () => {
    const world = withReminders(40, { latencyMs: () => 2_000 });
    let pulls = 0;
    const { deps, done } = watched(world, {
      consume: (request) => {
        pulls += 1;
        return pulls === 1 ? world.queue.consume(request) : failing('HTTP_503')();
      },
    });
    const { end, tally } = await world.drain(deps, {}, done);
    expect(end).toBe('queue-failed');
    expect(tally).toMatchObject({ receipts: 10, acked: 10 });
  });

  test('field report 48: ack failures cause no send and fail nothing else', async () => {
    const world = withReminders(4);
    const answers = [
      { kind: 'not-in-flight' },
      { kind: 'failed', code: 'CONNECTION' },
      { kind: 'failed', code: 'HTTP_500' },
    ] as const;
    let acks = 0;
    const { deps, done } = watched(world, {
      ack: async (message) => {
        const answer = answers[acks];
        acks += 1;
        return answer ?? world.queue.ack(message);
      },
    });
    const { tally } = await world.drain(deps, {}, done);
    expect(tally).toMatchObject({ receipts: 4, acked: 2, lateAcks: 1 });
    expect(tally.leftByReason).toEqual({ ACK_CONNECTION: 1, ACK_HTTP_500: 1 });
    await world.untilQuiet();
    expect(world.provider.calls).toHaveLength(4);
  });

  test('a publish that is refused (402) leaves the message and loses nothing', async () => {
    const world = withReminders(1, {
      behaviourOf: (_, call) => (call === 0 ? { kind: 'defer' } : undefined),
    });
    let broke = true;
    const { deps, done } = watched(world, {
      publish: async (request) =>
        broke ? { kind: 'failed', code: 'INSUFFICIENT_CREDIT' } : world.queue.publish(request),
    });
    const { tally } = await world.drain(deps, {}, done);
    expect(tally).toMatchObject({ postponed: 0, leftByReason: { PUBLISH_INSUFFICIENT_CREDIT: 1 } });
    expect(world.messages()).toHaveLength(1);
    broke = false;
    await world.untilQuiet(deps);
    expect(world.provider.model.effects.total).toBe(1);
  });
});
