import { describe, expect, test } from 'vitest';
import { DAY_MS, DUE_AT, HOUR_MS } from '#test/support/core-data.ts';
import { aPayload, World } from '#test/support/world.ts';

describe('429 from the provider', () => {
  test('no early ack, and one effect once it is accepted', async () => {
    let busy = true;
    const world = new World({
      behaviourOf: () => (busy ? { kind: 'defer', retryAfter: { seconds: 120 } } : undefined),
    });
    world.publish();
    await world.drain();
    expect(world.row()).toMatchObject({ state: 'DEFERRED', attempt: 1, reason: 'HTTP_429' });
    expect(world.row()?.notBefore).toBeGreaterThanOrEqual(DUE_AT + 120_000);
    expect(world.reports).toMatchObject([{ outcome: 'deferred', settled: 'postponed' }]);
    const [copy] = world.messages();
    expect(copy).toMatchObject({ payload: { attempt: 1, hop: 0 }, state: 'delayed' });
    busy = false;
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect(world.row()).toMatchObject({ state: 'SENT', attempt: 1 });
    expect(world.provider.calls).toHaveLength(2);
  });

  test('every attempt carries the same key and the same content', async () => {
    const world = new World({
      behaviourOf: (_, call) => (call < 4 ? { kind: 'defer' } : undefined),
    });
    world.publish(aPayload({ data: { n: 1 } }));
    await world.untilQuiet();
    const { calls, sender } = world.provider;
    expect(calls).toHaveLength(5);
    expect(new Set(calls.map((call) => call.sendKey)).size).toBe(1);
    expect(new Set(calls.map((call) => call.sendUuid)).size).toBe(1);
    expect(new Set(calls.map((call) => sender.content(call.reminder))).size).toBe(1);
  });

  test('a duplicate that meets the wait does not shorten it', async () => {
    const world = new World({
      behaviourOf: (_, call) =>
        call === 0 ? { kind: 'defer', retryAfter: { seconds: 300 } } : undefined,
    });
    world.publish();
    await world.drain();
    world.publish();
    world.publish();
    await world.drain();
    expect(world.outcomes()).toEqual(['deferred', 'not-due', 'not-due']);
    expect(world.messages()).toHaveLength(1);
    await world.clock.runUntil(DUE_AT + 299_000);
    await world.drain();
    expect(world.provider.calls).toHaveLength(1);
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
  });
});

describe('a channel whose credentials are refused', () => {
  test('is not tried again in this run, and no reminder is burnt', async () => {
    let refused = true;
    const world = new World({
      behaviourOf: () => (refused ? { kind: 'auth-failure' } : undefined),
    });
    const payloads = Array.from({ length: 8 }, (_, user) => aPayload({ user_id: `u_${user}` }));
    for (const payload of payloads) world.publish(payload);
    const { tally } = await world.drain(world.deps(), { concurrency: 1 });
    expect(tally).toMatchObject({ stoppedChannels: ['push'], postponed: 8 });
    expect(world.provider.calls).toHaveLength(1);
    refused = false;
    await world.untilQuiet();
    expect(payloads.map((payload) => world.effects(payload))).toEqual(new Array(8).fill(1));
    expect(world.row(payloads[0])).toMatchObject({ state: 'SENT', attempt: 0 });
  });
});

describe('scheduled ahead', () => {
  test('three weeks: in hops, sent on time, once', async () => {
    const world = new World({ now: DUE_AT - 21 * DAY_MS });
    world.publish();
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    const [record] = world.provider.model.effects.records();
    expect(record?.at).toBeGreaterThanOrEqual(DUE_AT - 30_000);
    expect(record?.at).toBeLessThan(DUE_AT + 1000);
    expect(world.outcomes()).toEqual(['not-yet', 'not-yet', 'not-yet', 'sent']);
  });

  test('twice: the second copy collapses into the first', async () => {
    const world = new World({ now: DUE_AT - DAY_MS / 2 });
    world.publish();
    world.publish();
    await world.drain();
    expect(world.messages()).toHaveLength(1);
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
  });
});

describe('field report 64: past its use-by time', () => {
  test('is expired with a reason, not sent late', async () => {
    const world = new World({ now: DUE_AT + 2 * DAY_MS + 1 });
    world.publish();
    const { tally } = await world.drain();
    expect(world.row()).toMatchObject({ state: 'EXPIRED', reason: 'USE_BY_PASSED' });
    expect(tally).toMatchObject({ acked: 1, submissions: 0, terminal: { EXPIRED: 1 } });
  });

  test('while it waited for the provider to recover', async () => {
    const world = new World({ behaviourOf: () => ({ kind: 'defer' }) });
    const use_by = new Date(DUE_AT + 600_000).toISOString();
    world.publish(aPayload({ use_by }));
    await world.untilQuiet();
    expect(world.row(aPayload())?.state).toBe('EXPIRED');
    expect(world.deadLetters()).toEqual([]);
  });

  test('while it waited for its turn at the provider', async () => {
    const world = new World({ latencyMs: () => 8_000 });
    const use_by = new Date(DUE_AT + 4_000).toISOString();
    world.publish(aPayload({ user_id: 'u_first' }));
    world.publish(aPayload({ use_by }));
    await world.drain(world.deps(), { concurrency: 1 });
    expect(world.provider.calls).toHaveLength(1);
    expect(world.row()).toMatchObject({ state: 'EXPIRED', reason: 'USE_BY_PASSED' });
  });
});

test('rejected for good is acked and never sent again', async () => {
  const world = new World({ behaviourOf: () => ({ kind: 'reject' }) });
  world.publish();
  await world.drain();
  world.publish();
  await world.clock.runUntil(DUE_AT + HOUR_MS);
  await world.untilQuiet();
  expect(world.row()).toMatchObject({ state: 'REJECTED', reason: 'HTTP_422' });
  expect(world.provider.calls).toHaveLength(1);
  expect(world.outcomes()).toEqual(['rejected', 'duplicate']);
});

describe('field report 4: an abort is no refusal', () => {
  test('committed before our abort, answered after it: one effect, the first receipt', async () => {
    const world = new World({
      behaviourOf: (_, call) =>
        call === 0 ? { kind: 'slow-answer', latencyMs: 11_000 } : undefined,
    });
    world.publish();
    await world.drain();
    expect(world.row()).toMatchObject({ state: 'UNKNOWN', reason: 'TIMEOUT' });
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect(world.row()?.state).toBe('SENT');
  });

  test('committed seconds after our abort: asked only once it must have surfaced', async () => {
    const world = new World({
      profile: { providerClass: 'queryable' },
      behaviourOf: (_, call) =>
        call === 0 ? { kind: 'slow-commit', commitMs: 14_900 } : undefined,
    });
    world.publish();
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect(world.row()).toMatchObject({ state: 'SENT', reason: 'FOUND_AT_PROVIDER' });
  });

  test('field report 7: a 2xx without a receipt is not sent; the row says so', async () => {
    const world = new World({
      profile: { providerClass: 'blind' },
      behaviourOf: () => ({ kind: 'no-receipt', accepted: false }),
    });
    world.publish();
    const { tally } = await world.drain();
    expect(tally).toMatchObject({ receipts: 0, terminal: { SENT: 0 }, acked: 0 });
    expect(world.row()).toMatchObject({ state: 'UNKNOWN', reason: 'PARKED_BLIND' });
  });
});
