import { describe, expect, test } from 'vitest';
import { identifyDelivery } from '#app/identify-delivery.ts';
import type { ClaimToken } from '#core/brand.ts';
import { HEALTHY, planRedrive, type RedriveRules } from '#core/plan-redrive.ts';
import { userRefOf } from '#core/send-key.ts';
import type { ProviderClass } from '#core/send-result.ts';
import { DAY_MS, DUE_AT, FIRST_EPOCH, SETTINGS } from '#test/support/core-data.ts';
import { FatedWorker } from '#test/support/fated-worker.ts';
import { aPayload, QUEUE_NAME, World } from '#test/support/world.ts';

const SECOND_MS = 1000;

/** What the redrive would do about the reminder's row now. */
function redriveOf(world: World, payload: unknown = aPayload()) {
  const identified = identifyDelivery({ payload }, world.deps());
  const row = world.row();
  if (identified.kind !== 'valid' || row === undefined) throw new Error('no row to redrive');
  const rules: RedriveRules = { trigger: 'scheduled', force: false, cap: 3, settings: SETTINGS };
  const moment = {
    now: world.clock.now(),
    token: 't_redrive' as ClaimToken,
    health: HEALTHY,
    redrivenThisRun: false,
  };
  const seen = {
    kind: 'valid',
    delivery: identified.delivery,
    row: { kind: 'row', row },
  } as const;
  return { decision: planRedrive(seen, rules, moment), row };
}

describe('field report 24: a clock that is wrong by more than the declared skew', () => {
  const classes: readonly ProviderClass[] = ['dedupes', 'queryable', 'blind'];
  const cases = classes.flatMap((providerClass) =>
    [90, 120, -120].map((offset) => [providerClass, offset] as const),
  );
  test.each(cases)(
    '%s, the second worker is off by %i s: one effect',
    async (providerClass, offset) => {
      const world = new World({
        profile: { providerClass },
        latencyMs: () => 9 * SECOND_MS,
        queue: { visibility: 'ignored', redeliveryDelayMs: SECOND_MS },
      });
      world.publish();
      const first = world.start();
      await world.clock.runUntil(DUE_AT + 2 * SECOND_MS);
      const clock = world.clock.skewed(offset * SECOND_MS);
      const second = world.start({ ...world.deps(), clock });
      await world.clock.run(Promise.all([first, second]));
      await world.untilQuiet();
      expect(world.provider.model.effects.total).toBe(1);
      // A wrong take-over can only park a blind one, and the late proof is recorded over the park.
      expect(world.row()?.state).toBe('SENT');
      expect([...world.messages(), ...world.deadLetters()]).toEqual([]);
    },
  );
});

describe('field report 33: what cleans up never touches a claim inside its lease', () => {
  const inFlight = async () => {
    const world = new World({ latencyMs: () => 9 * SECOND_MS });
    world.publish();
    const sending = world.start();
    await world.clock.runUntil(DUE_AT + 5 * SECOND_MS);
    return { world, sending };
  };

  test('neither the redrive nor a second worker writes a thing while a send is in flight', async () => {
    const { world, sending } = await inFlight();
    const { decision, row } = redriveOf(world);
    expect(decision).toMatchObject({ action: 'keep', reason: 'CLAIM_ALIVE' });
    world.publish();
    await world.clock.runUntil(DUE_AT + 6 * SECOND_MS);
    const second = world.start();
    await world.clock.runUntil(DUE_AT + 7 * SECOND_MS);
    expect(world.row()).toEqual(row);
    await world.clock.run(Promise.all([sending, second]));
    await world.untilQuiet();
    expect(world.provider.calls).toHaveLength(1);
    expect(world.row()?.state).toBe('SENT');
  });

  test('a redrive that saw the claim just before its end is refused by the row', async () => {
    const { world, sending } = await inFlight();
    const { row } = redriveOf(world);
    await world.clock.run(sending);
    const late = { ...row, state: 'DEFERRED', reason: 'REOPENED' } as const;
    expect(await world.ledger.replace(late, row)).toMatchObject({ kind: 'lost' });
    expect(world.row()?.state).toBe('SENT');
  });

  test('no port of the product can delete a row', () => {
    const { ledger } = world();
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(ledger));
    expect(methods.filter((name) => /delete|remove|clear|purge/i.test(name))).toEqual([]);
  });
});

