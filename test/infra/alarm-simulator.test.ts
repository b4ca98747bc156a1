import { describe, expect, it } from 'vitest';
import { type AlarmState, evaluate } from '#test/support/alarm-simulator.ts';

/** `X` breaches, `0` does not, `-` is missing. */
function range(pattern: string): readonly (number | undefined)[] {
  return [...pattern].map((sign) => ({ X: 1, '0': 0 })[sign]);
}

const POLICIES = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;

/**
 * The tables of CloudWatch's user guide ("How alarm state is evaluated when data is missing"), for
 * three evaluation periods; INSUFFICIENT_DATA going in, so that it also stands for a kept state.
 */
const KEPT: AlarmState = 'INSUFFICIENT_DATA';
const THREE_OF_THREE: readonly [string, AlarmState, AlarmState, AlarmState, AlarmState][] = [
  ['0-X-X', 'OK', 'OK', 'OK', 'OK'],
  ['----0', 'OK', 'OK', 'OK', 'OK'],
  ['-----', 'INSUFFICIENT_DATA', KEPT, 'ALARM', 'OK'],
  ['0XX-X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['--X--', 'ALARM', KEPT, 'ALARM', 'OK'],
];
const TWO_OF_THREE: readonly [string, AlarmState, AlarmState, AlarmState, AlarmState][] = [
  ['0-X-X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['00X0X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0-X--', 'OK', 'OK', 'ALARM', 'OK'],
  ['----0', 'OK', 'OK', 'ALARM', 'OK'],
  ['---X-', 'ALARM', KEPT, 'ALARM', 'OK'],
];

describe('the alarm simulator, by the tables of the CloudWatch guide', () => {
  it.each(
    [
      { datapointsToAlarm: 3, table: THREE_OF_THREE },
      { datapointsToAlarm: 2, table: TWO_OF_THREE },
    ].flatMap(({ datapointsToAlarm, table }) =>
      table.flatMap(([pattern, ...states]) =>
        POLICIES.map((missing, index) => ({
          pattern,
          datapointsToAlarm,
          missing,
          expected: states[index],
        })),
      ),
    ),
  )('$datapointsToAlarm of 3, $missing: $pattern is $expected', (row) => {
    const definition = {
      breaches: (value: number) => value === 1,
      evaluationPeriods: 3,
      datapointsToAlarm: row.datapointsToAlarm,
      missing: row.missing,
    };
    expect(evaluate(definition, range(row.pattern), KEPT)).toBe(row.expected);
  });
});
