import type { HistoryEntry, LedgerState } from '#core/ledger-record.ts';

/** What a row's reason code says to a person. Codes that are missing here are a provider's own. */
const REASONS: Readonly<Record<string, string>> = {
  FIRST_CLAIM: 'a worker claimed it for the first time',
  RETRY_DUE: 'a worker claimed it again, its wait being over',
  RESEND_SAME_KEY:
    'a worker took it over to send the same request under the same key: the provider still remembers that key',
  ASK_PROVIDER: 'a worker took it over to ask the provider what became of the earlier send',
  RESEND_BY_POLICY:
    'a worker took it over to send it again, by the policy `resend` (which may duplicate)',
  ACCEPTED: 'the provider accepted it',
  FOUND_AT_PROVIDER: 'the provider was asked and has it',
  ABSENT_AT_PROVIDER: 'the provider was asked and does not have it; no attempt was left',
  ASSUMED_SENT_BY_POLICY: 'declared sent by the policy `assume-sent` (which may lose)',
  USE_BY_PASSED: 'its use-by time passed before it was sent',
  REOPENED: 'a redrive reopened it with a new budget of attempts',
  REDRIVEN: 'the queue took it back from the dead letters',
  PARKED_BLIND:
    'it may have been accepted, and this provider can neither dedupe nor be asked: it rests for a decision',
  PARKED_WINDOW_OVER:
    "it may have been accepted, and the provider's memory of its key is over: it rests for a decision",
  PARKED_PROVIDER_CHANGED:
    'it may have been accepted by another provider or channel than today’s: it rests for a decision',
  PARKED_CONTENT_CONFLICT:
    'it may have been accepted with other content than it has now: it rests for a decision',
  PARKED_USE_BY_PASSED:
    'it may have been accepted, and its use-by time is over: it rests for a decision',
  PARKED_ATTEMPTS_USED: 'it may have been accepted, and its attempts are used up: it rests',
  PARKED_REJECTED_AFTER_UNKNOWN:
    'an earlier send may have been accepted, a later one was refused for good: it rests for a decision',
  RESOLVED_SENT: 'an operator saw it at the provider',
  RESOLVED_ASSUMED_SENT: 'an operator declared it sent, without a proof',
  NO_RECEIPT: 'the provider said yes and gave no receipt',
  TIMEOUT: 'the provider did not answer in time; it may have accepted',
};

const STATES: Readonly<Record<LedgerState, string>> = {
  CLAIMED: 'a worker holds the right to send it',
  SENT: 'the provider accepted it',
  DEFERRED: 'provably not accepted; it is tried again later',
  UNKNOWN: 'may have been accepted; nobody knows yet',
  REJECTED: 'the provider refused it for good',
  EXPIRED: 'never sent: its use-by time passed',
  EXHAUSTED: 'provably not accepted, its attempts are used up; it waits among the dead letters',
};

export function stateWords(state: LedgerState): string {
  return STATES[state];
}

/** An operator's decision stands before his own words: `NOT_SENT:they-have-nothing`. */
const DECIDED = /^(SENT|ASSUMED_SENT|NOT_SENT):(.+)$/;

export function reasonWords(reason: string): string | null {
  const [, decision, note] = DECIDED.exec(reason) ?? [];
  if (decision !== undefined && note !== undefined) {
    const decided = decision.toLowerCase().replaceAll('_', ' ');
    return `an operator decided “${decided}”: ${note.replaceAll('-', ' ')}`;
  }
  return Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? null) : null;
}

/** One transition as a sentence, with its code for whoever greps the log. */
export function historyWords({ state, reason, attempt }: HistoryEntry): string {
  const said = reasonWords(reason) ?? STATES[state];
  return `${said} [${state} ${reason}, attempt ${attempt}]`;
}
