import type { LedgerRecord } from '#core/ledger-record.ts';
import type { RowSeen } from '#core/plan-redrive.ts';

/** What became of one redriven reminder of a canary. */
export type CanaryOutcome =
  | { readonly kind: 'good' }
  | { readonly kind: 'bad'; readonly reason: string }
  /** Ended without a word of the provider. */
  | { readonly kind: 'no-evidence' }
  | { readonly kind: 'pending' };

export type CanaryVerdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Nobody took the reminders in time: pouring more into a queue that is not read helps nobody. */
  | { readonly kind: 'undecided' }
  /** Every one ended without evidence: the next dead letters are a new canary. */
  | { readonly kind: 'no-evidence' };

/** A claim that was given back for lack of time says nothing about the provider. */
const OWN_REASONS: ReadonlySet<string> = new Set(['RUN_BUDGET', 'LEASE_TOO_SHORT']);

/**
 * @param left the row as the redrive left it; its token names that moment
 * @param seen the row now
 */
export function canaryOutcome(left: LedgerRecord, seen: RowSeen): CanaryOutcome {
  if (seen.kind !== 'row' || seen.row.claimToken === left.claimToken) return { kind: 'pending' };
  const { state, reason } = seen.row;
  switch (state) {
    case 'SENT':
      return { kind: 'good' };
    case 'EXPIRED':
      return { kind: 'no-evidence' };
    case 'CLAIMED':
      return { kind: 'pending' };
    case 'DEFERRED':
      return OWN_REASONS.has(reason) ? { kind: 'pending' } : { kind: 'bad', reason };
    // A refusal for good is bad too: after a change that makes the provider refuse everything,
    // each further redrive would end a reminder for ever.
    case 'REJECTED':
    case 'EXHAUSTED':
    case 'UNKNOWN':
      return { kind: 'bad', reason };
    default:
      return state satisfies never;
  }
}

/**
 * Judges a canary as soon as its outcomes allow. One bad reminder among several does not condemn a
 * provider, since it may be the reminder's own fault; half of them do.
 * @param timeUp no outcome will be waited for any longer
 * @returns null while the verdict is open
 */
export function judgeCanary(
  outcomes: readonly CanaryOutcome[],
  timeUp: boolean,
): CanaryVerdict | null {
  const good = outcomes.filter(({ kind }) => kind === 'good').length;
  const pending = outcomes.filter(({ kind }) => kind === 'pending').length;
  const bad = outcomes.flatMap((outcome) => (outcome.kind === 'bad' ? [outcome.reason] : []));
  const failed: CanaryVerdict = { kind: 'failed', reason: commonest(bad) };
  if (good > bad.length + pending) return { kind: 'passed' };
  if (bad.length > 0 && bad.length >= good + pending) return failed;
  if (pending > 0 && !timeUp) return null;
  if (bad.length > 0 && bad.length >= good) return failed;
  if (good > 0) return { kind: 'passed' };
  return pending > 0 ? { kind: 'undecided' } : { kind: 'no-evidence' };
}

function commonest(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? '';
}
