import type { EpochMs } from '#core/brand.ts';
import type { Breaker, ChannelStop, UnrecordedReceipt } from '#core/breaker.ts';
import { forgetReceipt, openChannel, trip } from '#core/breaker.ts';
import { ASSUMED_RECEIPT, isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import { resentBetween, type SendOfKey, sendOf } from '#core/policy-resend.ts';
import { NO_RECEIPT } from '#core/send-result.ts';

/** Where a receipt was seen: in the answer to a send or to a question, or in the row as it stood. */
export type Proof = 'send' | 'question' | 'row';

/** What a finished delivery says for or against going on. */
export type Evidence =
  /** A row that says SENT with the provider's proof. */
  | ({
      readonly kind: 'recorded';
      readonly channel: string;
      readonly sendKey: string;
      readonly receipt: string;
      readonly proof: Proof;
      readonly at: EpochMs;
    } & SendOfKey)
  /** A proof that no row holds. */
  | ({ readonly kind: 'unrecorded' } & UnrecordedReceipt)
  | { readonly kind: 'other-receipt'; readonly at: EpochMs }
  | { readonly kind: 'sent-without-receipt'; readonly at: EpochMs }
  | {
      readonly kind: 'no-receipt';
      readonly channel: string;
      readonly sendKey: string;
      readonly attempt: number;
      readonly at: EpochMs;
    }
  | {
      readonly kind: 'channel-refused';
      readonly channel: string;
      readonly code: string;
      readonly at: EpochMs;
    };

/** The facts of a finished delivery that can be evidence. */
export type DeliveryFacts = {
  readonly sendKey: string | null;
  readonly channel: string | null;
  readonly attempt: number | null;
  /** As in `SendOfKey`. */
  readonly policyAttempt: number | null;
  readonly outcome: string;
  readonly reason: string;
  /** The provider's proof, got in this delivery. */
  readonly receiptId: string | null;
  /** Cause or code of the send's result; null when nothing was sent or it was accepted. */
  readonly sendCode: string | null;
  /** The code with which the provider refused our credentials, to a send or a question. */
  readonly channelRefused: string | null;
  readonly submissions: number;
};

/** The reason of a row whose provider accepted its last send (`core/plan-after-send.ts`). */
const ACCEPTED = 'ACCEPTED';

/** The winner of a lost claim holds the very receipt that we got: one acceptance, recorded. */
export const WINNER_HOLDS_SAME_RECEIPT = 'WINNER_HOLDS_SAME_RECEIPT';
/** The winner of a lost claim holds another receipt, and no policy explains it: two acceptances. */
export const WINNER_HOLDS_OTHER_RECEIPT = 'WINNER_HOLDS_OTHER_RECEIPT';
/**
 * Policy `resend` took a claim away whose send was accepted after all: a duplicate that the
 * operator has accepted with the policy, and nothing that may stop everybody at night.
 */
export const RESENT_BY_POLICY = 'RESENT_BY_POLICY';

/**
 * Evidence is judged within one delivery, which knows both what the provider proved and what the
 * row says. Nothing is ever derived from the difference of two counters: an invocation that is
 * killed in mid-delivery leaves no evidence at all, and the delivery that reconciles its row gives
 * proof and row together. So no kill can make one count run ahead of another.
 */
export function evidenceOf(facts: DeliveryFacts, at: EpochMs): readonly Evidence[] {
  const { sendKey, channel } = facts;
  if (sendKey === null || channel === null) return [];
  const found: Evidence[] = [];
  const attempt = facts.attempt ?? 0;
  const { policyAttempt } = facts;
  const receipt = facts.receiptId ?? '';
  if (facts.channelRefused !== null) {
    found.push({ kind: 'channel-refused', channel, code: facts.channelRefused, at });
  }
  if (facts.sendCode === NO_RECEIPT) {
    found.push({ kind: 'no-receipt', channel, sendKey, attempt, at });
  }
  const balance = balanceOf(facts);
  switch (balance) {
    case 'even':
      found.push(...recordedOf(facts, sendKey, channel, at));
      break;
    case 'receipt-ahead':
      found.push({ kind: 'unrecorded', sendKey, attempt, policyAttempt, receipt, at });
      break;
    case 'two-receipts':
      found.push({ kind: 'other-receipt', at });
      break;
    case 'terminal-ahead':
      found.push({ kind: 'sent-without-receipt', at });
      break;
    default:
      balance satisfies never;
  }
  return found;
}

function recordedOf(
  { outcome, receiptId, submissions, attempt, policyAttempt }: DeliveryFacts,
  sendKey: string,
  channel: string,
  at: EpochMs,
): readonly Evidence[] {
  if (outcome !== 'sent' || receiptId === null) return [];
  const proof = submissions > 0 ? 'send' : 'question';
  const send = { attempt: attempt ?? 0, policyAttempt };
  return [{ kind: 'recorded', channel, sendKey, ...send, receipt: receiptId, proof, at }];
}

/**
 * What a row says of an acceptance that waited for its record; null while it has not ended. Only a
 * row that a send has ended holds a receipt to compare with: an operator types his, a question may
 * be answered in other words, and a policy has none. Where policy `resend` gave the acceptance up
 * and its own send was refused or came too late, no row will ever hold it: it waits no more.
 */
export function foundEnded(
  row: LedgerRecord,
  waiting: UnrecordedReceipt,
  at: EpochMs,
): Evidence | null {
  const { sendKey, channel, state, reason, receipt } = row;
  const found = { kind: 'recorded', channel, sendKey, ...sendOf(row), proof: 'row', at } as const;
  if (state === 'SENT') {
    if (receipt === null) return null;
    return { ...found, receipt: reason === ACCEPTED ? receipt : ASSUMED_RECEIPT };
  }
  const givenUp = isTerminal(state) && resentBetween(waiting, sendOf(row));
  return givenUp ? { ...found, receipt: ASSUMED_RECEIPT } : null;
}

/** How the provider's proof and the row stand to each other at the end of one delivery. */
export type Balance = 'even' | 'receipt-ahead' | 'terminal-ahead' | 'two-receipts';

/**
 * A row that a policy declared sent (`assumed-sent`) is terminal without a receipt on purpose and
 * is even. A repeated receipt of the same key is not a second one, and one that policy `resend` had
 * given up is a duplicate that it accepted.
 */
export function balanceOf(facts: Pick<DeliveryFacts, 'outcome' | 'reason' | 'receiptId'>): Balance {
  const proved = facts.receiptId !== null;
  switch (facts.outcome) {
    case 'sent':
      return proved ? 'even' : 'terminal-ahead';
    case 'unproved':
      return 'terminal-ahead';
    case 'record-failed':
    case 'crashed':
      return proved ? 'receipt-ahead' : 'even';
    case 'lost-claim':
      if (facts.reason === WINNER_HOLDS_OTHER_RECEIPT) return 'two-receipts';
      if (facts.reason === RESENT_BY_POLICY) return 'even';
      return proved && facts.reason !== WINNER_HOLDS_SAME_RECEIPT ? 'receipt-ahead' : 'even';
    default:
      return 'even';
  }
}

/**
 * One failed record is a blip that the next delivery reconciles; three within the hour are a
 * ledger that forgets acceptances, and each of them is a send that may be made twice on a blind
 * channel.
 */
const UNRECORDED_TRIPS = 3;
const UNRECORDED_WINDOW_MS = 3_600_000;
/** Kept so that a later receipt of the same key can be compared; a row's own life is longer. */
const UNRECORDED_KEPT = 50;
/** In a row, on one channel: a provider that loses messages, not a message that it dislikes. */
const WITHOUT_RECEIPT_TRIPS = 5;

/** First wait before a refused channel is tried by one send; doubled by every refusal. */
const PROBE_MS = 60_000;
/** More often than this, an operator who mends a secret waits for us; less often costs nothing. */
const MAX_PROBE_MS = 900_000;

/**
 * The breaker after one piece of evidence; the same object when it changes nothing. The same
 * evidence again changes nothing either, so it may be folded onto a newer document.
 */
export function withEvidence(breaker: Breaker, evidence: Evidence): Breaker {
  switch (evidence.kind) {
    case 'recorded':
      return withRecorded(breaker, evidence);
    case 'unrecorded':
      return withUnrecorded(breaker, evidence);
    case 'other-receipt':
      return trip(breaker, 'OTHER_RECEIPT', evidence.at);
    case 'sent-without-receipt':
      return trip(breaker, 'SENT_WITHOUT_RECEIPT', evidence.at);
    case 'no-receipt':
      return withNoReceipt(breaker, evidence);
    case 'channel-refused':
      return withRefusal(breaker, evidence);
  }
}

type Of<Kind extends Evidence['kind']> = Extract<Evidence, { kind: Kind }>;

/** The key of which this evidence shows a second acceptance that policy `resend` explains. */
export function duplicateByPolicy(breaker: Breaker, evidence: Evidence): string | null {
  if (evidence.kind !== 'recorded' && evidence.kind !== 'unrecorded') return null;
  const explained = (entry: SendOfKey) => resentBetween(entry, evidence);
  return othersOf(breaker, evidence).some(explained) ? evidence.sendKey : null;
}

/**
 * Acceptances of the same key under another receipt that wait for their record. Only a send mints
 * a receipt: a provider may word it otherwise when it is asked, and an assumed one is none.
 */
function othersOf(
  breaker: Breaker,
  evidence: Of<'recorded'> | Of<'unrecorded'>,
): readonly UnrecordedReceipt[] {
  const { sendKey, receipt } = evidence;
  const asked = evidence.kind === 'recorded' && evidence.proof === 'question';
  if (asked || receipt === ASSUMED_RECEIPT) return [];
  return breaker.unrecorded.filter((one) => one.sendKey === sendKey && one.receipt !== receipt);
}

/**
 * Shows that an acceptance was made good after all, that a channel works, or that there are two
 * receipts which no policy explains.
 */
function withRecorded(breaker: Breaker, evidence: Of<'recorded'>): Breaker {
  const { sendKey, channel, proof, at } = evidence;
  let next = forgetReceipt(breaker, sendKey);
  const unexplained = (entry: SendOfKey) => !resentBetween(entry, evidence);
  if (othersOf(breaker, evidence).some(unexplained)) next = trip(next, 'OTHER_RECEIPT', at);
  if (proof === 'row') return next;
  if (proof === 'send' && next.withoutReceipt.some((entry) => entry.channel === channel)) {
    const others = next.withoutReceipt.filter((entry) => entry.channel !== channel);
    next = { ...next, withoutReceipt: others };
  }
  const stop = next.channels[channel];
  // A channel that an operator stopped stays so, whatever a late answer says.
  return stop === undefined || stop.probeAt === null ? next : openChannel(next, channel);
}

function withUnrecorded(breaker: Breaker, evidence: Of<'unrecorded'>): Breaker {
  const { kind: _kind, ...entry } = evidence;
  const ofKey = breaker.unrecorded.filter(({ sendKey }) => sendKey === entry.sendKey);
  if (ofKey.some(({ attempt }) => attempt === entry.attempt)) return breaker;
  const next = {
    ...breaker,
    unrecorded: [...breaker.unrecorded, entry].slice(-UNRECORDED_KEPT),
  };
  if (othersOf(breaker, evidence).some((one) => !resentBetween(one, entry))) {
    return trip(next, 'OTHER_RECEIPT', entry.at);
  }
  const from = Math.max(breaker.since, entry.at - UNRECORDED_WINDOW_MS);
  const recent = next.unrecorded.filter(({ at }) => at >= from);
  return recent.length < UNRECORDED_TRIPS ? next : trip(next, 'RECORDS_FAILING', entry.at);
}

function withNoReceipt(breaker: Breaker, evidence: Of<'no-receipt'>): Breaker {
  const { channel, sendKey, attempt, at } = evidence;
  const ofChannel = breaker.withoutReceipt.filter((entry) => entry.channel === channel);
  const known = ofChannel.some((e) => e.sendKey === sendKey && e.attempt === attempt);
  if (known || ofChannel.length >= WITHOUT_RECEIPT_TRIPS) return breaker;
  const next = {
    ...breaker,
    withoutReceipt: [...breaker.withoutReceipt, { channel, sendKey, attempt }],
  };
  return ofChannel.length + 1 < WITHOUT_RECEIPT_TRIPS ? next : trip(next, 'NO_RECEIPTS', at);
}

/** Several sends of one run are refused together: they are one refusal. */
function withRefusal(breaker: Breaker, { channel, code, at }: Of<'channel-refused'>): Breaker {
  const stop = breaker.channels[channel];
  if (stop !== undefined && (stop.probeAt === null || at < stop.probeAt)) return breaker;
  const refusals = (stop?.refusals ?? 0) + 1;
  const next: ChannelStop = {
    reason: code,
    since: stop?.since ?? at,
    by: 'breaker',
    refusals,
    probeAt: at + Math.min(PROBE_MS * 2 ** (refusals - 1), MAX_PROBE_MS),
  };
  return { ...breaker, channels: { ...breaker.channels, [channel]: next } };
}
