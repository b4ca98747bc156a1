import { describe, expect, test } from 'vitest';
import { DAY_MS, DUE_AT } from '#test/support/core-data.ts';
import { aPayload, keyOf, World } from '#test/support/world.ts';

const MINUTE_MS = 60_000;

describe('one reminder, however often it comes', () => {
  test('published twice: one send, one terminal row, two settled deliveries', async () => {
    const world = new World();
    world.publish();
    world.publish();
    const { tally } = await world.drain();
    expect(world.effects()).toBe(1);
    expect(world.row()).toMatchObject({ state: 'SENT', attempt: 0 });
    expect(world.ledger.rows.size).toBe(1);
    expect(tally).toMatchObject({ deliveries: 2, keysClaimed: 1, receipts: 1, submissions: 1 });
    await world.untilQuiet();
    expect(world.messages()).toEqual([]);
    expect(world.deadLetters()).toEqual([]);
    expect(world.reports.filter((report) => report.settled === 'acked')).toHaveLength(2);
  });

  test('published twice, the second found SENT: absorbed quietly', async () => {
    const world = new World();
    world.publish();
    await world.drain();
    world.publish();
    const { tally } = await world.drain();
    expect(tally).toMatchObject({ duplicatesAbsorbed: 1, acked: 1, submissions: 0, receipts: 0 });
    expect(world.effects()).toBe(1);
  });

  test('a hundred at once, over six consumers', async () => {
    const world = new World({ latencyMs: () => 300 });
    for (let copy = 0; copy < 100; copy += 1) world.publish();
    const consumers = Array.from({ length: 6 }, () => world.start());
    await world.clock.run(Promise.all(consumers));
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect(world.provider.calls).toHaveLength(1);
    expect(world.row()?.state).toBe('SENT');
    expect([...world.messages(), ...world.deadLetters()]).toEqual([]);
  });

  test('field report 71: equal instants in every spelling are one send', async () => {
    const world = new World();
    const spellings = [
      '2026-07-26T09:00:00Z',
      '2026-07-26t09:00:00z',
      '2026-07-26T09:00:00+00:00',
      '2026-07-26T09:00:00-00:00',
      '2026-07-26T11:00:00+02:00',
      '2026-07-26T09:00:00.000Z',
      '2026-07-26T09:00:00.000000Z',
    ];
    for (const scheduled_at of spellings) world.publish(aPayload({ scheduled_at }));
    world.publish(aPayload({ scheduled_at: undefined, occurrence: spellings[4] }));
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect(world.ledger.rows.size).toBe(1);
  });

  test('field report 38: a number and its digits are one user', async () => {
    const world = new World();
    world.publish(aPayload({ user_id: 4471 }));
    world.publish(aPayload({ user_id: '4471' }));
    await world.untilQuiet();
    expect(world.provider.model.effects.total).toBe(1);
  });

  test('field report 17: redelivered to the same warm worker at once', async () => {
    const world = new World();
    const deps = world.deps();
    world.publish();
    await world.drain(deps);
    await world.clock.runUntil(world.clock.now() + 50);
    world.publish();
    await world.drain(deps);
    expect(world.outcomes()).toEqual(['sent', 'duplicate']);
  });
});

describe('field report 62: a repeat long after the ack is absorbed', () => {
  test.each([
    ['five minutes', 5 * MINUTE_MS],
    ['six minutes', 6 * MINUTE_MS],
    ['25 hours, when the queue has forgotten every key', 25 * 60 * MINUTE_MS],
    ['29 days', 29 * DAY_MS],
    ['400 days', 400 * DAY_MS],
  ])('%s', async (_, laterMs) => {
    const world = new World();
    world.publish();
    await world.drain();
    await world.clock.runUntil(DUE_AT + laterMs);
    world.publish();
    await world.untilQuiet();
    expect(world.outcomes()).toEqual(['sent', 'duplicate']);
    expect(world.effects()).toBe(1);
  });
});

