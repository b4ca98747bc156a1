import type { HistoryEntry, LedgerState } from '#core/ledger-record.ts';
import { storedReason } from './stored-text.ts';

/** One letter a state, so that ten entries cost tens of bytes and not hundreds. */
const LETTER_OF: Readonly<Record<LedgerState, string>> = {
  CLAIMED: 'C',
  SENT: 'S',
  DEFERRED: 'D',
  UNKNOWN: 'U',
  REJECTED: 'R',
  EXPIRED: 'E',
  EXHAUSTED: 'X',
};
const STATE_OF = new Map(
  Object.entries(LETTER_OF).map(([state, letter]) => [letter, state as LedgerState]),
);

/** State letter, milliseconds since the entry before (the first: since 1970), attempt, reason. */
const ENTRY = /^([A-Z]):(-?[0-9a-z]+):([0-9a-z]+):([\w.:/+-]+)$/;

/** No entry at all; an attribute of ours is never empty. */
const NO_ENTRIES = '-';

/**
 * `C:mi2k9f00:0:FIRST_CLAIM S:5k:0:ACCEPTED`: entries apart by spaces, numbers in base 36.
 * @param reasonLength a longer reason is cut
 */
export function encodeHistory(history: readonly HistoryEntry[], reasonLength: number): string {
  let before = 0;
  const words = history.map((entry) => {
    const since = (entry.at - before).toString(36);
    before = entry.at;
    const reason = storedReason(entry.reason, reasonLength);
    return `${LETTER_OF[entry.state]}:${since}:${entry.attempt.toString(36)}:${reason}`;
  });
  return words.join(' ') || NO_ENTRIES;
}

/** Undefined for anything that `encodeHistory` does not write. */
export function decodeHistory(text: string): readonly HistoryEntry[] | undefined {
  const entries: HistoryEntry[] = [];
  let at = 0;
  for (const word of text === NO_ENTRIES ? [] : text.split(' ')) {
    const [, letter = '', since = '', attempt = '', reason = ''] = ENTRY.exec(word) ?? [];
    const state = STATE_OF.get(letter);
    at += Number.parseInt(since, 36);
    const entry = { state, at, attempt: Number.parseInt(attempt, 36), reason };
    if (!isEntry(entry)) return undefined;
    entries.push(entry);
  }
  return entries;
}

type MaybeEntry = Omit<HistoryEntry, 'state'> & { readonly state: LedgerState | undefined };

function isEntry(entry: MaybeEntry): entry is HistoryEntry {
  return (
    entry.state !== undefined &&
    Number.isSafeInteger(entry.at) &&
    Number.isSafeInteger(entry.attempt)
  );
}
