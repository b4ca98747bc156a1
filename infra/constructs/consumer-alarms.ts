import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type AlarmDefinition,
  periodsIn,
  type RunbookSection,
  steadyPeriodMinutes,
} from '#infra/constructs/alarm-definition.ts';
import type { ConsumerCount, PipelineMetrics } from '#infra/constructs/pipeline-metrics.ts';

/**
 * `once`: a single event is one too many, and the alarm stays for an hour after the last, so that a
 * trickle does not flap. `again`: one period may be an accident that the next delivery mends.
 */
type Patience = 'once' | 'again';

type CountAlarm = {
  readonly id: string;
  readonly section: RunbookSection;
  readonly count: ConsumerCount;
  readonly atLeast: number;
  readonly patience: Patience;
  readonly meaning: string;
  readonly advice: string;
};

/**
 * Alarms on what the consumer counts. It publishes all its figures together on every finished run,
 * zeros included; its silence is the business of `consumer-silent`, so here it is not breaching.
 */
export function consumerAlarms(
  metrics: PipelineMetrics,
  everyMinutes: number,
): readonly AlarmDefinition[] {
  const periodMinutes = steadyPeriodMinutes(everyMinutes);
  const period = Duration.minutes(periodMinutes);
  const window = {
    once: { datapoints: 1, of: periodsIn(60, periodMinutes) },
    again: { datapoints: 2, of: 6 },
  };
  return COUNT_ALARMS.map(({ id, section, count, atLeast, patience, meaning, advice }) => ({
    id,
    section,
    meaning,
    advice,
    metric: metrics.count(count, { period }),
    operator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold: atLeast,
    ...window[patience],
    missing: TreatMissingData.NOT_BREACHING,
  }));
}

const COUNT_ALARMS: readonly CountAlarm[] = [
  {
    id: 'ReceiptsAhead',
    section: 'receipts-ahead',
    count: 'receiptsAhead',
    atLeast: 1,
    patience: 'again',
    meaning: 'Providers accepted reminders whose rows could not be written as sent.',
    advice: 'Pause the consumer, look at the table, and reconcile before resuming.',
  },
  {
    id: 'TerminalAhead',
    section: 'terminal-ahead',
    count: 'terminalAhead',
    atLeast: 1,
    patience: 'once',
    meaning: 'Rows say sent without a receipt and without a policy that allows it.',
    advice: 'Pause the consumer and ask the provider about the latest rows.',
  },
  {
    id: 'ContentConflicts',
    section: 'content-conflicts',
    count: 'contentConflicts',
    atLeast: 1,
    patience: 'once',
    meaning: 'One reminder came with two different bodies; only the first is sent.',
    advice: 'Find the producer that changes a body without a new reminder id.',
  },
  {
    id: 'InvalidMessages',
    section: 'invalid-messages',
    count: 'invalidMessages',
    atLeast: 1,
    patience: 'once',
    meaning: 'Messages came from which no send key can be made; they become dead letters.',
    advice: 'Read the reasons in the log and mend the producer.',
  },
  {
    id: 'DeliveriesCrashed',
    section: 'deliveries-crashed',
    count: 'crashedDeliveries',
    atLeast: 1,
    patience: 'again',
    meaning: 'Deliveries ended in an error that the consumer does not know.',
    advice: 'Read their log lines; this is a bug to report.',
  },
  {
    id: 'LedgerFailing',
    section: 'ledger-failing',
    count: 'ledgerFailures',
    atLeast: 5,
    patience: 'again',
    meaning: 'Claims fail because the ledger does not answer; those reminders wait.',
    advice: "Look at the table's throttles and latency.",
  },
];
