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
