import type { ClaimToken, EpochMs, SendKey } from '#core/brand.ts';

/**
 * CLAIMED   a worker may send until `leaseUntil`
 * SENT      the provider accepted (terminal)
 * DEFERRED  provably not accepted; the next attempt is due at `notBefore`
 * UNKNOWN   may have been accepted; to be settled by the provider's class or by an operator
 * REJECTED  the provider refused for good (terminal)
 * EXPIRED   past its use-by time, never sent (terminal)
 * EXHAUSTED attempts used up, provably not accepted; reopened only by redrive
 */
export const LEDGER_STATES = [
  'CLAIMED',
  'SENT',
  'DEFERRED',
  'UNKNOWN',
  'REJECTED',
  'EXPIRED',
  'EXHAUSTED',
] as const;
export type LedgerState = (typeof LEDGER_STATES)[number];

export type TerminalState = 'SENT' | 'REJECTED' | 'EXPIRED';

export function isTerminal(state: LedgerState): state is TerminalState {
  return state === 'SENT' || state === 'REJECTED' || state === 'EXPIRED';
}

/** One transition, kept for the person who asks what happened to a reminder. */
export type HistoryEntry = {
  readonly state: LedgerState;
  readonly at: EpochMs;
  readonly attempt: number;
  /** UPPER_SNAKE code; never text of a provider or an operator's free words beyond a scrubbed note. */
  readonly reason: string;
};

/** What a SENT row holds when a policy, not a provider, declared it sent. */
export const ASSUMED_RECEIPT = 'assumed';

/** The send ledger's row: one per send key, always replaced whole under a condition. */
export type LedgerRecord = {
  readonly sendKey: SendKey;
  readonly state: LedgerState;
  /** Changes with every claim, take-over and reopening; the condition of every later write. */
  readonly claimToken: ClaimToken;
  readonly claimedAt: EpochMs;
  /** The claim's right to send ends here. Meaningful while CLAIMED. */
  readonly leaseUntil: EpochMs;
  /** 0 for the first try; only ever grows, across redrives too. */
  readonly attempt: number;
  /** The first attempt number that the present budget does not allow. */
  readonly attemptLimit: number;
  /** Start of the earliest send that is not proved unaccepted: the provider's window counts from here. */
  readonly firstSendAt: EpochMs | null;
  /** DEFERRED: when the next attempt is due. UNKNOWN: before this, "not found" is not "absent". */
  readonly notBefore: EpochMs | null;
  /** Keyed hash of what was (or will be) sent; frozen while a send is not proved unaccepted. */
  readonly bodyHash: string;
  /** The provider's proof, or `assumed` by policy; null until SENT. */
  readonly receipt: string | null;
  readonly provider: string;
  readonly channel: string;
  /** How often an operator or the redrive function reopened this row. Never reset. */
  readonly redriveCount: number;
  /** Keyed reference of the user, to find a user's rows without storing the id. */
  readonly userRef: string;
  /** The reminder's own instant, for explanations and end-to-end time. */
  readonly scheduledAt: EpochMs;
  /** Why the row is in this state. */
  readonly reason: string;
  /** The last ten transitions, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** DynamoDB TTL, epoch seconds. Storage hygiene only: no decision ever reads it. */
  readonly expiresAt: number;
};

export const HISTORY_LENGTH = 10;

/** What may change in a transition; the key, history and TTL follow by themselves. */
export type RecordChange = Partial<
  Omit<LedgerRecord, 'sendKey' | 'history' | 'state' | 'reason' | 'expiresAt'>
> & { readonly state: LedgerState; readonly reason: string };

/**
 * The row after a transition, its history entry added.
 * @param ttlSeconds how long the store should keep the row from `at` on
 */
export function advance(
  row: LedgerRecord,
  change: RecordChange,
  at: EpochMs,
  ttlSeconds: number,
): LedgerRecord {
  const attempt = change.attempt ?? row.attempt;
  const entry: HistoryEntry = { state: change.state, at, attempt, reason: change.reason };
  return {
    ...row,
    ...change,
    history: [...row.history, entry].slice(-HISTORY_LENGTH),
    expiresAt: Math.max(row.expiresAt, expiryOf(at, ttlSeconds)),
  };
}

/**
 * A claim that outlived its lease may have been parked as UNKNOWN by somebody who could not know
 * better, its token left in place. The acceptance that its own worker then brings settles the row:
 * nobody has claimed it since, and a known outcome must not be left to a person to guess.
 * @returns the row to write over `found`, or null when the record has simply lost its claim
 */
export function provenAfterParking(
  next: LedgerRecord,
  seen: LedgerRecord,
  found: LedgerRecord | undefined,
): LedgerRecord | null {
  const parked = found?.state === 'UNKNOWN' && found.claimToken === next.claimToken;
  if (!parked || seen.state !== 'CLAIMED' || next.state !== 'SENT') return null;
  const history = [...found.history, ...next.history.slice(-1)].slice(-HISTORY_LENGTH);
  return { ...next, redriveCount: found.redriveCount, history };
}

/** TTL attribute (epoch seconds) of a row written at `at`. */
export function expiryOf(at: EpochMs, ttlSeconds: number): number {
  return Math.ceil(at / 1000) + ttlSeconds;
}
