import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SendKey } from '#core/brand.ts';
import { instantOf } from '#core/instant.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import type { Reminder } from '#core/reminder.ts';

/** Fields that a deployment may add to the three that always identify a reminder. */
export const OPTIONAL_KEY_FIELDS = ['order_id', 'channel'] as const;
export type OptionalKeyField = (typeof OPTIONAL_KEY_FIELDS)[number];

/** Stands before every key, so that a key of another format is never taken for one of these. */
const KEY_FORMAT = 'k1_';

/** The names under which one reminder occurrence is known, none of which reveals an id. */
export type Identity = {
  readonly sendKey: SendKey;
  /** Version-8 UUID (RFC 9562) of the same digest, for providers that demand a UUID. */
  readonly sendUuid: string;
  /** The same for every reminder of one user under one epoch. */
  readonly userRef: string;
};

/** All names of an occurrence at once; its key alone is `sendKeyOf`. */
export function identify(reminder: Reminder, epoch: KeyEpoch): Identity {
  const sendKey = sendKeyOf(reminder, epoch);
  return {
    sendKey,
    sendUuid: uuidOf(sendKey.slice(KEY_FORMAT.length)),
    userRef: userRefOf(reminder.userId, epoch),
  };
}

/**
 * The send key is `k1_` + hex(HMAC-SHA256(secret, tuple)). Keyed, so that neither ledger, logs nor
 * a provider's logs reveal an id; letters, digits and `_` only, so that it fits every provider's
 * idempotency header. The tuple is a JSON array of [name, value] pairs behind a format version:
 * joining with a separator would make ("a:b","c") and ("a","b:c") one reminder.
 */
export function sendKeyOf(reminder: Reminder, epoch: KeyEpoch): SendKey {
  const digest = hmac(epoch, tupleOf(reminder, epoch.keyFields));
  return `${KEY_FORMAT}${digest}` as SendKey;
}

/** Keyed reference of a user id (already NFC), to find a user's rows without storing the id. */
export function userRefOf(userId: string, epoch: KeyEpoch): string {
  return `u1_${hmac(epoch, JSON.stringify(['user-ref/1', userId])).slice(0, 32)}`;
}

/** Stands in for the instant where occurrences are not told apart. */
const NO_INSTANT = instantOf(0);

/** Keyed reference of a reminder without its instant: the same for all of its occurrences. */
export function seriesRefOf(reminder: Reminder, epoch: KeyEpoch): string {
  const timeless = tupleOf({ ...reminder, scheduledAt: NO_INSTANT }, epoch.keyFields);
  return `s1_${hmac(epoch, JSON.stringify(['series/1', timeless])).slice(0, 32)}`;
}

/** Keyed hash of what would be sent: short contents must not be guessable from the ledger. */
export function bodyHashOf(content: string, epoch: KeyEpoch): string {
  return `b1_${hmac(epoch, JSON.stringify(['body/1', content])).slice(0, 32)}`;
}

function tupleOf(reminder: Reminder, keyFields: readonly OptionalKeyField[]): string {
  const optional = { order_id: reminder.orderId ?? null, channel: reminder.channel };
  const pairs: [name: string, value: string | null][] = [
    ['user_id', reminder.userId],
    ['reminder_id', reminder.reminderId],
    ['scheduled_at', reminder.scheduledAt.canonical],
  ];
  for (const name of OPTIONAL_KEY_FIELDS) {
    if (keyFields.includes(name)) pairs.push([name, optional[name]]);
  }
  return JSON.stringify(['send-key/1', ...pairs]);
}

/** One for each epoch: Node would make one of the secret's text for every digest. */
const keys = new WeakMap<KeyEpoch, KeyObject>();

/** HMAC-SHA256 of the text's UTF-8 form, 64 hexadecimal digits. */
function hmac(epoch: KeyEpoch, text: string): string {
  let key = keys.get(epoch);
  if (key === undefined) {
    key = createSecretKey(epoch.secret, 'utf8');
    keys.set(epoch, key);
  }
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

/** The first 16 bytes of a digest with the bits of version 8 and of the variant put in. */
function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const third = `8${hex.slice(13, 16)}`;
  const fourth = `${variant}${hex.slice(17, 20)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${third}-${fourth}-${hex.slice(20, 32)}`;
}
