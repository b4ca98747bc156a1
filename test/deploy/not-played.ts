/** What the deployment suite cannot show, and why. Printed with its results. */
export const NOT_PLAYED: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: "CloudFormation's own handling of tables, secrets, schedules, alarms, asynchronous invocation, subscriptions and policies",
    why: "moto's CloudFormation skips these types; the bridge beside the suite hands their properties to moto's services as they are, so values are checked and update rules are not",
  },
  {
    what: 'references between stacks',
    why: 'the bridge looks an output up as Fn::GetStackOutput does; moto lets an export go that is in use, so that there is none is asserted in the template',
  },
  {
    what: 'deployment by change set',
    why: 'moto executes one without refreshing outputs and exports, so the suite deploys with --method=direct',
  },
  {
    what: 'rollback of a deployment that fails half-way',
    why: 'moto has no rollback: a stack that fails is left as it was at the fault',
  },
  {
    what: 'refusal of permissions',
    why: 'moto allows every caller everything unless asked otherwise; policies are asserted in the templates',
  },
  {
    what: 'invocation by a schedule, dropped ticks, failure destinations',
    why: 'moto keeps schedules and asynchronous settings but never acts on them, and runs functions in Docker only; the bundle suite runs the artefacts',
  },
  {
    what: "a function's processor and its log group",
    why: "moto's CloudFormation hands on neither; the templates are asserted",
  },
  {
    what: 'TTL, recovery to a point in time',
    why: 'moto keeps the settings and does nothing by them',
  },
  {
    what: 'alarms that change state, mail',
    why: 'moto evaluates no alarm and sends nothing; the alarm suite simulates them',
  },
  {
    what: 'quotas: concurrency left in the account, size of the environment',
    why: 'moto has none; the 4 KB of a function are checked at synthesis',
  },
  {
    what: "the bootstrap bucket's policy",
    why: "moto's CloudFormation skips it; it belongs to the tool",
  },
  {
    what: 'import of a retained table into a stack',
    why: 'moto knows no change set of type IMPORT; the suite adopts the table by name',
  },
];
