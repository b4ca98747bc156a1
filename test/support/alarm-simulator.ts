import type { Resource } from '#test/support/synthesise.ts';

/** One published value. */
export type Sample = { readonly atMinute: number; readonly value: number };
/** Samples by metric name; a metric that is absent was never published. */
export type History = Readonly<Record<string, readonly Sample[]>>;

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
export type Transition = { readonly atMinute: number; readonly state: AlarmState };

type Statistic = 'Sum' | 'Minimum' | 'Maximum' | 'Average' | 'SampleCount';
type MissingData = 'breaching' | 'notBreaching' | 'ignore' | 'missing';

/** What CloudWatch reads of an alarm, taken from a synthesised template. */
type Definition = {
  readonly metric: string;
  readonly statistic: Statistic;
  readonly periodMinutes: number;
  readonly breaches: (value: number) => boolean;
  readonly datapointsToAlarm: number;
  readonly evaluationPeriods: number;
  readonly missing: MissingData;
};

/**
 * CloudWatch looks back further than the evaluation periods and takes the most recent datapoints
 * that are there, before it fills in missing ones. How much further is not documented as a number;
 * its examples show two periods for three.
 */
const EXTRA_PERIODS = 2;

/**
 * Runs a synthesised alarm over a day of samples, once a minute, as CloudWatch evaluates it, and
 * returns its changes of state. Source: "Configuring how CloudWatch alarms treat missing data" in
 * its user guide, whose tables are the tests of this simulator.
 */
export function simulate(alarm: Resource, history: History, minutes = 1440): readonly Transition[] {
  const definition = parse(alarm);
  const samples = history[definition.metric] ?? [];
  const range = definition.evaluationPeriods + EXTRA_PERIODS;
  const transitions: Transition[] = [];
  let state: AlarmState = 'INSUFFICIENT_DATA';
  for (let now = range * definition.periodMinutes; now <= minutes; now += 1) {
    const next = evaluate(definition, datapoints(definition, samples, now, range), state);
    if (next !== state) transitions.push({ atMinute: now, state: next });
    state = next;
  }
  return transitions;
}

/** The state after one evaluation of a range of datapoints, oldest first; undefined is missing. */
export function evaluate(
  definition: Pick<Definition, 'breaches' | 'datapointsToAlarm' | 'evaluationPeriods' | 'missing'>,
  range: readonly (number | undefined)[],
  state: AlarmState,
): AlarmState {
  const { evaluationPeriods, datapointsToAlarm, missing, breaches } = definition;
  const present = range.filter((value) => value !== undefined).slice(-evaluationPeriods);
  const breaching = present.filter(breaches).length;
  const absent = evaluationPeriods - present.length;
  if (breaching >= datapointsToAlarm) return 'ALARM';
  if (absent === 0 || missing === 'notBreaching') return 'OK';
  if (missing === 'breaching') return breaching + absent >= datapointsToAlarm ? 'ALARM' : 'OK';
  if (breaching < present.length) return 'OK';
  if (missing === 'ignore') return state;
  return present.length === 0 ? 'INSUFFICIENT_DATA' : 'ALARM';
}

function datapoints(
  { periodMinutes, statistic }: Definition,
  samples: readonly Sample[],
  now: number,
  range: number,
): readonly (number | undefined)[] {
  return Array.from({ length: range }, (_, index) => {
    const from = now - (range - index) * periodMinutes;
    const values = samples
      .filter(({ atMinute }) => atMinute >= from && atMinute < from + periodMinutes)
      .map(({ value }) => value);
    return values.length === 0 ? undefined : STATISTICS[statistic](values);
  });
}

const STATISTICS: Readonly<Record<Statistic, (values: readonly number[]) => number>> = {
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
  Minimum: (values) => Math.min(...values),
  Maximum: (values) => Math.max(...values),
  Average: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  SampleCount: (values) => values.length,
};

const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

function parse({ Properties }: Resource): Definition {
  const text = (name: string) => String(Properties[name]);
  const compare = COMPARISONS[text('ComparisonOperator')];
  const statistic = text('Statistic');
  if (compare === undefined) throw new Error(`no comparison ${text('ComparisonOperator')}`);
  if (!(statistic in STATISTICS)) throw new Error(`no statistic ${statistic}`);
  const evaluationPeriods = Number(Properties['EvaluationPeriods']);
  const threshold = Number(Properties['Threshold']);
  return {
    metric: text('MetricName'),
    statistic: statistic as Statistic,
    periodMinutes: Number(Properties['Period']) / 60,
    breaches: (value) => compare(value, threshold),
    datapointsToAlarm: Number(Properties['DatapointsToAlarm'] ?? evaluationPeriods),
    evaluationPeriods,
    missing: (Properties['TreatMissingData'] ?? 'missing') as MissingData,
  };
}
