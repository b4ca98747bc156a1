import type { ClaimToken, EpochMs } from '#core/brand.ts';
import { expiredRow } from '#core/claim.ts';
import { type Delivery, isDue, useByOf } from '#core/delivery.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import { advance, isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import { contentConflict } from '#core/plan-after-claim.ts';
import type { InvalidReason } from '#core/reminder.ts';
import { firstReopened, REOPENED, reopen } from '#core/reopen.ts';
import { uncertainPath } from '#core/uncertain.ts';

/** One dead letter with the row that its send key has. */
export type DeadLetterSeen =
  /** No key can be made of it, so that the ledger can neither decide nor count. */
  | { readonly kind: 'invalid'; readonly reason: InvalidReason }
  | { readonly kind: 'valid'; readonly delivery: Delivery; readonly row: RowSeen };

export type RowSeen =
  | { readonly kind: 'row'; readonly row: LedgerRecord }
  | { readonly kind: 'absent' }
  /** The ledger did not say: never taken for an absent row. */
  | { readonly kind: 'failed'; readonly code: string };

/** What the run may do. */
export type RedriveRules = {
  /** Lifetime redrives of one reminder; the row keeps the count, whatever the broker resets. */
  readonly cap: number;
  /** A scheduled run does only what is proved safe; a person's request may rely on policies. */
  readonly trigger: 'scheduled' | 'requested';
  /**
   * Redrive what is provably not sent and held back by a rule: cap, content conflict, invalid
   * payload. What may have been accepted is never forced.
   */
  readonly force: boolean;
  readonly settings: DeliverySettings;
};

/** What is known of the provider behind a channel: its last canary, or the consumer's breaker. */
export type ChannelHealth =
  | { readonly kind: 'healthy' }
  | { readonly kind: 'unhealthy'; readonly reason: string };
export const HEALTHY: ChannelHealth = { kind: 'healthy' };

export type RedriveMoment = {
  readonly now: EpochMs;
  readonly health: ChannelHealth;
  /** Another dead letter of the same send key was redriven in this run. */
  readonly redrivenThisRun: boolean;
  /** Redrives of this key before it was due, which no row counts; absent: none. */
  readonly earlyRedrives?: number;
  /** The token that a reopened or first row gets. */
  readonly token: ClaimToken;
};

export const REDRIVE_ACTIONS = ['redrive', 'settle', 'keep'] as const;
export type RedriveAction = (typeof REDRIVE_ACTIONS)[number];

/** Why a dead letter goes back to the queue. */
export type RedriveReason =
  | 'NO_ROW'
  | 'DEFERRED'
  | 'EXHAUSTED'
  | 'UNKNOWN_DEDUPES'
  | 'UNKNOWN_QUERYABLE'
  | 'UNKNOWN_BY_POLICY'
  | 'REOPENED_EARLIER'
  | 'SAME_REMINDER'
  | 'FORCED_INVALID';
/** Why a dead letter is acked and nothing is sent for it. */
export type SettleReason = 'SENT' | 'REJECTED' | 'EXPIRED' | 'USE_BY_PASSED';
/** Why a dead letter stays where it is. */
export type KeepReason =
  | 'DECISION_NEEDED'
  | 'PROVIDER_WINDOW_OVER'
  | 'AT_CAP'
  | 'CONTENT_CONFLICT'
  | 'CLAIM_ALIVE'
  | 'PROVIDER_UNHEALTHY'
  | 'INVALID_PAYLOAD'
  | 'LEDGER_FAILED'
  | 'CRASHED';

/** Written before the queue is told anything; the decision holds only when this write wins. */
export type RowWrite =
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly next: LedgerRecord }
  | { readonly kind: 'replace'; readonly next: LedgerRecord; readonly seen: LedgerRecord };
const NO_WRITE: RowWrite = { kind: 'none' };