describe('field report 14, 32: a claim whose workers all died is not left as a riddle', () => {
  const broughtToDeath = async (providerClass: ProviderClass) => {
    // The queue gives up after three deliveries, the second and third of which met a live lease
    // and died as well.
    const world = new World({ profile: { providerClass }, queue: { visibility: 'ignored' } });
    world.publish();
    for (let life = 0; life < 3; life += 1) {
      const worker = new FatedWorker((call) =>
        call.method === 'send' || call.method === 'publish' ? 'ended-before' : 'goes-on',
      );
      const run = world.start(worker.deps(world.deps()));
      await world.clock.run(Promise.race([run, worker.end]));
      await world.clock.runUntil(world.clock.now() + 7 * SECOND_MS);
    }
    await world.clock.runUntil(DUE_AT + 300 * SECOND_MS);
    expect(world.row()?.state).toBe('CLAIMED');
    expect(world.deadLetters()).toHaveLength(1);
    return world;
  };

  test('blind: the redrive keeps it for a person, and lists it among the unknown outcomes', async () => {
    const world = await broughtToDeath('blind');
    const { decision, row } = redriveOf(world);
    expect(decision).toMatchObject({ action: 'keep', reason: 'DECISION_NEEDED' });
    if (decision.write?.kind !== 'replace') throw new Error('nothing is written');
    await world.ledger.replace(decision.write.next, decision.write.seen);
    expect(await world.ledger.unresolved({ limit: 9 })).toMatchObject({
      rows: [{ state: 'UNKNOWN', reason: 'PARKED_BLIND', firstSendAt: row.firstSendAt }],
    });
    expect(redriveOf(world).decision).toMatchObject({ action: 'keep', reason: 'DECISION_NEEDED' });
    expect(redriveOf(world).decision.write).toBeUndefined();
  });

  test('whatever keeps it, the row says so: another content, a cap that is reached', async () => {
    const world = await broughtToDeath('dedupes');
    const other = aPayload({ data: { text: 'another text' } });
    expect(redriveOf(world, other).decision).toMatchObject({
      reason: 'CONTENT_CONFLICT',
      write: { next: { state: 'UNKNOWN', reason: 'PARKED_CONTENT_CONFLICT', notBefore: null } },
    });
    const { row } = redriveOf(world);
    world.ledger.rows.set(row.sendKey, { ...row, redriveCount: 3 });
    expect(redriveOf(world).decision).toMatchObject({
      reason: 'AT_CAP',
      write: { next: { state: 'UNKNOWN', reason: 'PARKED_ATTEMPTS_USED' } },
    });
  });

  test.each(['dedupes', 'queryable'] as const)(
    '%s: goes back and is settled',
    async (providerClass) => {
      const world = await broughtToDeath(providerClass);
      expect(redriveOf(world).decision).toMatchObject({ action: 'redrive', detail: 'STALE_CLAIM' });
      const [letter] = world.deadLetters();
      world.model.redrive(QUEUE_NAME, letter?.messageId ?? '', world.clock.now());
      await world.untilQuiet();
      expect(world.row()?.state).toBe('SENT');
      expect(world.effects()).toBe(1);
    },
  );
});

describe('field report 77: erasing a person leaves a keyed tombstone that still blocks', () => {
  test('the row holds no id, text or address; it is found by a keyed reference', async () => {
    const erased = world();
    const payload = aPayload({ user_id: 'u_4471', data: { text: 'Hi Ann', email: 'a@b.example' } });
    erased.publish(payload);
    await erased.untilQuiet();
    const row = erased.row(payload);
    expect(JSON.stringify(row)).not.toMatch(/u_4471|Hi Ann|a@b|r_trial_end/);
    expect(row?.userRef).toBe(userRefOf('u_4471', FIRST_EPOCH));
  });

  test('a year later the same reminder is still absorbed, and nothing had to be kept of the person', async () => {
    const erased = world();
    erased.publish();
    await erased.untilQuiet();
    await erased.clock.runUntil(DUE_AT + 365 * DAY_MS);
    erased.publish();
    await erased.untilQuiet();
    expect(erased.outcomes()).toEqual(['sent', 'duplicate']);
    expect(erased.effects()).toBe(1);
  });

  test('under another secret the same person has another reference: destroying a secret erases', () => {
    const next = { ...FIRST_EPOCH, id: 'next', secret: 'another-secret-that-tests-know' };
    expect(userRefOf('u_4471', next)).not.toBe(userRefOf('u_4471', FIRST_EPOCH));
  });
});

