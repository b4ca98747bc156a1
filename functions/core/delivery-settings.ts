/** The figures that decisions about one delivery read; checked together when configuration loads. */
export type DeliverySettings = {
  /** A reminder due within this is sent at once instead of being postponed. */
  readonly futureToleranceSeconds: number;
  /** After its instant plus this, a reminder is never sent. */
  readonly useBySeconds: number;
  /** How long the store keeps a row after its last write. */
  readonly ttlSeconds: number;
  readonly ladderSeconds: readonly number[];
  /** How long a claim gives the right to send. */
  readonly leaseMs: number;
  /** Declared bound on the difference of two workers' clocks. */
  readonly skewMs: number;
  /** First wait before an unknown outcome is settled; the provider's commit time is a floor. */
  readonly settleSeconds: number;
  /** Spread of a postponement to the end of another worker's lease. */
  readonly holdJitterSeconds: number;
  /** Wait of a reminder whose channel has stopped for the run. */
  readonly channelStoppedSeconds: number;
};

/** Attempts that one budget allows: the first and one per step of the ladder. */
export function attemptsPerBudget(settings: Pick<DeliverySettings, 'ladderSeconds'>): number {
  return settings.ladderSeconds.length + 1;
}
