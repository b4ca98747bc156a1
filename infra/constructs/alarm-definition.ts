import type { ComparisonOperator, IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { FINDINGS, FindingCode } from '#core/finding.ts';

/**
 * Sections of infra/RUNBOOK.md: those of the findings, so that alarm and finding send their reader
 * to one place, and those of what no function can find about itself.
 */
export type RunbookSection =
  | (typeof FINDINGS)[FindingCode]['runbook']
  | 'stats-silent'
  | 'function-errors'
  | 'lost-invocations'
  | 'table-throttled';

/** One alarm: what is wrong, what to do, and when it is so. */
export type AlarmDefinition = {
  /** Construct id. Renaming it makes a new alarm. */
  readonly id: string;
  readonly section: RunbookSection;
  /** What the datapoints say, one sentence. */
  readonly meaning: string;
  /** The first thing to do, one sentence. */
  readonly advice: string;
  readonly metric: IMetric;
  readonly operator: ComparisonOperator;
  readonly threshold: number;
  /** `datapoints` of the last `of` periods must breach. */
  readonly datapoints: number;
  readonly of: number;
  /**
   * What a silent publisher does to the alarm. `ignore` keeps the state: a gauge's silence is no
   * good news, and the heartbeat alarm speaks for the publisher.
   */
  readonly missing: TreatMissingData;
};

/** The least period at which a publisher that runs each `everyMinutes` never skips one, minutes. */
export function steadyPeriodMinutes(everyMinutes: number): number {
  return Math.max(5, 2 * everyMinutes);
}

/** How many periods make up `minutes`, at least one. */
export function periodsIn(minutes: number, periodMinutes: number): number {
  return Math.max(1, Math.ceil(minutes / periodMinutes));
}
