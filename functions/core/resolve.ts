import type { ClaimToken, EpochMs } from '#core/brand.ts';
import { attemptsPerBudget, type DeliverySettings } from '#core/delivery-settings.ts';
import { ASSUMED_RECEIPT, advance, type LedgerRecord } from '#core/ledger-record.ts';
import { REOPENED } from '#core/reopen.ts';

/** What an operator found out about a row whose send may have been accepted. */
export type ResolutionDecision =
  /** The provider has it; `receipt` is its own id, as seen there. */
  | { readonly kind: 'sent'; readonly receipt: string }
  /** Taken for sent without a proof: it may have been lost. */
  | { readonly kind: 'assumed-sent' }
  /** The provider never had it: it may be sent. */
  | { readonly kind: 'not-sent' };

export type PlannedResolution =
  | { readonly kind: 'write'; readonly next: LedgerRecord }
  | { readonly kind: 'refused'; readonly code: ResolutionRefusal };

export type ResolutionRefusal =
  /** The row's outcome is known, or nothing was sent: there is nothing to decide. */
  | 'NOT_UNRESOLVED'
  /** A worker may be sending right now. */
  | 'CLAIM_ALIVE'
  | 'RECEIPT_INVALID'
  | 'NOTE_MISSING';

/**
 * An operator's decision on an UNKNOWN row, or on a claim whose worker is gone.
 *
 * `sent` ends the row with the receipt that the operator saw; its dead letter is acked by the next
 * redrive. `not-sent` reopens it: DEFERRED, due now, with a new budget and nothing left of the send
 * that may have been. It counts as a redrive and stands as one that the queue has not carried out
 * yet (`REOPENED`), so that the next redrive sends its dead letter back once more, at the cap too:
 * a decision that led to nothing would be asked for again. The fresh token makes every earlier
 * worker's write fail. The note stays in the history, beside what was decided.
 */
export function planResolution(
  row: LedgerRecord,
  decision: ResolutionDecision,
  note: string,
  token: ClaimToken,
  now: EpochMs,
  settings: DeliverySettings,
): PlannedResolution {
  const claimed = row.state === 'CLAIMED';
  if (claimed && now < row.leaseUntil + settings.skewMs) return refused('CLAIM_ALIVE');
  if (!claimed && row.state !== 'UNKNOWN') return refused('NOT_UNRESOLVED');
  const words = scrubbedNote(note);
  if (words === '') return refused('NOTE_MISSING');
  const write = (from: LedgerRecord, change: Parameters<typeof advance>[1]) =>
    advance(from, change, now, settings.ttlSeconds);
  const noted = (code: string) =>
    write({ ...row, claimToken: token }, { state: 'UNKNOWN', reason: `${code}:${words}` });
  if (decision.kind === 'not-sent') {
    const attempt = row.attempt + 1;
    const next = write(noted('NOT_SENT'), {
      state: 'DEFERRED',
      reason: REOPENED,
      attempt,
      attemptLimit: attempt + attemptsPerBudget(settings),
      redriveCount: row.redriveCount + 1,
      firstSendAt: null,
      notBefore: now,
    });
    return { kind: 'write', next };
  }
  const receipt = decision.kind === 'sent' ? decision.receipt.trim() : ASSUMED_RECEIPT;
  if (!isReceipt(receipt, decision.kind)) return refused('RECEIPT_INVALID');
  const code = decision.kind === 'sent' ? 'SENT' : 'ASSUMED_SENT';
  const reason = `RESOLVED_${code}`;
  return {
    kind: 'write',
    next: write(noted(code), { state: 'SENT', receipt, reason, notBefore: null }),
  };
}

/** What a provider could have given out; never the word that stands for having none. */
function isReceipt(receipt: string, kind: 'sent' | 'assumed-sent'): boolean {
  return /^[!-~]{1,200}$/.test(receipt) && (kind === 'assumed-sent' || receipt !== ASSUMED_RECEIPT);
}

/** Leaves room for the code before it in a reason of 64. */
const MAX_NOTE = 48;

/**
 * An operator's words, fit for a row that outlives the user's data: no address, no number that
 * could be a phone's, nothing that looks like a key; blanks become `-`.
 */
export function scrubbedNote(note: string): string {
  return note
    .slice(0, 500)
    .normalize('NFKC')
    .replace(/\S*@\S*/g, ' ')
    .replace(/[A-Za-z0-9_+/=]{20,}/g, ' ')
    .replace(/\+?\d[\d ()./-]{4,}\d/g, ' ')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_NOTE)
    .replace(/-+$/, '');
}

function refused(code: ResolutionRefusal): PlannedResolution {
  return { kind: 'refused', code };
}
