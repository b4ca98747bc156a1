import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { parseJson } from './emulator-server.ts';

type Closable = { close(): Promise<void> };

/**
 * Runs one emulator as a program until SIGINT or SIGTERM.
 * Exit codes: 0 after a signal, 2 for a flag that cannot be understood, 1 when it cannot listen;
 * 1 and 2 with one line on standard error.
 */
export async function runEmulatorCli<Options extends object>(
  command: Command,
  start: (options: Options) => Promise<{ emulator: Closable; usage: string }>,
): Promise<void> {
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .allowExcessArguments(false)
    .configureOutput({ outputError: () => {} });
  // A reader that went away (`| head`) must not take the emulator with it.
  process.stdout.on('error', () => {});
  try {
    command.parse();
    const { emulator, usage } = await start(command.opts<Options>());
    closeOnSignal(emulator);
    process.stdout.write(`${usage}\n`);
  } catch (error) {
    process.exitCode = report(command, error);
  }
}

function report(command: Command, error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  process.stderr.write(`${command.name()}: ${line} (--help lists the flags)\n`);
  return error instanceof CommanderError ? 2 : 1;
}

function closeOnSignal(emulator: Closable): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void emulator.close().then(() => process.stdout.write('closed\n'));
    });
  }
}

/** Flags that both emulators share. */
export function emulatorCommand(name: string, description: string, port: number): Command {
  return new Command(name)
    .description(description)
    .option(
      '--port <number>',
      'port to listen on, 0 for any free one',
      wholeNumber(0, 65_535),
      port,
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--seed <number>', 'seed of ids and of faults by probability', wholeNumber(0), 1)
    .option('--latency <ms>', 'added to every answer', wholeNumber(0), 0);
}

/** A flag's parser: a whole number in a range. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `a whole number from ${min} on is allowed.`
        : `a whole number from ${min} to ${max} is allowed.`,
    );
  };
}

/**
 * `--faults`: a mix by name, the JSON of a `POST /_emulator/faults`, or `@file` with that JSON.
 * @param schema of that body
 */
export function faultsOption<Faults>(
  mixes: Readonly<Record<string, z.input<z.ZodType<Faults>>>>,
  schema: z.ZodType<Faults>,
): Option {
  const names = Object.keys(mixes).join(', ');
  return new Option(
    '--faults <mix>',
    `${names}, or the JSON (or @file) of a faults call`,
  ).argParser((text): Faults => {
    const wanted = Object.hasOwn(mixes, text) ? mixes[text] : parseJson(jsonText(text));
    if (wanted === undefined) {
      throw new InvalidArgumentError(`${names}, JSON or @file is allowed.`);
    }
    const parsed = schema.safeParse(wanted);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(z.prettifyError(parsed.error));
  });
}

function jsonText(text: string): string {
  if (!text.startsWith('@')) return text;
  try {
    return readFileSync(text.slice(1), 'utf8');
  } catch {
    throw new InvalidArgumentError(`the file ${text.slice(1)} cannot be read.`);
  }
}