export type RedriveDecision = {
  /** A code below the reason: the row's own reason, what is invalid, why a provider is unwell. */
  readonly detail: string | null;
} & (
  | { readonly action: 'redrive'; readonly reason: RedriveReason; readonly write: RowWrite }
  | { readonly action: 'settle'; readonly reason: SettleReason; readonly write: RowWrite }
  | {
      readonly action: 'keep';
      readonly reason: KeepReason;
      /** Of a row that did not say so yet: from then on it is listed among the parked outcomes. */
      readonly write?: RowWrite;
    }
);

/**
 * What becomes of one dead letter (protocol section 6). The same function plans and acts: a dry
 * run prints what a run on the same dead letters does.
 */
export function planRedrive(
  seen: DeadLetterSeen,
  rules: RedriveRules,
  moment: RedriveMoment,
): RedriveDecision {
  if (seen.kind === 'invalid') {
    return forced(rules)
      ? redrive('FORCED_INVALID', NO_WRITE, seen.reason)
      : keep('INVALID_PAYLOAD', seen.reason);
  }
  switch (seen.row.kind) {
    case 'failed':
      return keep('LEDGER_FAILED', seen.row.code);
    case 'absent':
      return planWithoutRow(seen.delivery, rules, moment);
    case 'row': {
      const { row } = seen.row;
      return shown(planWithRow(row, seen.delivery, rules, moment), row, rules, moment);
    }
  }
}

function planWithoutRow(
  delivery: Delivery,
  rules: RedriveRules,
  moment: RedriveMoment,
): RedriveDecision {
  const { now, token } = moment;
  const { settings } = rules;
  if (late(delivery, now, settings)) {
    const next = expiredRow(delivery, token, now, settings);
    return settle('USE_BY_PASSED', { kind: 'create', next }, 'NO_ROW');
  }
  // Until it is due, a worker that has not heard of a new key epoch computes another key: a row
  // written now could be one that no other worker ever finds. Nothing claims it before then, and
  // its redrives are counted beside the ledger.
  const early = !isDue(delivery.reminder, now, settings);
  if (early && moment.redrivenThisRun) {
    return unwell(moment) ?? redrive('SAME_REMINDER', NO_WRITE, 'NOT_DUE');
  }
  const detail = early ? 'NOT_DUE' : null;
  const obstacle = heldBack(moment.earlyRedrives ?? 0, detail, rules, moment);
  if (obstacle !== null) return obstacle;
  if (early) return redrive('NO_ROW', NO_WRITE, detail);
  const next = firstReopened(delivery, token, now, settings, moment.earlyRedrives ?? 0);
  return redrive('NO_ROW', { kind: 'create', next }, null);
}

function planWithRow(
  row: LedgerRecord,
  delivery: Delivery,
  rules: RedriveRules,
  moment: RedriveMoment,
): RedriveDecision {
  const { now, token } = moment;
  const { settings } = rules;
  if (isTerminal(row.state)) return settle(row.state, NO_WRITE, row.reason);
  if (row.state === 'CLAIMED' && now < row.leaseUntil + settings.skewMs) {
    return keep('CLAIM_ALIVE', row.reason);
  }
  const unsent = row.state === 'DEFERRED' || row.state === 'EXHAUSTED';
  if (unsent && late(delivery, now, settings)) {
    const change = { state: 'EXPIRED', reason: 'USE_BY_PASSED', notBefore: null } as const;
    const next = advance(row, change, now, settings.ttlSeconds);
    return settle('USE_BY_PASSED', { kind: 'replace', next, seen: row }, row.reason);
  }
  if (contentConflict(row, delivery) && !(unsent && forced(rules))) {
    return keep('CONTENT_CONFLICT', row.reason);
  }
  const resumed = row.reason === REOPENED;
  const next = resumed ? row : reopen(row, delivery, token, now, settings);
  // With the new budget but the old reason: it may say that no provider can settle this one.
  const path = unsent
    ? row.state
    : uncertainReason({ ...next, reason: row.reason }, delivery, rules, now);
  if (typeof path === 'object') return path;
  if (moment.redrivenThisRun || resumed) {
    // Counted already: in this run, or by one that ended before the queue took the message back.
    const obstacle = unwell(moment);
    if (obstacle !== null) return obstacle;
    const reason = moment.redrivenThisRun ? 'SAME_REMINDER' : 'REOPENED_EARLIER';
    return redrive(reason, NO_WRITE, row.reason);
  }
  const obstacle = heldBack(row.redriveCount, row.reason, rules, moment);
  if (obstacle !== null) return obstacle;
  const detail = row.state === 'CLAIMED' ? 'STALE_CLAIM' : row.reason;
  return redrive(path, { kind: 'replace', next, seen: row }, detail);
}

