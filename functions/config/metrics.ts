/**
 * CloudWatch metrics of the three functions, one list for publishers, alarms and dashboard.
 * Dimensions are `service` (the pipeline's name) and `stage` only: an id as a dimension would be
 * both personal data and a bill.
 */
export const METRIC_NAMESPACE = 'RemindOnce';
export const DEFAULT_PIPELINE = 'remind-once';

/** Counts of the consumer, published once per run; a killed run publishes none of them. */
export const CONSUMER_METRICS = {
  runs: 'ConsumerRuns',
  deliveries: 'Deliveries',
  keysClaimed: 'KeysClaimed',
  takeOvers: 'TakeOvers',
  receipts: 'Receipts',
  terminalSent: 'TerminalSent',
  terminalRejected: 'TerminalRejected',
  terminalExpired: 'TerminalExpired',
  assumedSent: 'AssumedSent',
  duplicatesAbsorbed: 'DuplicatesAbsorbed',
  contentConflicts: 'ContentConflicts',
  invalidMessages: 'InvalidMessages',
  postponed: 'Postponed',
  publishes: 'Publishes',
  left: 'Left',
  submissions: 'ProviderSubmissions',
  asks: 'ProviderAsks',
  parked: 'Parked',
  /** Entries of a pull without any id; counted by the queue adapter as they come. */
  unreadableMessages: 'UnreadableMessages',
  exhausted: 'Exhausted',
  lateAcks: 'LateAcks',
  lostClaims: 'LostClaims',
  recordFailures: 'RecordFailures',
  ledgerFailures: 'LedgerFailures',
  failedPulls: 'FailedPulls',
  channelsStopped: 'ChannelsStopped',
  runsStoppedByBudget: 'RunsStoppedByBudget',
  /** Seconds from the reminder's instant to the recorded acceptance; a distribution. */
  endToEndSeconds: 'EndToEndSeconds',
} as const;

/**
 * Gauges of the stats function: one reading a run, every one of them published on every run unless
 * its source gave no valid figure. A doubled run changes nothing, because alarms and dashboard read
 * their minimum, maximum or average. The heartbeat is published last, after a whole reading.
 */
export const STATS_METRICS = {
  heartbeat: 'StatsHeartbeat',
  available: 'QueueAvailable',
  inFlight: 'QueueInFlight',
  delayed: 'QueueDelayed',
  deadLetters: 'DeadLetters',
  oldestMessageAgeSeconds: 'OldestMessageAgeSeconds',
  /** UNKNOWN rows of the ledger. */
  unresolvedRows: 'UnresolvedRows',
  oldestUnresolvedSeconds: 'OldestUnresolvedSeconds',
  /** A `BREAKER_LEVEL`. */
  breaker: 'BreakerLevel',
  balanceUsd: 'BalanceUsd',
  /** Figures of this reading that were refused or could not be read; 0 when all were good. */
  invalidStats: 'InvalidStats',
  /** 1 when the queue does not exist (any more), else 0. */
  queueMissing: 'QueueMissing',
} as const;

/** The breaker as a gauge; the alarm pages from `paused` on. */
export const BREAKER_LEVEL = { running: 0, limited: 1, paused: 2 } as const;
