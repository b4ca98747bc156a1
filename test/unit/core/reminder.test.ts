import { describe, expect, test } from 'vitest';
import { MAX_DATA_BYTES, MAX_PAYLOAD_BYTES, parseReminder } from '#core/reminder.ts';

const VALID = {
  user_id: 'u_4471',
  reminder_id: 'r_trial_end',
  scheduled_at: '2026-07-26T09:00:00Z',
  channel: 'push',
};

function reasonOf(payload: unknown, defaultChannel: string | null = 'push'): string | null {
  const parsed = parseReminder(payload, defaultChannel);
  return parsed.ok ? null : parsed.reason;
}

function parsedOf(payload: unknown) {
  const parsed = parseReminder(payload, 'push');
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.reminder;
}

describe('a reminder is read', () => {
  test('with every field', () => {
    const parsed = parsedOf({
      ...VALID,
      order_id: 'o_9',
      version: 3,
      use_by: '2026-07-26T12:00:00Z',
      data: { name: 'Ann' },
      attempt: 2,
      hop: 1,
    });
    expect(parsed).toMatchObject({
      userId: 'u_4471',
      reminderId: 'r_trial_end',
      orderId: 'o_9',
      channel: 'push',
      version: 3,
      data: { name: 'Ann' },
      attempt: 2,
      hop: 1,
    });
    expect(parsed.useBy?.epochMs).toBe(Date.UTC(2026, 6, 26, 12));
  });

  test('with the fewest fields: a producer has tried nothing yet', () => {
    const { channel: _, ...fewest } = VALID;
    expect(parsedOf(fewest)).toMatchObject({ channel: 'push', attempt: 0, hop: 0 });
  });

  test('unknown fields are carried and decide nothing', () => {
    const payload = { ...VALID, trace: { id: 'x' }, message_id: 'qmsg_1', delivery_count: 7 };
    const parsed = parseReminder(payload, 'push');
    expect(parsed.ok && parsed.payload).toEqual(payload);
    expect(parsedOf(payload)).toEqual(parsedOf(VALID));
  });

  test('the order of fields decides nothing', () => {
    const reversed = Object.fromEntries(Object.entries(VALID).reverse());
    expect(parsedOf(reversed)).toEqual(parsedOf(VALID));
  });

  test.each([
    'occurrence',
    'order_id',
    'version',
    'use_by',
    'data',
    'attempt',
    'hop',
    'anything-else',
  ])('a null %s is an absent one, and is carried as it came', (field) => {
    const payload = { ...VALID, [field]: null };
    expect(parsedOf(payload)).toEqual(parsedOf(VALID));
    const parsed = parseReminder(payload, 'push');
    expect(parsed.ok && parsed.payload).toEqual(payload);
  });

  test('a null channel is the default one', () => {
    expect(parsedOf({ ...VALID, channel: null })).toEqual(parsedOf(VALID));
    expect(reasonOf({ ...VALID, channel: null }, null)).toBe('CHANNEL_MISSING');
  });
});

describe('either name of the instant', () => {
  const { scheduled_at, ...rest } = VALID;

  test('occurrence alone', () => {
    expect(parsedOf({ ...rest, occurrence: scheduled_at })).toEqual(parsedOf(VALID));
  });

  test('both, equal in different spellings', () => {
    const both = { ...VALID, occurrence: '2026-07-26T11:00:00.000+02:00' };
    expect(parsedOf(both)).toEqual(parsedOf(VALID));
  });

  test('both, a nanosecond apart, are refused', () => {
    const both = { ...VALID, occurrence: '2026-07-26T09:00:00.000000001Z' };
    expect(reasonOf(both)).toBe('SCHEDULED_AT_AND_OCCURRENCE_DIFFER');
  });

  test.each<{ instants: object }>([
    { instants: {} },
    { instants: { scheduled_at: null } },
    { instants: { occurrence: null } },
    { instants: { scheduled_at: null, occurrence: null } },
  ])('neither: $instants', ({ instants }) => {
    expect(reasonOf({ ...rest, ...instants })).toBe('SCHEDULED_AT_MISSING');
  });

  test('one of them null is the other alone', () => {
    const other = { ...rest, scheduled_at: null, occurrence: scheduled_at };
    expect(parsedOf(other)).toEqual(parsedOf(VALID));
  });

  test('a good one does not excuse a bad other one', () => {
    expect(reasonOf({ ...VALID, occurrence: 'tomorrow' })).toBe('OCCURRENCE_NOT_RFC3339');
  });
});

