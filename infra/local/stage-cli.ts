import { Command, InvalidArgumentError, Option } from 'commander';
import type { Tally } from '#app/tally.ts';
import { LOCAL_CONNECTION_FILE, LOCAL_CONNECTION_VARIABLE } from '#config/local-connection.ts';
import { parseInstant } from '#core/instant.ts';
import { BLIND_POLICIES, PROVIDER_CLASSES } from '#core/send-result.ts';
import { FAULT_MIXES, type FaultMixName } from './fault-mix.ts';
import { reportCliError } from './report-cli-error.ts';
import { RunningStage, type StageView } from './running-stage.ts';
import type { StageOptions } from './stage.ts';

const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

type Flags = {
  engine: StageOptions['engine'];
  class: StageOptions['providerClass'];
  blindPolicy: StageOptions['blindPolicy'];
  faults: FaultMixName;
  seed: number;
  now?: number;
  useByHours: number;
  consumers: number;
  concurrency: number;
  consumerSeconds: number;
  redriveSeconds: number;
  statsSeconds: number;
  log: string;
  connection: string;
};

function number(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`allowed: a number from ${min} to ${max}`);
  };
}

function instant(text: string): number {
  const parsed = parseInstant(text);
  if (parsed.ok) return parsed.instant.epochMs;
  throw new InvalidArgumentError(`allowed: an RFC 3339 instant with offset (${parsed.fault})`);
}

function createProgram(): Command {
  return new Command('npm run stage --')
    .description(
      'A local stage that keeps running: emulated queue and provider, embedded DynamoDB, the three functions ticked. Work on it with: npm run ops -- --local <command>',
    )
    .addOption(
      new Option('--engine <engine>', 'the embedded DynamoDB; dynamodb-local needs Java 17')
        .choices(['dynalite', 'dynamodb-local'])
        .default('dynalite'),
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
    .addOption(new Option('--faults <mix>', 'what goes wrong').choices(FAULT_MIXES).default('calm'))
    .option('--seed <n>', 'of everything that is drawn at random', number(0, 2 ** 31), 1)
    .option('--now <instant>', "where the stage's clock starts (default: the wall clock)", instant)
    .option('--use-by-hours <n>', 'never send a reminder later than this', number(1, 87_600), 48)
    .option('--consumers <n>', 'consumers that may overlap', number(1, 32), 2)
    .option('--concurrency <n>', 'sends at once per channel and consumer', number(1, 512), 8)
    .option('--consumer-seconds <n>', 'between two ticks; 0: off', number(0, 3600), 1)
    .option('--redrive-seconds <n>', 'between two ticks; 0: off', number(0, 3600), 30)
    .option('--stats-seconds <n>', 'between two ticks; 0: off', number(0, 3600), 10)
    .option('--log <file>', "where the functions' log lines go", 'reports/stage.log')
    .option(
      '--connection <file>',
      `what --local reads (also by ${LOCAL_CONNECTION_VARIABLE})`,
      process.env[LOCAL_CONNECTION_VARIABLE] ?? LOCAL_CONNECTION_FILE,
    )
    .allowExcessArguments(false)
    .exitOverride();
}

function createView(write: (text: string) => void): StageView {
  let open = '';
  const line = (text: string) => write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  return {
    consumed: (tally) => line(`consumer: ${consumedWords(tally)}`),
    redriven: (summary) => line(`redrive: ${summary}`),
    judged(findings) {
      const codes = findings.map(({ code, severity }) => `${code} (${severity})`).join(', ');
      if (codes !== open) line(`stats: ${codes === '' ? 'all well' : codes}`);
      open = codes;
    },
    problem: (text) => line(`! ${text}`),
  };
}

function consumedWords({ deliveries, outcomes }: Tally): string {
  const parts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  return `${deliveries} deliveries: ${parts.join(', ')}`;
}

async function main(argv: readonly string[]): Promise<void> {
  const program = createProgram();
  program.parse(argv, { from: 'user' });
  const flags = program.opts<Flags>();
  const write = (text: string) => void process.stdout.write(text);
  const every = (seconds: number) => (seconds === 0 ? null : seconds * 1000);
  const running = await RunningStage.open(
    {
      engine: flags.engine,
      seed: flags.seed,
      providerClass: flags.class,
      blindPolicy: flags.blindPolicy,
      faults: flags.faults,
      useBySeconds: flags.useByHours * 3600,
      consumers: flags.consumers,
      concurrency: flags.concurrency,
      live: null,
      logPath: flags.log,
      offsetMs: flags.now === undefined ? 0 : flags.now - Date.now(),
      every: {
        consumer: every(flags.consumerSeconds),
        redrive: every(flags.redriveSeconds),
        stats: every(flags.statsSeconds),
      },
      connectionPath: flags.connection,
    },
    createView(write),
  );
  write(
    `The local stage runs (${flags.engine}, provider ${flags.class}). Its lines: ${flags.log}\n`,
  );
  write('In another terminal: npm run ops -- status --local\nEnd it with Ctrl-C.\n');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      write('closing\n');
      running.close().then(
        () => process.exit(EXIT.ok),
        () => process.exit(EXIT.failed),
      );
    });
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportCliError(error, EXIT);
}
