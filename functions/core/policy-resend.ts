import type { LedgerRecord } from '#core/ledger-record.ts';

/** Reason of the claims with which policy `resend` sends again what may have been accepted. */
export const RESEND_BY_POLICY = 'RESEND_BY_POLICY';

/** One send of a key, with what its worker knew of the policy's part in it. */
export type SendOfKey = {
  readonly attempt: number;
  /** The latest attempt that the policy made of this key, this one included; null: none. */
  readonly policyAttempt: number | null;
};

/**
 * The latest attempt of a row that the policy made. A row remembers ten transitions: what has
 * fallen out of it explains nothing any more, so that a doubt pages rather than stays silent.
 */
export function policyAttemptOf({ history }: Pick<LedgerRecord, 'history'>): number | null {
  return history.findLast(({ reason }) => reason === RESEND_BY_POLICY)?.attempt ?? null;
}

/** The latest send of a row. */
export function sendOf(row: Pick<LedgerRecord, 'attempt' | 'history'>): SendOfKey {
  return { attempt: row.attempt, policyAttempt: policyAttemptOf(row) };
}

/**
 * Whether two acceptances of one key are a duplicate that the policy has accepted: it sent again
 * after the first and no later than the second. Attempts only grow and no two sends share one.
 */
export function resentBetween(one: SendOfKey, other: SendOfKey): boolean {
  const [first, second] = one.attempt <= other.attempt ? [one, other] : [other, one];
  return second.policyAttempt !== null && second.policyAttempt > first.attempt;
}
