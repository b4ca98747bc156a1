import type { EpochMs } from '#core/brand.ts';
import { isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import type { SenderProfile } from '#core/send-result.ts';
import { ATTEMPTS, SETTINGS } from '#test/support/core-data.ts';

/** What the provider does with the next send. */
export const MOODS = [
  'accepts',
  'defers',
  'rejects',
  'refuses-us',
  'resets-accepted',
  'resets-unsent',
] as const;
export type Mood = (typeof MOODS)[number];

/** A row's state as the protocol tells states apart; PARKED and ASSUMED by their reasons. */
export type SpecState =
  | 'NONE'
  | 'CLAIMED'
  | 'SENT'
  | 'ASSUMED'
  | 'DEFERRED'
  | 'UNKNOWN'
  | 'PARKED'
  | 'REJECTED'
  | 'EXPIRED'
  | 'EXHAUSTED';

export type Circumstances = {
  readonly row: LedgerRecord | undefined;
  readonly profile: SenderProfile;
  readonly now: EpochMs;
  readonly dueAt: EpochMs;
  readonly useByAt: EpochMs;
  readonly mood: Mood;
  /** The attempt that the delivered copy carries. */
  readonly copyAttempt: number;
  /** Whether the provider can show an earlier message of the key. */
  readonly reached: boolean;
};

export function stateOf(row: LedgerRecord | undefined): SpecState {
  if (row === undefined) return 'NONE';
  if (row.receipt === 'assumed') return 'ASSUMED';
  if (row.state === 'UNKNOWN' && row.reason.startsWith('PARKED_')) return 'PARKED';
  return row.state;
}

/**
 * What one undisturbed delivery makes of a row: protocol sections 3 and 4, written down a second
 * time and in another way than the product does, so that the two can be held against each other.
 */
export function specified(given: Circumstances): SpecState {
  const { row, now } = given;
  if (now < given.dueAt - SETTINGS.futureToleranceSeconds * 1000) return stateOf(row);
  const late = now > given.useByAt;
  if (row === undefined) {
    const attempt = given.copyAttempt;
    return late ? 'EXPIRED' : sent(given, { attempt, limit: attempt + ATTEMPTS, uncertain: false });
  }
  if (isTerminal(row.state)) return stateOf(row);
  const waits = row.notBefore !== null && now < row.notBefore;
  switch (row.state) {
    case 'EXHAUSTED':
      return late ? 'EXPIRED' : 'EXHAUSTED';
    case 'DEFERRED': {
      if (late) return 'EXPIRED';
      const attempt = Math.max(row.attempt, given.copyAttempt);
      return waits
        ? 'DEFERRED'
        : sent(given, { attempt, limit: row.attemptLimit, uncertain: false });
    }
    case 'CLAIMED':
      return now < row.leaseUntil + SETTINGS.skewMs ? 'CLAIMED' : settled(given, row, late);
    default:
      return waits ? stateOf(row) : settled(given, row, late);
  }
}

/** An earlier send may have been accepted. */
function settled(given: Circumstances, row: LedgerRecord, late: boolean): SpecState {
  const { profile } = given;
  if (row.reason === 'PARKED_REJECTED_AFTER_UNKNOWN') return 'PARKED';
  const attempt = Math.max(row.attempt + 1, given.copyAttempt);
  const used = row.attempt + 1 >= row.attemptLimit;
  const limit = row.attemptLimit;
  if (profile.providerClass === 'queryable') {
    const askable = row.state === 'UNKNOWN' ? limit + ATTEMPTS : limit;
    if (row.attempt + 1 >= askable) return 'PARKED';
    if (given.reached) return 'SENT';
    if (late) return 'EXPIRED';
    return attempt >= limit ? 'EXHAUSTED' : sent(given, { attempt, limit, uncertain: false });
  }
  if (profile.providerClass === 'blind') {
    if (profile.blindPolicy === 'park') return 'PARKED';
    if (profile.blindPolicy === 'assume-sent') return 'ASSUMED';
    return late || used ? 'PARKED' : sent(given, { attempt, limit, uncertain: false });
  }
  if (late || used || !remembered(given, row.firstSendAt ?? 0)) return 'PARKED';
  return sent(given, { attempt, limit, uncertain: true, firstSendAt: row.firstSendAt ?? 0 });
}

type Try = {
  readonly attempt: number;
  readonly limit: number;
  readonly uncertain: boolean;
  readonly firstSendAt?: EpochMs;
};

function sent(given: Circumstances, made: Try): SpecState {
  const { uncertain } = made;
  const last = made.attempt + 1 >= made.limit;
  switch (given.mood) {
    case 'accepts':
      return 'SENT';
    case 'defers':
      if (uncertain) return last ? 'PARKED' : 'UNKNOWN';
      return last ? 'EXHAUSTED' : 'DEFERRED';
    case 'rejects':
      return uncertain ? 'PARKED' : 'REJECTED';
    case 'refuses-us':
      return uncertain ? 'UNKNOWN' : 'DEFERRED';
    default:
      return unknown(given, made, last);
  }
}

function unknown(given: Circumstances, made: Try, last: boolean): SpecState {
  const { profile } = given;
  if (profile.providerClass === 'queryable') {
    return made.attempt + 1 < made.limit + ATTEMPTS ? 'UNKNOWN' : 'PARKED';
  }
  if (profile.providerClass === 'blind' && profile.blindPolicy !== 'resend') {
    return profile.blindPolicy === 'park' ? 'PARKED' : 'ASSUMED';
  }
  const forgotten =
    profile.providerClass === 'dedupes' && !remembered(given, made.firstSendAt ?? given.now);
  return last || forgotten ? 'PARKED' : 'UNKNOWN';
}

/** The provider still knows the key for as long as a claim made now may send. */
function remembered({ profile, now }: Circumstances, firstSendAt: EpochMs): boolean {
  const windowMs = (profile.windowSeconds ?? 0) * 1000;
  return now + SETTINGS.leaseMs + SETTINGS.skewMs < firstSendAt + windowMs;
}
