import type { EpochMs } from '#core/brand.ts';
import type { Breaker } from '#core/breaker.ts';
import type { ConsumerMarker } from '#core/consumer-marker.ts';
import type { InvalidFigure, QueueFigures } from '#core/stats-reading.ts';

/** UNKNOWN rows, as far as one check looks. */
export type Unresolved = {
  readonly rows: number;
  /** Those that rest until a person, a redrive or a policy moves them. */
  readonly parked: number;
  readonly oldestAt: EpochMs | null;
  readonly oldestParkedAt: EpochMs | null;
  /** False: there are more than were counted. */
  readonly complete: boolean;
};

/** A source that gave nothing: whose, and the code of its failure. */
export type FailedSource = {
  readonly source: 'queue' | 'dlq' | 'balance';
  readonly code: string;
};

/** Everything that one check read, nothing judged yet. Null: the source gave no valid figure. */
export type Signals = {
  readonly at: EpochMs;
  readonly queue:
    | ({ readonly kind: 'figures' } & QueueFigures)
    /** The queue's service knows no such queue. */
    | { readonly kind: 'missing'; readonly code: string }
    | { readonly kind: 'failed' };
  /** By the main queue or by the dead-letter queue itself, whichever says more. */
  readonly deadLetters: number | null;
  readonly balanceUsd: number | null;
  readonly invalid: readonly InvalidFigure[];
  readonly failed: readonly FailedSource[];
  readonly unresolved: Unresolved | null;
  /** Null: it could not be read. */
  readonly breaker: Breaker | null;
  /** Null: no run has ended yet, or the marker could not be read (then `ledgerFailure` says so). */
  readonly marker: ConsumerMarker | null;
  /** The first failure of a ledger or control read; null when all went well. */
  readonly ledgerFailure: string | null;
};
