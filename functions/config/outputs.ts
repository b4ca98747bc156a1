/**
 * Keys of the service stack's outputs: what the operator's command line needs to find an
 * installation. Shared by infra, which writes them, and by whoever reads them.
 */
export const OUTPUT = {
  /** `remind-once/1 <stage> <pipeline>`: by it an installation is recognised among other stacks. */
  marker: 'RemindOnce',
  queueName: 'QueueName',
  ledgerTable: 'LedgerTable',
  apiKeySecret: 'InfraiApiKeySecret',
  /** JSON: `{ "<name>": "<secret ARN>" }`; `push` is the channel's own, `push.signing` one inside. */
  channelSecrets: 'ChannelSecrets',
  /** JSON: `{ "<epoch id>": "<secret ARN>" }`. */
  keyEpochSecrets: 'KeyEpochSecrets',
  consumerFunction: 'ConsumerFunction',
  redriveFunction: 'RedriveFunction',
  statsFunction: 'StatsFunction',
  consumerSchedule: 'ConsumerSchedule',
  redriveSchedule: 'RedriveSchedule',
  statsSchedule: 'StatsSchedule',
  alarmTopic: 'AlarmTopic',
  /** SQS queue of invocations that failed or could not be made. */
  lostInvocations: 'LostInvocationsQueue',
  dashboard: 'Dashboard',
} as const;

export const MARKER_FORMAT = 'remind-once/1';
