import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_PIPELINE } from '#config/metrics.ts';

export function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`allowed: a whole number from ${min} to ${max}`);
  };
}

export function amount(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`allowed: a number from ${min} to ${max}`);
  };
}

/** Codes go into rows, logs and findings: no free text, so that no id can slip in. */
export function reasonCode(text: string): string {
  if (/^[A-Z][A-Z0-9_]{2,47}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'allowed: a code such as PROVIDER_OUTAGE ([A-Z][A-Z0-9_]*, 3 to 48)',
  );
}

/** Who acts, as it is shown to colleagues: a name for the shift rather than a person's address. */
export function actor(text: string): string {
  if (/^[A-Za-z][\w.-]{0,39}$/.test(text)) return text;
  throw new InvalidArgumentError('allowed: a short name ([A-Za-z0-9_.-], at most 40)');
}

export function label(text: string): string {
  if (/^[a-z0-9-]{1,32}$/.test(text)) return text;
  throw new InvalidArgumentError('allowed: a label ([a-z0-9-], at most 32)');
}

export function name(text: string): string {
  if (/^[A-Za-z][\w-]{0,127}$/.test(text)) return text;
  throw new InvalidArgumentError('allowed: a name ([A-Za-z][A-Za-z0-9_-]*)');
}

/** The flags of every command. */
export function addCommonFlags(program: Command): Command {
  return program
    .option('--stage <name>', 'an installation in AWS, by its stage', name)
    .option('--local', 'the local stage that runs on this machine (npm run stage)')
    .option('--pipeline <name>', 'which pipeline of the account', name, DEFAULT_PIPELINE)
    .option('--stack <name>', 'its service stack, where it is not <pipeline>-<stage>-service', name)
    .option('--region <name>', 'AWS region (default: AWS_REGION)', name)
    .option('--profile <name>', 'AWS profile (default: AWS_PROFILE)')
    .option('--json', 'one JSON document on standard output')
    .option('--yes', 'do not ask before anything that sends or loses')
    .option('--no-color', 'no colour (so does NO_COLOR)');
}

/** The flags that name one reminder occurrence. */
export function addOccurrenceFlags(command: Command): Command {
  return command
    .option('--key <k1_…>', 'its send key, as in log lines')
    .option('--user <id>', 'its user; the key is computed here, the id goes nowhere')
    .option('--reminder <id>', 'its reminder id')
    .option('--at <instant>', 'its instant, RFC 3339 with offset')
    .option('--order <id>', 'its order id, where that is part of the key')
    .option('--channel <name>', 'its channel (default: the pipeline’s)');
}

/** The flags that choose among dead letters. */
export function addFilterFlags(command: Command): Command {
  return command
    .option('--key <k1_…>', 'only this send key')
    .option('--user <id>', 'only this user; compared by keyed reference')
    .option('--reminder <id>', 'only this reminder id')
    .option('--channel <name>', 'only this channel')
    .option('--state <state>', 'only rows in this state (NONE: no row, INVALID: no key)')
    .option('--reason <code>', 'only rows with this reason')
    .option('--older-than <instant>', 'only reminders due before this instant');
}

export function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}
