import type { QueueLoad } from '../backends/queue-backend.ts';

/** Where a contestant finds its backends. */
export type ContestantSettings = {
  readonly queueUrl: string;
  readonly providerUrl: string;
  readonly redisPort: number | null;
};

/** One way to send reminders, measured from outside: it drains what the backends hold. */
export interface Contestant {
  /** Before the clock starts: whatever a producer would have done. */
  prepare?(load: QueueLoad): Promise<void>;
  /**
   * Drains the queue to its end, with at most `concurrency` sends at the provider at once.
   * Rejects when something went wrong; how many were sent the backends say.
   */
  drain(concurrency: number, load: QueueLoad): Promise<void>;
  close?(): Promise<void>;
}

/** What a contestant's module exports. */
export type ContestantModule = {
  openContestant(settings: ContestantSettings): Contestant;
};
