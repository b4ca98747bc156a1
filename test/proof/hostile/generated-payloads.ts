import fc from 'fast-check';
import { dueReminder } from './collected-payloads.ts';
import type { HostilePayload } from './hostile-payload.ts';
import { MARK } from './planted.ts';

const FIELDS = [
  'user_id',
  'reminder_id',
  'scheduled_at',
  'occurrence',
  'channel',
  'order_id',
  'version',
  'use_by',
  'data',
  'attempt',
  'hop',
  'payload',
  'message_id',
] as const;

/** Any JSON value, every text in it marked. */
const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }).map(marked);

/** Any JSON value instead of a reminder, in one of its fields, or beside them. */
export function generatedPayloads(
  now: number,
  seed: number,
  count: number,
): readonly HostilePayload[] {
  const shapes = fc.oneof(
    json,
    fc.tuple(fc.constantFrom(...FIELDS), json).map(([field, value]) => ({ [field]: value })),
    fc.dictionary(fc.string({ unit: 'binary' }), json).map((data) => ({ data: { own: data } })),
    fc.string({ unit: 'binary', maxLength: 60 }).map((id) => ({ user_id: `${MARK}${id}` })),
    fc.string({ unit: 'grapheme', maxLength: 60 }).map((id) => ({ reminder_id: `${id}${MARK}` })),
    fc.dictionary(fc.string({ unit: 'binary' }), json, { maxKeys: 6 }),
  );
  return fc.sample(shapes, { seed, numRuns: count }).map((shape, index) => {
    // Half of them whole, half of them as a change of a good reminder.
    const bare = index % 2 === 0 || typeof shape !== 'object' || shape === null;
    const payload = bare ? shape : dueReminder(now, `generated-${index}`, shape as object);
    return { name: `generated ${index}`, payload };
  });
}

function marked(value: unknown): unknown {
  if (typeof value === 'string') return `${value}${MARK}`;
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [`${MARK}${name}`, marked(inner)]);
  return Object.fromEntries(entries) as unknown;
}
