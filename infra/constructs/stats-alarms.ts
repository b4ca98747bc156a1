import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { BREAKER_LEVEL } from '#config/metrics.ts';
import type { StatsConfig } from '#config/stats-config.ts';
import {
  type AlarmDefinition,
  periodsIn,
  type RunbookSection,
  steadyPeriodMinutes,
} from '#infra/constructs/alarm-definition.ts';
import type { PipelineMetrics, StatsGauge } from '#infra/constructs/pipeline-metrics.ts';

/** A gauge that has been too high, at every reading, for so long. */
type GaugeAlarm = {
  readonly id: string;
  readonly section: RunbookSection;
  readonly gauge: StatsGauge;
  readonly atLeast: number;
  readonly minutes: number;
  readonly meaning: string;
  readonly advice: string;
};

/**
 * Alarms on what the stats function reads, by the thresholds that it judges by itself. A gauge
 * alarm keeps its state when the function falls silent, since silence is no good news; only the
 * heartbeat turns silence into a page, once.
 */
export function statsAlarms(
  metrics: PipelineMetrics,
  everyMinutes: number,
  thresholds: StatsConfig,
): readonly AlarmDefinition[] {
  const periodMinutes = steadyPeriodMinutes(everyMinutes);
  const period = Duration.minutes(periodMinutes);
  const lasting = (minutes: number) => {
    const periods = periodsIn(minutes, periodMinutes);
    return { datapoints: periods, of: periods };
  };
  const silent: AlarmDefinition = {
    id: 'StatsSilent',
    section: 'stats-silent',
    meaning: 'The stats function has finished no reading for two periods.',
    advice: 'Read its log; until it publishes again, every gauge alarm keeps its last state.',
    metric: metrics.gauge('heartbeat', { period, statistic: Stats.SAMPLE_COUNT }),
    operator: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    datapoints: 2,
    of: 2,
    missing: TreatMissingData.BREACHING,
  };
  const balanceLow: AlarmDefinition = {
    id: 'BalanceLow',
    section: 'balance-low',
    meaning: 'The balance at Infrai is low; without credit no reminder can be postponed.',
    advice: 'Top up the account.',
    metric: metrics.gauge('balanceUsd', { period }),
    operator: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: thresholds.balanceUsd,
    ...lasting(15),
    missing: TreatMissingData.IGNORE,
  };
  const gauges = gaugeAlarms(thresholds).map(
    ({ id, section, gauge, atLeast, minutes, meaning, advice }): AlarmDefinition => ({
      id,
      section,
      meaning,
      advice,
      metric: metrics.gauge(gauge, { period, statistic: Stats.MINIMUM }),
      operator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: atLeast,
      ...lasting(minutes),
      missing: TreatMissingData.IGNORE,
    }),
  );
  return [silent, balanceLow, ...gauges];
}

function gaugeAlarms(thresholds: StatsConfig): readonly GaugeAlarm[] {
  return [
    {
      id: 'DeadLetters',
      section: 'dead-letters',
      gauge: 'deadLetters',
      atLeast: 1,
      minutes: thresholds.deadLetterQuietSeconds / 60,
      meaning: 'Dead letters have stayed for longer than the redrive needs to clear them.',
      advice: 'List them with the redrive dry run, which prints a reason for each.',
    },
    {
      id: 'StaleQueue',
      section: 'stale-queue',
      gauge: 'staleSeconds',
      atLeast: thresholds.staleSeconds,
      minutes: 5,
      meaning: 'Messages wait and age while none is in flight: nobody reads the queue.',
      advice: 'Look at the breaker, then at the consumer.',
    },
    {
      id: 'QueueMissing',
      section: 'queue-missing',
      gauge: 'queueMissing',
      atLeast: 1,
      minutes: 10,
      meaning: 'The queue does not exist.',
      advice: 'Compare its name with the stage settings, then create it.',
    },
    {
      id: 'PublishesUnconfirmed',
      section: 'publishes-unconfirmed',
      gauge: 'unconfirmedPublishes',
      atLeast: 1,
      minutes: 15,
      meaning: 'The queue took postponed copies that its own count denies.',
      advice: 'Pause the consumer and compare the rows that are not due with the queue.',
    },
    {
      id: 'StatsInvalid',
      section: 'stats-invalid',
      gauge: 'invalidStats',
      atLeast: 1,
      minutes: 15,
      meaning: 'Figures of the queue or the account cannot be read or believed.',
      advice: 'Read the reasons in the log of the stats function; the refused gauges are stale.',
    },
    {
      id: 'OutcomesParked',
      section: 'outcomes-parked',
      gauge: 'parkedRows',
      atLeast: thresholds.unresolvedRows,
      minutes: 30,
      meaning: 'Sends with an unknown outcome rest until a person decides them.',
      advice: 'List them and decide each as sent or not sent; nothing is sent again before that.',
    },
    {
      id: 'ReceiptsUnrecorded',
      section: 'receipts-ahead',
      gauge: 'unrecordedReceipts',
      atLeast: 1,
      minutes: 10,
      meaning: 'Providers accepted reminders that no row records.',
      advice: 'Look at the table and the breaker; reconcile before resuming.',
    },
    {
      id: 'BreakerOpen',
      section: 'breaker-open',
      gauge: 'breaker',
      atLeast: BREAKER_LEVEL.paused,
      minutes: 5,
      meaning: 'The breaker is open: nothing is consumed.',
      advice: 'Read its reason, reconcile, and resume by hand.',
    },
    {
      id: 'ChannelStopped',
      section: 'channel-stopped',
      gauge: 'stoppedChannels',
      atLeast: 1,
      minutes: 10,
      meaning: 'A provider refuses our credentials; its reminders are postponed.',
      advice: "Put the right value into the channel's secret.",
    },
    {
      id: 'ConsumerSilent',
      section: 'consumer-silent',
      gauge: 'consumerSilentSeconds',
      atLeast: thresholds.consumerSilentSeconds,
      minutes: 5,
      meaning: 'No run of the consumer has come to its end for too long.',
      advice: 'Read its log for timeouts; a run that is cut off publishes nothing.',
    },
    {
      id: 'LedgerUnreadable',
      section: 'ledger-failing',
      gauge: 'ledgerUnreadable',
      atLeast: 1,
      minutes: 10,
      meaning: 'The ledger or its control documents cannot be read; nothing is sent meanwhile.',
      advice: "Look at the table and the functions' permissions on it.",
    },
  ];
}