test('field report 6: message 7 of 10 meets a bug; the others are sent and acked once, and not again', async () => {
  const batch = world();
  const users = Array.from({ length: 10 }, (_, index) => `u_${index + 1}`);
  for (const user_id of users) batch.publish(aPayload({ user_id }));
  const { sender } = batch.provider;
  const content = (reminder: Parameters<typeof sender.content>[0]) => {
    if (reminder.userId === 'u_7') throw new TypeError('planted bug');
    return sender.content(reminder);
  };
  const broken = { ...batch.deps(), senders: new Map([['push', { ...sender, content }]]) };
  const { tally } = await batch.drain(broken);
  expect(tally).toMatchObject({ deliveries: 10, receipts: 9, acked: 9 });
  expect(batch.messages().map(({ payload }) => payload)).toMatchObject([{ user_id: 'u_7' }]);
  for (const user_id of users) batch.publish(aPayload({ user_id }));
  await batch.untilQuiet();
  expect(users.map((user_id) => batch.effects(aPayload({ user_id })))).toEqual(users.map(() => 1));
  expect(batch.provider.calls).toHaveLength(10);
});

test('field report 42: a key epoch that begins in mid-stream re-sends nothing', async () => {
  const rotated = world();
  const from = { epochMs: DUE_AT + DAY_MS, canonical: '2026-07-27T09:00:00Z' };
  const second = { ...FIRST_EPOCH, id: 'second', secret: 'another-secret-that-tests-know', from };
  const epochs = [FIRST_EPOCH, second];
  rotated.publish(aPayload({ reminder_id: 'caf\u00e9' }));
  await rotated.untilQuiet();
  const deps = { ...rotated.deps(), epochs };
  for (const reminder_id of ['caf\u00e9', 'cafe\u0301']) rotated.publish(aPayload({ reminder_id }));
  await rotated.untilQuiet(deps);
  await rotated.clock.runUntil(DUE_AT + 2 * DAY_MS);
  rotated.publish(aPayload({ reminder_id: 'caf\u00e9' }));
  await rotated.untilQuiet(deps);
  expect(rotated.provider.model.effects.total).toBe(1);
  expect(rotated.outcomes()).toEqual(['sent', 'duplicate', 'duplicate', 'duplicate']);
});

test('field report 15: two different users without an id share no key; each is dead-lettered', async () => {
  const nameless = world();
  for (const reminder_id of [null, undefined]) {
    nameless.publish({ ...aPayload(), user_id: '', reminder_id });
  }
  await nameless.untilQuiet();
  expect(nameless.provider.calls).toEqual([]);
  expect(nameless.ledger.rows.size).toBe(0);
  expect(nameless.deadLetters()).toHaveLength(2);
  const reasons = new Set(nameless.reports.map(({ outcome, reason }) => `${outcome} ${reason}`));
  expect([...reasons]).toEqual(['invalid USER_ID_BLANK']);
});

test('field report 52: a redriven message that is refused again keeps its count through every redrive', async () => {
  const refused = new World({ behaviourOf: () => ({ kind: 'defer' }) });
  refused.publish();
  await refused.untilQuiet();
  const [letter] = refused.deadLetters();
  expect(refused.row()?.state).toBe('EXHAUSTED');
  const calls = refused.provider.calls.length;
  refused.model.redrive(QUEUE_NAME, letter?.messageId ?? '', refused.clock.now());
  await refused.untilQuiet();
  // The broker's count began again at 1; without a reopened row nothing is sent.
  expect(refused.provider.calls).toHaveLength(calls);
  expect(refused.deadLetters()).toHaveLength(1);
});

function world(): World {
  return new World();
}