describe('field report 38: a safe integer is its decimal string, anything else is refused', () => {
  test('4471 and "4471" are one user', () => {
    expect(parsedOf({ ...VALID, user_id: 4471 })).toEqual(parsedOf({ ...VALID, user_id: '4471' }));
  });

  test.each([
    [9_007_199_254_740_991, '9007199254740991'],
    [0, '0'],
    [-7, '-7'],
    [-0, '0'],
    [1e3, '1000'],
  ])('%d is "%s"', (id, text) => {
    expect(parsedOf({ ...VALID, user_id: id }).userId).toBe(text);
  });

  test('two 16-digit numbers that JSON reads as one are both refused', () => {
    const read = (digits: string) => JSON.parse(`{"id":${digits}}`).id;
    expect(read('9007199254740993')).toBe(read('9007199254740992'));
    expect(reasonOf({ ...VALID, user_id: read('9007199254740992') })).toBe('USER_ID_NOT_AN_ID');
    expect(reasonOf({ ...VALID, user_id: read('9007199254740993') })).toBe('USER_ID_NOT_AN_ID');
  });

  test('as strings they are two users', () => {
    const one = parsedOf({ ...VALID, user_id: '9007199254740992' });
    expect(one.userId).not.toBe(parsedOf({ ...VALID, user_id: '9007199254740993' }).userId);
  });

  test.each<{ id: unknown }>([
    { id: 1.5 },
    { id: 1e21 },
    { id: Number.MAX_SAFE_INTEGER + 1 },
    { id: true },
    { id: {} },
    { id: [] },
    { id: ['a'] },
    { id: { toString: 'a' } },
  ])('$id is no id', ({ id }) => {
    expect(reasonOf({ ...VALID, user_id: id })).toBe('USER_ID_NOT_AN_ID');
  });
});

describe('field report 15: a missing or blank id is refused, never shared', () => {
  test.each(['user_id', 'reminder_id'])('%s', (field) => {
    const name = field.toUpperCase();
    const { [field as 'user_id']: _, ...without } = VALID;
    expect(reasonOf(without)).toBe(`${name}_MISSING`);
    expect(reasonOf({ ...VALID, [field]: null })).toBe(`${name}_MISSING`);
    expect(reasonOf({ ...VALID, [field]: '' })).toBe(`${name}_BLANK`);
    for (const blank of [' ', '\t\n', '\u00a0', '\u3000', '\ufeff']) {
      expect(reasonOf({ ...VALID, [field]: blank })).toBe(`${name}_BLANK`);
    }
  });

  test('the very payloads of the report', () => {
    const payload = { user_id: '', reminder_id: null, occurrence: '2026-07-26T09:00:00Z' };
    expect(reasonOf(payload)).toBe('USER_ID_BLANK');
  });

  test('a blank order_id is refused too: it may be part of the key', () => {
    expect(reasonOf({ ...VALID, order_id: ' ' })).toBe('ORDER_ID_BLANK');
  });
});

describe('text of ids', () => {
  test('field report 42: NFC and NFD spellings are one id', () => {
    const nfc = parsedOf({ ...VALID, reminder_id: 'caf\u00e9' });
    expect(parsedOf({ ...VALID, reminder_id: 'cafe\u0301' })).toEqual(nfc);
  });

  test('compatibility forms stay different ids', () => {
    expect(parsedOf({ ...VALID, user_id: '\ufb01' }).userId).not.toBe('fi');
  });

  test.each(['\ud800', 'a\udc00', '\udc00\ud800'])('a lone surrogate is refused: %j', (id) => {
    expect(reasonOf({ ...VALID, user_id: id })).toBe('USER_ID_NOT_UNICODE');
  });

  test('a pair of surrogates is a character', () => {
    expect(parsedOf({ ...VALID, user_id: '\ud83d\ude00' }).userId).toBe('\u{1f600}');
  });

  test('inner and outer spaces, case and control characters are kept', () => {
    expect(parsedOf({ ...VALID, user_id: ' U\u0000:|\n ' }).userId).toBe(' U\u0000:|\n ');
  });

  test('at most 512 units', () => {
    expect(reasonOf({ ...VALID, user_id: 'u'.repeat(512) })).toBeNull();
    expect(reasonOf({ ...VALID, user_id: 'u'.repeat(513) })).toBe('USER_ID_TOO_LONG');
  });
});

