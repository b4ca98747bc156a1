import type { KeepReason, RedriveReason, SettleReason } from '#core/plan-redrive.ts';

const WORDS: Readonly<Record<RedriveReason | SettleReason | KeepReason, string>> = {
  NO_ROW: 'no worker ever claimed it; it would be sent',
  DEFERRED: 'provably not accepted; it would be tried again',
  EXHAUSTED: 'its attempts are used up, provably not accepted; it would get new ones',
  UNKNOWN_DEDUPES: 'may have been accepted; the provider still knows its key and settles it',
  UNKNOWN_QUERYABLE: 'may have been accepted; the provider can be asked',
  UNKNOWN_BY_POLICY: 'may have been accepted; the channel’s policy settles it',
  REOPENED_EARLIER: 'an earlier redrive counted it and did not come to its end',
  SAME_REMINDER: 'a further copy of a reminder of this run',
  FORCED_INVALID: 'no send key can be made of it; sent back by force',
  SENT: 'sent already; it would be acked away',
  REJECTED: 'refused for good; it would be acked away',
  EXPIRED: 'expired already; it would be acked away',
  USE_BY_PASSED: 'past its use-by time; it would be recorded as expired and acked away',
  DECISION_NEEDED: 'may have been accepted; it waits for your decision (resolve)',
  PROVIDER_WINDOW_OVER: 'may have been accepted, too long ago to ask; it waits for your decision',
  AT_CAP: 'redriven as often as the cap allows; --force takes it again',
  CONTENT_CONFLICT: 'its content is not the one that was recorded',
  CLAIM_ALIVE: 'a worker is at it right now',
  PROVIDER_UNHEALTHY: 'its provider or channel is not well',
  INVALID_PAYLOAD: 'no send key can be made of it; mend the producer',
  LEDGER_FAILED: 'the ledger did not say what became of it',
  CRASHED: 'looking at it failed; a bug to report',
};

export function redriveReasonWords(reason: string): string {
  return Object.hasOwn(WORDS, reason) ? WORDS[reason as keyof typeof WORDS] : '';
}
