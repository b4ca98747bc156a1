import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseReminder } from '#core/reminder.ts';

const VALID = {
  user_id: 'u_4471',
  reminder_id: 'r_trial_end',
  scheduled_at: '2026-07-26T09:00:00Z',
};
const FIELDS = [
  'user_id',
  'reminder_id',
  'scheduled_at',
  'occurrence',
  'order_id',
  'channel',
  'version',
  'use_by',
  'data',
  'attempt',
  'hop',
  '__proto__',
  'constructor',
  'other',
];

test('any JSON is a reminder or an invalid one with a code, never an exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (payload) => {
      const parsed = parseReminder(payload, 'push');
      if (!parsed.ok) expect(parsed.reason).toMatch(/^[A-Z][A-Z0-9_]+$/);
    }),
    { numRuns: 1000 },
  );
});

test('any value in any field: a code without the value, or a reminder of that field', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FIELDS), fc.jsonValue(), (field, value) => {
      const payload = JSON.parse(
        JSON.stringify({ ...VALID }).slice(0, -1) +
          `,${JSON.stringify(field)}:${JSON.stringify(value)}}`,
      );
      const parsed = parseReminder(payload, 'push');
      if (parsed.ok) {
        expect(parsed.payload).toBe(payload);
        expect(parsed.reminder.userId.trim()).not.toBe('');
        expect(parsed.reminder.userId.isWellFormed()).toBe(true);
      } else {
        expect(parsed.reason).toMatch(/^[A-Z][A-Z0-9_]+$/);
        expect(parsed.reason.length).toBeLessThan(64);
      }
    }),
    { numRuns: 3000 },
  );
});

test('unknown fields never change what is read', () => {
  const unknown = fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => !FIELDS.slice(0, 11).includes(name)),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(unknown, (more) => {
      const parsed = parseReminder({ ...more, ...VALID }, 'push');
      const plain = parseReminder(VALID, 'push');
      expect(parsed.ok && parsed.reminder).toEqual(plain.ok && plain.reminder);
    }),
  );
});

test('a copy reads as the reminder that it copies, whatever else the payload holds', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.nat(50),
      fc.nat(50),
      (more, attempt, hop) => {
        const first = parseReminder({ ...more, ...VALID, channel: 'push', order_id: 'o_1' }, null);
        fc.pre(first.ok);
        const carried = JSON.parse(JSON.stringify({ ...first.payload, attempt, hop }));
        const copy = parseReminder(carried, null);
        expect(copy.ok && copy.reminder).toEqual({ ...first.reminder, attempt, hop });
      },
    ),
  );
});