describe('other fields', () => {
  test.each([
    [{ channel: 'Push' }, 'CHANNEL_NOT_A_NAME'],
    [{ channel: '' }, 'CHANNEL_NOT_A_NAME'],
    [{ channel: 7 }, 'CHANNEL_NOT_A_NAME'],
    [{ channel: '__proto__' }, 'CHANNEL_NOT_A_NAME'],
    [{ attempt: -1 }, 'ATTEMPT_NOT_A_COUNT'],
    [{ attempt: 1.5 }, 'ATTEMPT_NOT_A_COUNT'],
    [{ attempt: '1' }, 'ATTEMPT_NOT_A_COUNT'],
    [{ hop: 1e10 }, 'HOP_NOT_A_COUNT'],
    [{ version: 'v2' }, 'VERSION_NOT_A_COUNT'],
    [{ use_by: 'soon' }, 'USE_BY_NOT_RFC3339'],
    [{ data: 'text' }, 'DATA_NOT_AN_OBJECT'],
    [{ data: ['a'] }, 'DATA_NOT_AN_OBJECT'],
    [{ scheduled_at: 1_785_056_400 }, 'SCHEDULED_AT_NOT_A_STRING'],
    [{ scheduled_at: '2026-07-26T09:00:00' }, 'SCHEDULED_AT_NO_OFFSET'],
    [{ scheduled_at: null }, 'SCHEDULED_AT_MISSING'],
  ])('%j', (change, reason) => {
    expect(reasonOf({ ...VALID, ...change })).toBe(reason);
  });

  test('no channel and no default', () => {
    const { channel: _, ...without } = VALID;
    expect(reasonOf(without, null)).toBe('CHANNEL_MISSING');
  });

  test('no reason ever holds a value of the payload', () => {
    for (const field of ['user_id', 'scheduled_at', 'channel', 'version', 'use_by']) {
      const reason = reasonOf({ ...VALID, [field]: { secret: 'planted-value' } });
      expect(reason).toMatch(/^[A-Z0-9_]+$/);
    }
  });
});

describe('shapes that are no reminder', () => {
  test.each<{ payload: unknown }>([
    { payload: null },
    { payload: undefined },
    { payload: 7 },
    { payload: JSON.stringify(VALID) },
    { payload: true },
    { payload: [] },
    { payload: [VALID] },
  ])('$payload', ({ payload }) => {
    expect(reasonOf(payload)).toBe('PAYLOAD_NOT_AN_OBJECT');
  });

  test('inherited fields do not count', () => {
    expect(reasonOf(JSON.parse('{"__proto__":{"user_id":"u"}}'))).toBe('USER_ID_MISSING');
  });

  test('own prototype keys are harmless', () => {
    const text = JSON.stringify(VALID).slice(0, -1);
    const hostile = JSON.parse(`${text},"__proto__":{"attempt":9},"constructor":1}`);
    expect(parsedOf(hostile)).toEqual(parsedOf(VALID));
    expect(({} as { attempt?: number }).attempt).toBeUndefined();
  });

  test('too deep, without the stack noticing', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(reasonOf({ ...VALID, deep })).toBe('PAYLOAD_TOO_DEEP');
  });

  test('256 KB are counted in bytes, not in characters', () => {
    const empty = Buffer.byteLength(JSON.stringify({ ...VALID, note: '' }));
    const fits = '\u00e9'.repeat(Math.floor((MAX_PAYLOAD_BYTES - empty) / 2));
    expect(reasonOf({ ...VALID, note: fits })).toBeNull();
    expect(reasonOf({ ...VALID, note: `${fits}\u00e9` })).toBe('PAYLOAD_TOO_LARGE');
  });

  test('data has a bound of its own', () => {
    const room = MAX_DATA_BYTES - JSON.stringify({ text: '' }).length;
    expect(reasonOf({ ...VALID, data: { text: 'x'.repeat(room) } })).toBeNull();
    expect(reasonOf({ ...VALID, data: { text: 'x'.repeat(room + 1) } })).toBe('DATA_TOO_LARGE');
  });
});