/**
 * A dead worker's claim says UNKNOWN by nothing but the time that has passed since, and no index
 * lists it; an unknown outcome that was reopened and then outlived its window still gives the
 * reopening as its reason. Where either is kept for a person, the row says so itself, under the
 * fence and the same token: a worker that is not dead after all may still record its proof.
 */
function shown(
  decision: RedriveDecision,
  row: LedgerRecord,
  { settings }: RedriveRules,
  { now }: RedriveMoment,
): RedriveDecision {
  if (decision.action !== 'keep' || !saysLessThanParked(row)) return decision;
  const reason = parkReason(decision);
  if (reason === null) return decision;
  const change = { state: 'UNKNOWN', reason, notBefore: null } as const;
  const next = advance(row, change, now, settings.ttlSeconds);
  return { ...decision, write: { kind: 'replace', next, seen: row } };
}

function saysLessThanParked({ state, reason }: LedgerRecord): boolean {
  return state === 'CLAIMED' || (state === 'UNKNOWN' && !reason.startsWith('PARKED_'));
}

/** Null where the claim is alive, or is taken over as soon as its provider is well. */
function parkReason({ reason, detail }: RedriveDecision): string | null {
  if (reason === 'CONTENT_CONFLICT') return 'PARKED_CONTENT_CONFLICT';
  if (reason === 'AT_CAP') return 'PARKED_ATTEMPTS_USED';
  return detail?.startsWith('PARKED_') === true ? detail : null;
}

/** How the consumer would settle what may have been accepted; a decision where it could not. */
function uncertainReason(
  reopened: LedgerRecord,
  delivery: Delivery,
  rules: RedriveRules,
  now: EpochMs,
): RedriveReason | RedriveDecision {
  const path = uncertainPath(reopened, delivery, now, rules.settings);
  switch (path.kind) {
    case 'resend-same-key':
      return 'UNKNOWN_DEDUPES';
    case 'ask':
      return 'UNKNOWN_QUERYABLE';
    case 'resend-by-policy':
    case 'assume-sent': {
      const policy = path.kind === 'assume-sent' ? 'POLICY_ASSUME_SENT' : 'POLICY_RESEND';
      return rules.trigger === 'requested' ? 'UNKNOWN_BY_POLICY' : keep('DECISION_NEEDED', policy);
    }
    case 'park':
      return path.reason === 'PARKED_WINDOW_OVER'
        ? keep('PROVIDER_WINDOW_OVER', path.reason)
        : keep('DECISION_NEEDED', path.reason);
  }
}

function heldBack(
  redriveCount: number,
  detail: string | null,
  rules: RedriveRules,
  moment: RedriveMoment,
): RedriveDecision | null {
  if (redriveCount >= rules.cap && !forced(rules)) return keep('AT_CAP', detail);
  return unwell(moment);
}

function unwell({ health }: RedriveMoment): RedriveDecision | null {
  return health.kind === 'healthy' ? null : keep('PROVIDER_UNHEALTHY', health.reason);
}

function late(delivery: Delivery, now: EpochMs, settings: DeliverySettings): boolean {
  return now > useByOf(delivery.reminder, settings.useBySeconds);
}

function forced({ trigger, force }: RedriveRules): boolean {
  return trigger === 'requested' && force;
}

function redrive(reason: RedriveReason, write: RowWrite, detail: string | null): RedriveDecision {
  return { action: 'redrive', reason, write, detail };
}

function settle(reason: SettleReason, write: RowWrite, detail: string | null): RedriveDecision {
  return { action: 'settle', reason, write, detail };
}

function keep(reason: KeepReason, detail: string | null): RedriveDecision {
  return { action: 'keep', reason, detail };
}
