import type { EpochMs } from '#core/brand.ts';
import { RemindOnceError } from '#core/errors.ts';
import type { Instant } from '#core/instant.ts';
import type { OptionalKeyField } from '#core/send-key.ts';

/** Shorter secrets can be searched, and an empty one would make every key public. */
export const MIN_SECRET_LENGTH = 16;

/**
 * From `from` on, reminders are keyed with this secret and these fields. A reminder's own
 * `scheduled_at` selects its epoch, so every worker that knows the list computes the same single
 * key: no second look-up, no race between warm environments. A changed tuple is a new epoch.
 */
export type KeyEpoch = {
  readonly id: string;
  readonly secret: string;
  readonly keyFields: readonly OptionalKeyField[];
  /** Null for the first epoch: it has no beginning. */
  readonly from: Instant | null;
};

/** The latest epoch whose `from` is not after the reminder's instant. */
export function epochFor(scheduledAt: Instant, epochs: readonly KeyEpoch[]): KeyEpoch {
  let chosen: KeyEpoch | undefined;
  for (const epoch of epochs) {
    if (startsAfter(epoch, scheduledAt)) continue;
    if (chosen === undefined || !startsAfter(chosen, epoch.from)) chosen = epoch;
  }
  if (chosen === undefined) {
    throw new RemindOnceError(
      'KEY_EPOCH_MISSING',
      'no key epoch covers the reminder: the list must hold one epoch without "from"; restore the first epoch',
    );
  }
  return chosen;
}

function startsAfter(epoch: KeyEpoch, instant: Instant | null): boolean {
  if (epoch.from === null) return false;
  if (instant === null) return true;
  return compareInstants(epoch.from, instant) > 0;
}

function compareInstants(a: Instant, b: Instant): number {
  if (a.epochMs !== b.epochMs) return a.epochMs - b.epochMs;
  const fractionOf = (instant: Instant) => /\.(\d+)Z$/.exec(instant.canonical)?.[1] ?? '';
  return Number(fractionOf(a).padEnd(9, '0')) - Number(fractionOf(b).padEnd(9, '0'));
}

/** What is wrong with a list of epochs, apart from the secrets' values. Empty when nothing is. */
export function epochFaults(epochs: readonly Pick<KeyEpoch, 'id' | 'from'>[]): readonly string[] {
  const faults: string[] = [];
  const firsts = epochs.filter((epoch) => epoch.from === null).length;
  if (firsts !== 1) {
    faults.push(`exactly one epoch has no "from" (the first one); seen ${firsts}`);
  }
  const ids = epochs.map((epoch) => epoch.id);
  if (new Set(ids).size !== ids.length) faults.push('epoch ids must differ');
  const starts = epochs.flatMap((epoch) => (epoch.from === null ? [] : [epoch.from.canonical]));
  if (new Set(starts).size !== starts.length) faults.push('two epochs start at one instant');
  return faults;
}

/**
 * Whether an epoch may be added now. Every warm worker must have learnt of it before its first
 * reminder comes due, or two workers would compute two keys for one reminder.
 * @param cacheAgeSeconds how long a worker may go on with the list it knows
 */
export function mayAddEpoch(from: Instant, now: EpochMs, cacheAgeSeconds: number): boolean {
  return from.epochMs > now + cacheAgeSeconds * 1000;
}