describe('different reminders are all sent', () => {
  test('two instants a minute apart, field report 61: dedupe is by identity, not by content', async () => {
    const world = new World();
    const later = aPayload({ scheduled_at: new Date(DUE_AT + MINUTE_MS).toISOString() });
    world.publish();
    world.publish(later);
    await world.untilQuiet();
    expect([world.effects(), world.effects(later)]).toEqual([1, 1]);
  });

  test('field report 39: ids that a joined key would confuse', async () => {
    const world = new World();
    const payloads = [
      aPayload({ user_id: 'a', reminder_id: 'bc' }),
      aPayload({ user_id: 'ab', reminder_id: 'c' }),
      aPayload({ user_id: 'a:b', reminder_id: 'c' }),
      aPayload({ user_id: 'a', reminder_id: 'b:c' }),
    ];
    for (const payload of payloads) world.publish(payload);
    await world.untilQuiet();
    expect(payloads.map((payload) => world.effects(payload))).toEqual([1, 1, 1, 1]);
  });

  test('field report 71: the repeated hour of a daylight-saving night', async () => {
    const world = new World({ now: Date.UTC(2026, 9, 25, 3) });
    const payloads = [
      aPayload({ scheduled_at: '2026-10-25T02:30:00+02:00' }),
      aPayload({ scheduled_at: '2026-10-25T02:30:00+01:00' }),
    ];
    for (const payload of payloads) world.publish(payload);
    await world.untilQuiet();
    expect(payloads.map((payload) => world.effects(payload))).toEqual([1, 1]);
  });
});

describe('a queue that redelivers', () => {
  test('field report 49: acked messages come back and nothing moves', async () => {
    const world = new World();
    for (let user = 0; user < 30; user += 1) world.publish(aPayload({ user_id: `u_${user}` }));
    const deps = world.deps();
    const acked = new Set<string>();
    const queue = {
      consume: deps.queue.consume.bind(deps.queue),
      publish: deps.queue.publish.bind(deps.queue),
      ack: async (message: Parameters<typeof deps.queue.ack>[0]) => {
        const again = !acked.has(message.messageId) && world.random.fraction() < 0.3;
        acked.add(message.messageId);
        const request = { queue: 'reminders', messageId: message.ackHandle };
        world.model.ack(request, world.clock.now(), again);
        return { kind: 'acked' as const };
      },
    };
    await world.untilQuiet({ ...deps, queue });
    const counted = world.outcomes();
    expect(counted.filter((outcome) => outcome === 'sent')).toHaveLength(30);
    expect(counted.filter((outcome) => outcome === 'duplicate').length).toBeGreaterThan(3);
    expect(world.provider.calls).toHaveLength(30);
    expect(world.provider.model.effects.duplicated().size).toBe(0);
  });

  test('field report 45: a copy while the original is alive, longer delayed than any lease', async () => {
    const world = new World();
    world.publish();
    world.publish(aPayload(), 2 * 3600);
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
  });

  test('field report 47: two consumers, the same message at the same moment', async () => {
    const world = new World({
      latencyMs: () => 5_000,
      queue: { visibility: 'ignored', redeliveryDelayMs: 1 },
    });
    world.publish();
    const first = world.start();
    await world.clock.runUntil(DUE_AT + 2);
    const second = world.start();
    await world.clock.run(Promise.all([first, second]));
    expect(world.outcomes()).toContain('held');
    const held = world.reports.find((report) => report.outcome === 'held');
    expect(held).toMatchObject({ settled: 'postponed', submissions: 0, takenOver: false });
    await world.untilQuiet();
    expect(world.effects()).toBe(1);
    expect(world.row()?.state).toBe('SENT');
  });
});

test('another body under a known key is counted and never sent', async () => {
  const world = new World();
  world.publish(aPayload({ data: { text: 'first' } }));
  await world.drain();
  world.publish(aPayload({ data: { text: 'second' } }));
  const { tally } = await world.drain();
  expect(tally).toMatchObject({ contentConflicts: 1, duplicatesAbsorbed: 1, submissions: 0 });
  expect(world.effects()).toBe(1);
});

test('what the ledger holds reveals nobody', async () => {
  const world = new World();
  const payload = aPayload({ data: { email: 'ann@example.org', text: 'Hi Ann' } });
  world.publish(payload);
  await world.drain();
  const stored = JSON.stringify([...world.ledger.rows]) + JSON.stringify(world.reports);
  for (const secret of ['u_4471', 'r_trial_end', 'ann@', 'Hi Ann']) {
    expect(stored).not.toContain(secret);
  }
  expect(stored).toContain(keyOf(payload));
});
