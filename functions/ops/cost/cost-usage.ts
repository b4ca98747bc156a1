/** What an installation did in a span of time, as far as its platform counts it. */
export type CostUsage = {
  /** Where the figures come from, for the reader. */
  readonly source: string;
  readonly seconds: number;
  /** By function. */
  readonly invocations: Readonly<Record<string, number>>;
  readonly durationMs: Readonly<Record<string, number>>;
  /** By function; absent on the local stage. */
  readonly memoryMb: Readonly<Record<string, number>>;
  /** Of the table; null where nothing counts them. */
  readonly writeUnits: number | null;
  readonly readUnits: number | null;
  readonly deliveries: number;
  readonly keysClaimed: number;
  readonly takeOvers: number;
  readonly receipts: number;
  readonly duplicatesAbsorbed: number;
  /** Copies that the consumer published to postpone. */
  readonly published: number;
  readonly submissions: number;
};
