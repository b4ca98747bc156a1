import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { RemindOnceError } from '#core/errors.ts';
import { BLIND_POLICIES, PROVIDER_CLASSES } from '#core/send-result.ts';
import { wholeNumber } from './emulator-cli.ts';
import { FAULT_MIXES } from './fault-mix.ts';
import { generateReminders } from './generate-reminders.ts';
import { type LocalRunOptions, runLocally } from './local-run.ts';
import { LOCAL_DEFAULT_CHANNEL, LOCAL_QUEUE } from './local-settings.ts';
import { type ReminderFile, readReminderFile } from './reminder-file.ts';
import { reportCliError } from './report-cli-error.ts';
import { createRunScreen, renderFigures, renderFindings, renderVerdict } from './run-screen.ts';
import { seededRandom } from './seeded-random.ts';
import type { LiveQueue } from './stage.ts';

const EXIT = { ok: 0, violation: 1, usage: 2, unfinished: 3 } as const;
const SAMPLE_FILE = 'test/fixtures/reminders.ndjson';

type Flags = {
  file?: string;
  count?: number;
  duplicates: number;
  faults: LocalRunOptions['faults'];
  class: LocalRunOptions['providerClass'];
  blindPolicy: LocalRunOptions['blindPolicy'];
  seed: number;
  engine: LocalRunOptions['engine'];
  consumers: number;
  concurrency: number;
  maxSeconds: number;
  useByHours?: number;
  report?: string;
  log: string;
  live: boolean;
  queue: string;
};

function createProgram(): Command {
  return new Command('npm run local --')
    .description(
      'Publish reminders, tick the real consumer against emulators, count what came of it',
    )
    .option('--file <path>', `reminders, one JSON object a line (default: ${SAMPLE_FILE})`)
    .option('--count <n>', 'made-up reminders instead of a file', wholeNumber(1, 1_000_000))
    .option(
      '--duplicates <n>',
      'publish each reminder this many times more',
      wholeNumber(0, 100),
      0,
    )
    .addOption(
      new Option('--faults <mix>', 'what goes wrong').choices(FAULT_MIXES).default('flaky'),
    )
    .addOption(
      new Option('--class <class>', 'what the provider can do')
        .choices(PROVIDER_CLASSES)
        .default('dedupes'),
    )
    .addOption(
      new Option('--blind-policy <policy>', 'after an unknown outcome of a blind provider')
        .choices(BLIND_POLICIES)
        .default('park'),
    )
    .option('--seed <n>', 'of everything that is drawn at random', wholeNumber(0, 2 ** 31), 1)
    .addOption(
      new Option('--engine <engine>', 'the embedded DynamoDB; dynamodb-local needs Java 17')
        .choices(['dynalite', 'dynamodb-local'])
        .default('dynalite'),
    )
    .option('--consumers <n>', 'consumers that may overlap', wholeNumber(1, 32), 3)
    .option('--concurrency <n>', 'sends at once per channel and consumer', wholeNumber(1, 512), 8)
    .option(
      '--max-seconds <n>',
      'stop waiting for an empty queue after this',
      wholeNumber(1, 3600),
      50,
    )
    .option('--use-by-hours <n>', 'never send a reminder later than this', wholeNumber(1, 87_600))
    .option('--report <file>', 'write the figures as JSON')
    .option('--log <file>', "where the consumers' log lines go", 'reports/local.log')
    .option('--live', 'use the real queue (INFRAI_API_KEY, INFRAI_BASE_URL)', false)
    .option('--queue <name>', 'the real queue of --live; it must exist', LOCAL_QUEUE)
    .allowExcessArguments(false)
    .exitOverride();
}

async function readInput(flags: Flags): Promise<ReminderFile> {
  if (flags.count !== undefined && flags.file !== undefined) {
    throw new RemindOnceError('USAGE', '--file and --count exclude each other; give one of them');
  }
  if (flags.count !== undefined) {
    const reminders = generateReminders(flags.count, seededRandom(flags.seed));
    return { lines: flags.count, reminders, bad: [] };
  }
  const input = await readReminderFile(flags.file ?? SAMPLE_FILE, LOCAL_DEFAULT_CHANNEL);
  if (input.reminders.length > 0) return input;
  const first = input.bad[0];
  const detail = first === undefined ? 'it is empty' : `line ${first.line}: ${first.reason}`;
  throw new RemindOnceError('NO_REMINDERS', `${flags.file} holds no valid reminder (${detail})`);
}

function liveQueue(flags: Flags): LiveQueue | null {
  if (!flags.live) return null;
  const apiKey = process.env['INFRAI_API_KEY'] ?? '';
  if (apiKey.trim() === '') {
    throw new RemindOnceError('USAGE', '--live needs INFRAI_API_KEY; export it and run again');
  }
  const url = process.env['INFRAI_BASE_URL'] ?? 'https://api.infrai.cc';
  return { url, apiKey, name: flags.queue };
}

async function main(argv: readonly string[]): Promise<number> {
  const program = createProgram();
  program.parse(argv, { from: 'user' });
  const flags = program.opts<Flags>();
  const live = liveQueue(flags);
  const input = await readInput(flags);
  const screen = createRunScreen(process.stdout);
  for (const { line, reason } of input.bad) {
    screen.problem(`line ${line} is no valid reminder: ${reason} (left out)`);
  }
  const figures = await runLocally(
    {
      input,
      live,
      duplicates: flags.duplicates,
      faults: flags.faults,
      providerClass: flags.class,
      blindPolicy: flags.blindPolicy,
      seed: flags.seed,
      engine: flags.engine,
      consumers: flags.consumers,
      concurrency: flags.concurrency,
      maxSeconds: flags.maxSeconds,
      useBySeconds: flags.useByHours === undefined ? null : flags.useByHours * 3600,
      tickMs: 300,
      logPath: flags.log,
    },
    screen,
  );
  screen.end();
  const parts = [renderFigures(figures), renderFindings(figures), renderVerdict(figures)];
  process.stdout.write(`${parts.join('\n')}\n`);
  process.stdout.write(`One line per delivery: ${flags.log}\n`);
  if (flags.report !== undefined) {
    mkdirSync(dirname(flags.report), { recursive: true });
    writeFileSync(flags.report, `${JSON.stringify(figures, null, 2)}\n`);
  }
  if (figures.verdict === 'ok') return EXIT.ok;
  return figures.verdict === 'unfinished' ? EXIT.unfinished : EXIT.violation;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportCliError(error, { ...EXIT, failed: EXIT.usage });
}
