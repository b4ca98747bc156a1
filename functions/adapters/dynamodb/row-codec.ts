import type { ClaimToken, SendKey } from '#core/brand.ts';
import { RemindOnceError } from '#core/errors.ts';
import { LEDGER_STATES, type LedgerRecord, type LedgerState } from '#core/ledger-record.ts';
import { decodeHistory, encodeHistory } from './history-codec.ts';
import { type Item, itemBytes, type UncheckedItem } from './item.ts';
import { REASON_LENGTH, storedReason, storedReceipt } from './stored-text.ts';
import { ROW, ROW_FORMAT, UNRESOLVED_SHARD } from './table-schema.ts';

/** Above one write unit (1 KB) every write of the row would cost twice. */
export const MAX_ROW_BYTES = 1024;
/** How long a history reason may stay when the row would grow beyond one write unit. */
const HISTORY_REASON_LENGTHS = [REASON_LENGTH, 24, 12, 4] as const;
/**
 * Ids, hashes and names of ours; a send key has 67 bytes. A longer one is a bug, cutting it would
 * make two things one, and six of them must leave room for a receipt below one write unit.
 */
const MAX_NAME_BYTES = 67;

export type DecodedRow =
  | { readonly kind: 'row'; readonly row: LedgerRecord }
  /** `problem` names attributes, never values. */
  | { readonly kind: 'unreadable'; readonly problem: string };

/**
 * The item that keeps a row: below 1 KB, receipt and reasons cut and scrubbed.
 * @throws RemindOnceError ROW_UNWRITABLE when an id or an instant is none: a bug of the caller
 */
export function encodeRow(row: LedgerRecord): Item {
  assertWritable(row);
  const item: Item = {
    [ROW.sendKey]: row.sendKey,
    [ROW.format]: ROW_FORMAT,
    [ROW.state]: row.state,
    [ROW.claimToken]: row.claimToken,
    [ROW.claimedAt]: row.claimedAt,
    [ROW.leaseUntil]: row.leaseUntil,
    [ROW.attempt]: row.attempt,
    [ROW.attemptLimit]: row.attemptLimit,
    [ROW.bodyHash]: row.bodyHash,
    [ROW.provider]: row.provider,
    [ROW.channel]: row.channel,
    [ROW.redriveCount]: row.redriveCount,
    [ROW.userRef]: row.userRef,
    [ROW.scheduledAt]: row.scheduledAt,
    [ROW.reason]: storedReason(row.reason),
    [ROW.expiresAt]: row.expiresAt,
    ...(row.firstSendAt !== null && { [ROW.firstSendAt]: row.firstSendAt }),
    ...(row.notBefore !== null && { [ROW.notBefore]: row.notBefore }),
    ...(row.receipt !== null && { [ROW.receipt]: storedReceipt(row.receipt) }),
    ...unresolvedAttributes(row),
  };
  return { ...item, [ROW.history]: fittingHistory(row, MAX_ROW_BYTES - itemBytes(item)) };
}

/** The index is sparse: an attribute left on a settled row would list it for ever. */
function unresolvedAttributes(row: LedgerRecord): Item {
  if (row.state !== 'UNKNOWN') return {};
  return {
    [ROW.unresolvedShard]: UNRESOLVED_SHARD,
    [ROW.unresolvedSince]: row.firstSendAt ?? row.claimedAt,
  };
}

/** The fullest history that fits: first shorter reasons, then fewer (the newest) entries. */
function fittingHistory(row: LedgerRecord, roomBytes: number): string {
  const room = roomBytes - ROW.history.length - 1;
  for (const length of HISTORY_REASON_LENGTHS) {
    const text = encodeHistory(row.history, length);
    if (text.length <= room) return text;
  }
  for (let from = 1; from < row.history.length; from += 1) {
    const text = encodeHistory(row.history.slice(from), 4);
    if (text.length <= room) return text;
  }
  return encodeHistory([], 0);
}

function assertWritable(row: LedgerRecord): void {
  const names = ['sendKey', 'claimToken', 'bodyHash', 'provider', 'channel', 'userRef'] as const;
  for (const name of names) {
    const bytes = Buffer.byteLength(row[name]);
    if (bytes === 0 || bytes > MAX_NAME_BYTES) {
      throw unwritable(name, `${bytes} bytes`, `1 to ${MAX_NAME_BYTES} bytes`);
    }
  }
  const numbers = [row.claimedAt, row.leaseUntil, row.attempt, row.attemptLimit, row.redriveCount];
  numbers.push(row.scheduledAt, row.expiresAt, row.firstSendAt ?? 0, row.notBefore ?? 0);
  for (const entry of row.history) numbers.push(entry.at, entry.attempt);
  const wrong = numbers.find((value) => !Number.isSafeInteger(value));
  if (wrong !== undefined) throw unwritable('a number', String(wrong), 'whole numbers');
}

function unwritable(what: string, seen: string, allowed: string): RemindOnceError {
  return new RemindOnceError(
    'ROW_UNWRITABLE',
    `A ledger row cannot be written: ${what} is ${seen}; allowed: ${allowed}. Mend the caller that built the row.`,
  );
}

/**
 * The row that an item keeps. Strict: what is missing or malformed makes the whole row unreadable,
 * since a row read as absent, or with a guessed field, could permit a second send.
 */
export function decodeRow(item: UncheckedItem): DecodedRow {
  if (item[ROW.format] !== ROW_FORMAT) return unreadable([ROW.format]);
  const wrong: string[] = [];
  const text = (name: string): string => {
    const value = item[name];
    if (typeof value === 'string' && value !== '') return value;
    wrong.push(name);
    return '';
  };
  const whole = (name: string): number => {
    const value = item[name];
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    wrong.push(name);
    return 0;
  };
  const state = item[ROW.state];
  if (!isState(state)) return unreadable([ROW.state]);
  const historyText = item[ROW.history];
  const history = typeof historyText === 'string' ? decodeHistory(historyText) : undefined;
  if (history === undefined) return unreadable([ROW.history]);
  const row: LedgerRecord = {
    sendKey: text(ROW.sendKey) as SendKey,
    state,
    claimToken: text(ROW.claimToken) as ClaimToken,
    claimedAt: whole(ROW.claimedAt),
    leaseUntil: whole(ROW.leaseUntil),
    attempt: whole(ROW.attempt),
    attemptLimit: whole(ROW.attemptLimit),
    firstSendAt: item[ROW.firstSendAt] === undefined ? null : whole(ROW.firstSendAt),
    notBefore: item[ROW.notBefore] === undefined ? null : whole(ROW.notBefore),
    bodyHash: text(ROW.bodyHash),
    receipt: item[ROW.receipt] === undefined ? null : text(ROW.receipt),
    provider: text(ROW.provider),
    channel: text(ROW.channel),
    redriveCount: whole(ROW.redriveCount),
    userRef: text(ROW.userRef),
    scheduledAt: whole(ROW.scheduledAt),
    reason: text(ROW.reason),
    history,
    expiresAt: whole(ROW.expiresAt),
  };
  return wrong.length === 0 ? { kind: 'row', row } : unreadable(wrong);
}

function isState(value: unknown): value is LedgerState {
  return (LEDGER_STATES as readonly unknown[]).includes(value);
}

function unreadable(attributes: readonly string[]): DecodedRow {
  return { kind: 'unreadable', problem: `missing or malformed: ${attributes.join(', ')}` };
}
