/**
 * CloudWatch metrics of the three functions, one list for publishers, alarms and dashboard.
 * Dimensions are `service` (the pipeline's name) and `stage` only: an id as a dimension would be
 * both personal data and a bill.
 */
export const METRIC_NAMESPACE = 'RemindOnce';
export const DEFAULT_PIPELINE = 'remind-once';

/**
 * Counts of the consumer, published once per run; a killed run publishes none of them. Those marked
 * `seldom` are published when they are above 0.
 */
export const CONSUMER_METRICS = {
  runs: 'ConsumerRuns',
  deliveries: 'Deliveries',
  /** Unique keys, claimed for the first time: each adds one row to the ledger. */
  keysClaimed: 'KeysClaimed',
  takeOvers: 'TakeOvers',
  /** Provider's proofs by receipt: the same receipt for the same key, seen again, is not another. */
  receipts: 'Receipts',
  terminalSent: 'TerminalSent',
  terminalRejected: 'TerminalRejected',
  terminalExpired: 'TerminalExpired',
  assumedSent: 'AssumedSent',
  /** Acceptances whose row does not say so: each is judged within its own delivery. */
  receiptsAhead: 'ReceiptsAhead',
  /** SENT rows without a proof and without a policy that declared them sent. */
  terminalAhead: 'TerminalAhead',
  duplicatesAbsorbed: 'DuplicatesAbsorbed',
  /** Seldom. Sends that policy `resend` made again: each of them may be a duplicate. */
  resentByPolicy: 'ResentByPolicy',
  /** Seldom. Acceptances that came to light after it had sent again; most of them never do. */
  duplicatesByPolicy: 'DuplicatesByPolicy',
  contentConflicts: 'ContentConflicts',
  /** Seldom. First claims of a reminder whose last one in this environment was within an hour of it. */
  closeOccurrences: 'CloseOccurrences',
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
  /** Why deliveries were left, beside the counts above: publish or ack not taken, a bug. */
  failedPublishes: 'FailedPublishes',
  failedAcks: 'FailedAcks',
  crashedDeliveries: 'CrashedDeliveries',
  channelsStopped: 'ChannelsStopped',
  runsStoppedByBudget: 'RunsStoppedByBudget',
  /** Runs that consumed nothing because the breaker is open or could not be read. */
  runsPaused: 'RunsPaused',
  breakerTrips: 'BreakerTrips',
  /** Seconds from the reminder's instant to the recorded acceptance; a distribution. */
  endToEndSeconds: 'EndToEndSeconds',
} as const;

/**
 * Counts of the redrive, published once per run; a dry run publishes none. Rows that it makes or
 * expires are counted under the consumer's `KeysClaimed` and `TerminalExpired` as well, so that
 * receipts never seem to come from keys that nobody claimed.
 */
export const REDRIVE_METRICS = {
  runs: 'RedriveRuns',
  /** Runs that did nothing: another one at work, the consumer paused, the ledger not reached. */
  runsNotStarted: 'RedriveRunsNotStarted',
  examined: 'RedriveExamined',
  redriven: 'RedriveRedriven',
  /** Dead letters acked because their row is final. */
  settled: 'RedriveSettled',
  kept: 'RedriveKept',
  /** Of those kept: parked at their lifetime cap, and waiting for a person's decision. */
  keptAtCap: 'RedriveKeptAtCap',
  keptForDecision: 'RedriveKeptForDecision',
  failed: 'RedriveFailed',
  vanished: 'RedriveVanished',
  /** Redrives that the ledger did not confirm, so that one more may go uncounted. */
  unconfirmed: 'RedriveUnconfirmed',
  canariesFailed: 'RedriveCanariesFailed',
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
  /** The oldest age while messages are available and none is in flight, else 0. */
  staleSeconds: 'StaleSeconds',
  /** UNKNOWN rows of the ledger, those that a later delivery will settle included. */
  unresolvedRows: 'UnresolvedRows',
  oldestUnresolvedSeconds: 'OldestUnresolvedSeconds',
  /** UNKNOWN rows that rest until a person, a redrive or a policy moves them. */
  parkedRows: 'ParkedRows',
  /** A `BREAKER_LEVEL`. */
  breaker: 'BreakerLevel',
  /** How long the breaker has not been `running`, seconds; 0 while it is. */
  breakerOpenSeconds: 'BreakerOpenSeconds',
  /** Channels whose credentials were refused and that wait for their next probe. */
  stoppedChannels: 'StoppedChannels',
  /** Acceptances that no row records yet: receipts ahead of terminal rows. */
  unrecordedReceipts: 'UnrecordedReceipts',
  /** Since the consumer last finished a run, seconds. */
  consumerSilentSeconds: 'ConsumerSilentSeconds',
  /** Postponed copies that the queue's delayed count denies; 0 while it confirms them. */
  unconfirmedPublishes: 'UnconfirmedPublishes',
  balanceUsd: 'BalanceUsd',
  /** Figures of this reading that were refused or could not be read; 0 when all were good. */
  invalidStats: 'InvalidStats',
  /** 1 when the queue does not exist (any more), else 0. */
  queueMissing: 'QueueMissing',
  /** 1 when the ledger or its control documents could not be read, else 0. */
  ledgerUnreadable: 'LedgerUnreadable',
  /** Findings of this reading that somebody must act on. */
  findings: 'Findings',
} as const;

/** The breaker as a gauge; the alarm pages from `paused` on. */
export const BREAKER_LEVEL = { running: 0, limited: 1, paused: 2 } as const;
