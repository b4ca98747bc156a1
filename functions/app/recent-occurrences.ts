import type { EpochMs } from '#core/brand.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import type { Reminder } from '#core/reminder.ts';
import { seriesRefOf } from '#core/send-key.ts';

/** What a change of the clock, or of a zone's rules, moves an occurrence by at most. */
const CLOSE_MS = 3_600_000;
/** Some 3 MB. Busier environments watch a part of their reminders, each for its whole hour. */
const KEPT = 20_000;

/**
 * Notices a reminder that is taken up for two instants at most an hour apart: rightly, if it is an
 * hourly one or was put off by its user, and wrongly, if its producer has computed its instant anew.
 * Within one warm environment and in memory only, so that nothing is read, written or kept of a
 * person for it. It misses what a cold start or another environment separates; but a producer's
 * mistake is made for many users at once, so that some of them are seen.
 */
export class RecentOccurrences {
  /** The instant last claimed by series, the longest watched first. */
  readonly #claimed = new Map<string, EpochMs>();

  /**
   * To be called once per occurrence, when it is claimed for the first time.
   * @returns whether the one claimed last of the same reminder is close to it
   */
  note(reminder: Reminder, epoch: KeyEpoch): boolean {
    const series = seriesRefOf(reminder, epoch);
    const at = reminder.scheduledAt.epochMs;
    const before = this.#claimed.get(series);
    this.#claimed.delete(series);
    if (this.#hasRoom(at)) this.#claimed.set(series, at);
    return before !== undefined && Math.abs(at - before) <= CLOSE_MS;
  }

  get size(): number {
    return this.#claimed.size;
  }

  series(): Iterable<string> {
    return this.#claimed.keys();
  }

  /** Forgets the longest watched one when its hour is over by this instant. */
  #hasRoom(at: EpochMs): boolean {
    if (this.#claimed.size < KEPT) return true;
    const [oldest] = this.#claimed;
    if (oldest === undefined || at - oldest[1] <= CLOSE_MS) return false;
    return this.#claimed.delete(oldest[0]);
  }
}
