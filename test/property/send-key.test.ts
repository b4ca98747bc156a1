import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOf } from '#core/instant.ts';
import { parseReminder } from '#core/reminder.ts';
import { identify, type OptionalKeyField } from '#core/send-key.ts';
import { aReminder, DUE_AT, FIRST_EPOCH } from '#test/support/core-data.ts';

const SCHEDULED = '2026-07-26T09:00:00Z';
/** Ids made of little else than what people join ids with. */
const joint = fc.constantFrom(
  ':',
  '|',
  '-',
  '_',
  '/',
  ',',
  '"',
  '\\',
  '\u0000',
  '\n',
  ' ',
  'a',
  'b',
);
const id = fc.oneof(
  fc.string({ unit: joint, minLength: 1, maxLength: 6 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
);
const ids = fc.record({ userId: id, reminderId: id, orderId: fc.option(id, { nil: undefined }) });
type Ids = typeof ids extends fc.Arbitrary<infer Value> ? Value : never;

function keyOf(given: Ids, keyFields: readonly OptionalKeyField[] = ['order_id']): string | null {
  const payload = {
    user_id: given.userId,
    reminder_id: given.reminderId,
    order_id: given.orderId,
    scheduled_at: SCHEDULED,
  };
  const parsed = parseReminder(payload, 'push');
  return parsed.ok ? identify(parsed.reminder, { ...FIRST_EPOCH, keyFields }).sendKey : null;
}

const normal = (given: Ids) =>
  JSON.stringify(
    [given.userId, given.reminderId, given.orderId ?? null].map(
      (text) => text?.normalize('NFC') ?? null,
    ),
  );

test('keys are equal exactly where the normalised tuples are', () => {
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      const [a, b] = [keyOf(one), keyOf(other)];
      fc.pre(a !== null && b !== null);
      expect(a === b).toBe(normal(one) === normal(other));
    }),
    { numRuns: 3000 },
  );
});

test('moving a piece of text over a border between two fields changes the key', () => {
  fc.assert(
    fc.property(id, id, joint, (left, right, separator) => {
      const joined = { userId: `${left}${separator}${right}`, reminderId: 'r', orderId: undefined };
      const moved = { userId: left, reminderId: `${right}${separator}r`, orderId: undefined };
      const swapped = { userId: left, reminderId: 'r', orderId: right };
      const keys = [joined, moved, swapped].map((given) => keyOf(given));
      fc.pre(!keys.includes(null));
      expect(new Set(keys).size).toBe(3);
    }),
    { numRuns: 2000 },
  );
});

test('normal forms of one id give one key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), (text) => {
      const given = (userId: string) => ({ userId, reminderId: 'r', orderId: undefined });
      fc.pre(keyOf(given(text)) !== null);
      expect(keyOf(given(text.normalize('NFD')))).toBe(keyOf(given(text.normalize('NFC'))));
    }),
    { numRuns: 1000 },
  );
});

test('a safe integer and its digits give one key; an unsafe one gives none', () => {
  const withUser = (user_id: unknown) => {
    const parsed = parseReminder({ user_id, reminder_id: 'r', scheduled_at: SCHEDULED }, 'push');
    return parsed.ok ? identify(parsed.reminder, FIRST_EPOCH).sendKey : null;
  };
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      expect(withUser(number)).not.toBeNull();
      expect(withUser(number)).toBe(withUser(String(number)));
    }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 53n, max: 10n ** 21n }), (big) => {
      expect(withUser(Number(big))).toBeNull();
    }),
  );
});

test('instants a nanosecond apart and fields outside identity', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(9), fc.nat(9), (ms, attempt, hop) => {
      const scheduledAt = instantOf(DUE_AT + ms);
      const next = { ...scheduledAt, canonical: scheduledAt.canonical.replace('Z', '.000000001Z') };
      const at = (instant: typeof scheduledAt, change = {}) =>
        identify(aReminder({ scheduledAt: instant, ...change }), FIRST_EPOCH).sendKey;
      expect(at(scheduledAt, { attempt, hop })).toBe(at(scheduledAt));
      expect(at(scheduledAt)).not.toBe(at(next));
    }),
  );
});
