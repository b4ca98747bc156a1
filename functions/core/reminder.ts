import * as z from 'zod/mini';
import { idText, instantText } from '#core/field-schemas.ts';
import type { Instant } from '#core/instant.ts';

/** What the queue takes at most, counted in bytes of JSON (Infrai: 256 KB a message). */
export const MAX_PAYLOAD_BYTES = 262_144;
/** Longest id, after normalisation. Generous for any id, too short for a document. */
const MAX_ID_LENGTH = 512;
/** The optional data of a reminder: template variables, not documents. */
export const MAX_DATA_BYTES = 16_384;
const MAX_COUNTER = 1_000_000_000;
/** A payload nested deeper than this is not a reminder, and would cost us our own stack. */
const MAX_DEPTH = 32;

/** One reminder occurrence as the producer meant it, plus where this copy stands in its life. */
export type Reminder = {
  readonly userId: string;
  readonly reminderId: string;
  readonly scheduledAt: Instant;
  readonly orderId?: string;
  readonly channel: string;
  /** The producer's content version; carried, never part of identity. */
  readonly version?: number;
  /** The producer's own deadline; the channel's use-by time applies as well. */
  readonly useBy?: Instant;
  readonly data?: Readonly<Record<string, unknown>>;
  /** How hard we tried before this copy was made; 0 from a producer. */
  readonly attempt: number;
  /** How often this attempt's copy was postponed; 0 from a producer. */
  readonly hop: number;
};

/** A code that names the field and the reason, never the value. */
export type InvalidReason = string;

export type ParsedReminder =
  | {
      readonly ok: true;
      readonly reminder: Reminder;
      /** The payload as it came, unknown fields included: what a postponed copy carries on. */
      readonly payload: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly reason: InvalidReason };

/** Lone surrogates have no UTF-8 form: two different ids would hash alike. */
const wellFormed = (text: string) => text.isWellFormed();

const id = idText('NOT_AN_ID').check(
  z.refine((text) => text.trim() !== '', { error: 'BLANK', abort: true }),
  z.maxLength(MAX_ID_LENGTH, { error: 'TOO_LONG' }),
  z.refine(wellFormed, { error: 'NOT_UNICODE' }),
);

const counter = z
  .int({ error: 'NOT_A_COUNT' })
  .check(z.nonnegative('NOT_A_COUNT'), z.maximum(MAX_COUNTER, 'NOT_A_COUNT'));

const instant = instantText((fault) => fault);

const payloadSchema = z.object({
  user_id: id,
  reminder_id: id,
  scheduled_at: z.optional(instant),
  occurrence: z.optional(instant),
  order_id: z.optional(id),
  channel: z.optional(
    z.string({ error: 'NOT_A_NAME' }).check(z.regex(/^[a-z][a-z0-9_-]{0,63}$/, 'NOT_A_NAME')),
  ),
  version: z.optional(counter),
  use_by: z.optional(instant),
  data: z.optional(z.record(z.string(), z.unknown(), { error: 'NOT_AN_OBJECT' })),
  attempt: z.optional(counter),
  hop: z.optional(counter),
});

/**
 * Reads a queue payload. Strict about identity, tolerant about unknown fields; null counts as
 * absent, since many producers write it for what they do not have.
 * @param defaultChannel the channel of a reminder that names none; null refuses such a reminder
 */
export function parseReminder(payload: unknown, defaultChannel: string | null): ParsedReminder {
  if (!isPlainObject(payload)) return invalid('PAYLOAD_NOT_AN_OBJECT');
  if (deeperThan(payload, MAX_DEPTH)) return invalid('PAYLOAD_TOO_DEEP');
  const bytes = jsonBytes(payload);
  if (bytes > MAX_PAYLOAD_BYTES) return invalid('PAYLOAD_TOO_LARGE');
  const parsed = payloadSchema.safeParse(withoutNulls(payload));
  if (!parsed.success) return invalid(reasonOf(parsed.error, payload));
  const fields = parsed.data;
  const scheduledAt = fields.scheduled_at ?? fields.occurrence;
  if (scheduledAt === undefined) return invalid('SCHEDULED_AT_MISSING');
  const twice = fields.scheduled_at !== undefined && fields.occurrence !== undefined;
  if (twice && fields.scheduled_at?.canonical !== fields.occurrence?.canonical) {
    return invalid('SCHEDULED_AT_AND_OCCURRENCE_DIFFER');
  }
  const channel = fields.channel ?? defaultChannel;
  if (channel === null) return invalid('CHANNEL_MISSING');
  if (fields.data !== undefined && jsonBytes(fields.data) > MAX_DATA_BYTES) {
    return invalid('DATA_TOO_LARGE');
  }
  return {
    ok: true,
    payload,
    reminder: {
      userId: fields.user_id,
      reminderId: fields.reminder_id,
      scheduledAt,
      ...(fields.order_id !== undefined && { orderId: fields.order_id }),
      channel,
      ...(fields.version !== undefined && { version: fields.version }),
      ...(fields.use_by !== undefined && { useBy: fields.use_by }),
      ...(fields.data !== undefined && { data: fields.data }),
      attempt: fields.attempt ?? 0,
      hop: fields.hop ?? 0,
    },
  };
}

function invalid(reason: InvalidReason): ParsedReminder {
  return { ok: false, reason };
}

/** `USER_ID_BLANK`, `SCHEDULED_AT_NO_OFFSET`, …: the field and the reason, never the value. */
function reasonOf(
  error: z.core.$ZodError,
  payload: Readonly<Record<string, unknown>>,
): InvalidReason {
  const issue = error.issues[0];
  const field = String(issue?.path[0] ?? 'payload');
  const name = field.toUpperCase();
  if (!Object.hasOwn(payload, field) || payload[field] === null) return `${name}_MISSING`;
  const message = issue?.message ?? '';
  return `${name}_${/^[A-Z0-9_]+$/.test(message) ? message : 'INVALID'}`;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutNulls(payload: Record<string, unknown>): Record<string, unknown> {
  // Most payloads hold none, and a copy takes as long as half the check.
  if (!Object.values(payload).includes(null)) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

/** Level by level instead of by recursion: a hostile payload must not end the process. */
function deeperThan(root: object, limit: number): boolean {
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    const values = level.flatMap((one): unknown[] => Object.values(one));
    if (depth === limit) return values.length > 0;
    level = values.filter((value) => typeof value === 'object' && value !== null);
  }
  return false;
}
