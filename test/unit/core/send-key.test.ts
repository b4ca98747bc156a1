import { describe, expect, test } from 'vitest';
import { instantOf } from '#core/instant.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import { parseReminder } from '#core/reminder.ts';
import {
  bodyHashOf,
  identify,
  type OptionalKeyField,
  seriesRefOf,
  userRefOf,
} from '#core/send-key.ts';
import { aReminder, DUE_AT, FIRST_EPOCH } from '#test/support/core-data.ts';
import fixture from '../../fixtures/send-keys.json' with { type: 'json' };

const keyOf = (change: Parameters<typeof aReminder>[0], epoch: KeyEpoch = FIRST_EPOCH) =>
  identify(aReminder(change), epoch).sendKey;

describe('vectors computed outside the product', () => {
  test.each(fixture.vectors)('$name', (vector) => {
    const parsed = parseReminder(vector.payload, fixture.defaultChannel);
    if (!parsed.ok) throw new Error(parsed.reason);
    const keyFields = vector.keyFields as OptionalKeyField[];
    const epoch = { id: 'vector', secret: vector.secret, keyFields, from: null };
    const { sendKey, sendUuid, userRef } = vector;
    expect(identify(parsed.reminder, epoch)).toEqual({ sendKey, sendUuid, userRef });
  });

  test('the fixture holds equal keys exactly where reminders are equal', () => {
    const keys = fixture.vectors.map((vector) => vector.sendKey);
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(keys.length - 1);
  });
});

describe('field report 39: ids joined without a separator', () => {
  test.each([
    [
      { userId: 'a', reminderId: 'bc' },
      { userId: 'ab', reminderId: 'c' },
    ],
    [
      { userId: 'a|b', reminderId: 'c' },
      { userId: 'a', reminderId: 'b|c' },
    ],
    [
      { userId: 'a\u0000b', reminderId: 'c' },
      { userId: 'a', reminderId: 'b\u0000c' },
    ],
    [
      { userId: 'a","b', reminderId: 'c' },
      { userId: 'a', reminderId: 'b","c' },
    ],
  ])('%j and %j', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });
});

test('field report 40: a colon in an id moves nothing from one field to the next', () => {
  expect(keyOf({ userId: 'team:alice', reminderId: 'profile' })).not.toBe(
    keyOf({ userId: 'team', reminderId: 'alice:profile' }),
  );
});

test('field report 43: whatever the ids hold, keys are plain header text', () => {
  for (const reminderId of ['苗条', 'a\r\nX-Evil: 1', '\u0000', 'é'.repeat(500)]) {
    const identity = identify(aReminder({ reminderId }), FIRST_EPOCH);
    expect(identity.sendKey).toMatch(/^k1_[0-9a-f]{64}$/);
    expect(identity.sendUuid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(identity.userRef).toMatch(/^u1_[0-9a-f]{32}$/);
  }
});

test('field report 61: the same text a minute later is another reminder', () => {
  const later = keyOf({ scheduledAt: instantOf(DUE_AT + 60_000) });
  expect(later).not.toBe(keyOf({ scheduledAt: instantOf(DUE_AT) }));
});

test('field report 72: a recomputed instant is another occurrence, by documented rule', () => {
  const nine = (utcHour: number) => instantOf(Date.UTC(2026, 9, 26, utcHour));
  expect(keyOf({ scheduledAt: nine(15) })).not.toBe(keyOf({ scheduledAt: nine(16) }));
});

describe('what is never part of identity', () => {
  test.each([{ attempt: 3 }, { hop: 2 }, { version: 9 }, { data: { a: 1 } }])('%j', (change) => {
    expect(keyOf(change)).toBe(keyOf({}));
  });

  test('order_id and channel, unless the epoch says so', () => {
    expect(keyOf({ orderId: 'o_9', channel: 'email' })).toBe(keyOf({}));
  });
});

describe('key fields of an epoch', () => {
  const epochWith = (...keyFields: OptionalKeyField[]) => ({ ...FIRST_EPOCH, keyFields });

  test('order_id tells reminders apart', () => {
    const epoch = epochWith('order_id');
    const keys = [
      keyOf({ orderId: 'o_1' }, epoch),
      keyOf({ orderId: 'o_2' }, epoch),
      keyOf({ orderId: 'null' }, epoch),
      keyOf({}, epoch),
      keyOf({}, FIRST_EPOCH),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('channel tells reminders apart', () => {
    const epoch = epochWith('channel');
    expect(keyOf({ channel: 'email' }, epoch)).not.toBe(keyOf({ channel: 'push' }, epoch));
  });

  test('their order in the configuration decides nothing', () => {
    const reminder = { orderId: 'o_1', channel: 'email' };
    expect(keyOf(reminder, epochWith('order_id', 'channel'))).toBe(
      keyOf(reminder, epochWith('channel', 'order_id')),
    );
  });

  test('an order_id and a channel of the same text do not stand in for each other', () => {
    expect(keyOf({ orderId: 'email', channel: 'push' }, epochWith('order_id'))).not.toBe(
      keyOf({ orderId: 'push', channel: 'email' }, epochWith('channel')),
    );
  });
});

describe('references', () => {
  test('one user has one reference under one epoch, whatever the reminder', () => {
    const one = identify(aReminder({ reminderId: 'r_1' }), FIRST_EPOCH);
    expect(identify(aReminder({ reminderId: 'r_2' }), FIRST_EPOCH).userRef).toBe(one.userRef);
    expect(userRefOf('u_4471', FIRST_EPOCH)).toBe(one.userRef);
  });

  test('one reminder has one reference at all its instants, and its instant is not in it', () => {
    const ref = seriesRefOf(aReminder(), FIRST_EPOCH);
    expect(ref).toMatch(/^s1_[0-9a-f]{32}$/);
    const later = aReminder({ scheduledAt: instantOf(DUE_AT + 60_000) });
    expect(seriesRefOf(later, FIRST_EPOCH)).toBe(ref);
    const other = { ...FIRST_EPOCH, secret: 'another-secret-of-these-tests' };
    const others = [
      seriesRefOf(aReminder({ userId: 'u_2' }), FIRST_EPOCH),
      seriesRefOf(aReminder({ reminderId: 'r_2' }), FIRST_EPOCH),
      seriesRefOf(aReminder(), other),
    ];
    expect(new Set([ref, ...others]).size).toBe(4);
  });

  test('another secret gives other keys, references and body hashes', () => {
    const other = { ...FIRST_EPOCH, secret: 'another-secret-of-these-tests' };
    const one = identify(aReminder(), FIRST_EPOCH);
    const two = identify(aReminder(), other);
    for (const name of ['sendKey', 'sendUuid', 'userRef'] as const) {
      expect(one[name]).not.toBe(two[name]);
    }
    expect(bodyHashOf('hello', FIRST_EPOCH)).not.toBe(bodyHashOf('hello', other));
  });

  test('a user reference and a body hash of one text differ beyond their prefix', () => {
    const text = 'u_4471';
    expect(userRefOf(text, FIRST_EPOCH).slice(3)).not.toBe(bodyHashOf(text, FIRST_EPOCH).slice(3));
  });
});
