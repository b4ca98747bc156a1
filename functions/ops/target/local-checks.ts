import type { LocalState } from '#config/local-connection.ts';
import { type Check, check } from '#functions/ops/doctor/check.ts';
import { WHY } from '#functions/ops/doctor/why.ts';

/** What stands in, on the local stage, for what only AWS can say. */
export function localChecks({ schedules }: LocalState): readonly Check[] {
  const noEngine = (name: keyof typeof WHY, what: string) =>
    check(name, WHY[name], { level: 'skip', what });
  return [
    ...Object.entries(schedules).map(([role, on]) =>
      check(`schedule-${role}`, WHY.schedule, {
        level: on ? 'ok' : 'warn',
        what: on ? `the stage ticks the ${role} function` : `the ${role} function is not ticked`,
        mend: on ? '' : `start the stage without --${role}-seconds 0`,
      }),
    ),
    noEngine('table-ttl', 'the embedded engine keeps nothing after the stage has ended'),
    noEngine('table-recovery', 'an embedded engine has no point-in-time recovery'),
    noEngine('table-protection', 'an embedded engine has no deletion protection'),
    noEngine('function-time', 'the local stage cuts no invocation off'),
    noEngine('alarm-subscriber', 'the local stage has no alarms; its findings are in status'),
  ];
}
