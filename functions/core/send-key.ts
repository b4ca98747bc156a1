import { createHmac } from 'node:crypto';
import type { SendKey } from '#core/brand.ts';
import { instantOf } from '#core/instant.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import type { Reminder } from '#core/reminder.ts';

/** Fields that a deployment may add to the three that always identify a reminder. */
export const OPTIONAL_KEY_FIELDS = ['order_id', 'channel'] as const;
export type OptionalKeyField = (typeof OPTIONAL_KEY_FIELDS)[number];

/** The names under which one reminder occurrence is known, none of which reveals an id. */
export type Identity = {
  readonly sendKey: SendKey;
  /** Version-8 UUID (RFC 9562) of the same digest, for providers that demand a UUID. */
  readonly sendUuid: string;
  /** The same for every reminder of one user under one epoch. */
  readonly userRef: string;
};

/**
 * The send key is `k1_` + hex(HMAC-SHA256(secret, tuple)). Keyed, so that neither ledger, logs nor
 * a provider's logs reveal an id; letters, digits and `_` only, so that it fits every provider's
 * idempotency header. The tuple is a JSON array of [name, value] pairs behind a format version:
 * joining with a separator would make ("a:b","c") and ("a","b:c") one reminder.
 */
export function identify(reminder: Reminder, epoch: KeyEpoch): Identity {
  const digest = hmac(epoch.secret, tupleOf(reminder, epoch.keyFields));
  return {
    sendKey: `k1_${digest.toString('hex')}` as SendKey,
    sendUuid: uuidOf(digest),
    userRef: userRefOf(reminder.userId, epoch),
  };
}

/** Keyed reference of a user id (already NFC), to find a user's rows without storing the id. */
export function userRefOf(userId: string, epoch: KeyEpoch): string {
  return `u1_${hmac(epoch.secret, JSON.stringify(['user-ref/1', userId])).toString('hex', 0, 16)}`;
}

/** Keyed reference of a reminder without its instant: the same for all of its occurrences. */
export function seriesRefOf(reminder: Reminder, epoch: KeyEpoch): string {
  const timeless = tupleOf({ ...reminder, scheduledAt: instantOf(0) }, epoch.keyFields);
  return `s1_${hmac(epoch.secret, JSON.stringify(['series/1', timeless])).toString('hex', 0, 16)}`;
}

/** Keyed hash of what would be sent: short contents must not be guessable from the ledger. */
export function bodyHashOf(content: string, epoch: KeyEpoch): string {
  return `b1_${hmac(epoch.secret, JSON.stringify(['body/1', content])).toString('hex', 0, 16)}`;
}

function tupleOf(reminder: Reminder, keyFields: readonly OptionalKeyField[]): string {
  const optional = { order_id: reminder.orderId ?? null, channel: reminder.channel };
  return JSON.stringify([
    'send-key/1',
    ['user_id', reminder.userId],
    ['reminder_id', reminder.reminderId],
    ['scheduled_at', reminder.scheduledAt.canonical],
    ...OPTIONAL_KEY_FIELDS.filter((name) => keyFields.includes(name)).map((name) => [
      name,
      optional[name],
    ]),
  ]);
}

function hmac(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(text, 'utf8').digest();
}

function uuidOf(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
