import { Argument, Command } from 'commander';
import { DECISIONS } from '#functions/ops/decisions.ts';
import {
  actor,
  addCommonFlags,
  addFilterFlags,
  addOccurrenceFlags,
  amount,
  choice,
  label,
  reasonCode,
  whole,
} from '#functions/ops/flags.ts';
import { FILE_FORMATS } from '#functions/ops/publish/reminder-source.ts';
import type { Ran, Session } from '#functions/ops/session.ts';

/** Runs one parsed command; the program only says which and with what. */
export type RunCommand = (
  name: string,
  flags: object,
  run: (session: Session) => Promise<Ran>,
) => Promise<void>;

/** The whole command line. Each command's module is loaded only when it runs. */
export function createProgram(runCommand: RunCommand): Command {
  const program = addCommonFlags(
    new Command('remind-once')
      .description('Operate Remind Once: look, publish, redrive, decide, pause, check')
      .configureHelp({ showGlobalOptions: true })
      .allowExcessArguments(false),
  );
  const add = <Flags>(
    name: string,
    description: string,
    load: () => Promise<(session: Session, flags: Flags) => Promise<Ran>>,
  ): Command => {
    const command = program
      .command(name)
      .description(description)
      .configureHelp({ showGlobalOptions: true })
      .allowExcessArguments(false);
    return command.action(async () => {
      const flags = { ...command.optsWithGlobals(), arguments: command.processedArgs };
      await runCommand(name, flags, async (session) => (await load())(session, flags as Flags));
    });
  };
  addLooking(add);
  addMoving(add);
  addDeciding(add);
  return program;
}

type Add = <Flags>(
  name: string,
  description: string,
  load: () => Promise<(session: Session, flags: Flags) => Promise<Ran>>,
) => Command;

function addLooking(add: Add): void {
  add(
    'status',
    'one screen: is it consuming, what waits, what is wrong, what next',
    async () => (await import('./commands/status.ts')).status,
  );
  addOccurrenceFlags(
    add(
      'explain',
      'the life of one reminder, and what its next delivery would do',
      async () => (await import('./commands/explain.ts')).explain,
    ),
  );
  addFilterFlags(
    add(
      'dead-letters',
      'what lies in the dead-letter queue, grouped by reason; reading leases what it reads',
      async () => (await import('./commands/redrive.ts')).deadLetters,
    ),
  );
  add(
    'unknowns',
    'sends whose outcome is unknown, oldest first',
    async () => (await import('./commands/unknowns.ts')).unknowns,
  )
    .option('--limit <n>', 'rows to list', whole(1, 10_000), 50)
    .option('--parked', 'only those that rest for a decision');
  add(
    'doctor',
    'check a configuration before it is trusted',
    async () => (await import('./commands/doctor.ts')).doctor,
  );
  add(
    'prove',
    'run the crash and replay proofs and keep their report (in a clone of the repository)',
    async () => (await import('./commands/prove.ts')).prove,
  )
    .option('--seed <n>', 'of every random choice', whole(0, 999_999_999))
    .option('--short', 'the shorter form that CI runs')
    .option('--part <name...>', 'only these parts')
    .option('--report <file>', 'Markdown, and JSON beside it', 'reports/proof.md');
  add(
    'cost',
    'what the last day cost and a million reminders would, with the arithmetic',
    async () => (await import('./commands/cost.ts')).cost,
  );
}

function addMoving(add: Add): void {
  add(
    'publish',
    'publish reminders from flags or a file; a repeat publishes only what is new',
    async () => (await import('./commands/publish.ts')).publish,
  )
    .option('--file <path>', 'reminders, one JSON object a line, or CSV with a head line')
    .addOption(choice('--format <format>', 'default: by the file’s ending', FILE_FORMATS))
    .option('--user <id>', 'a single reminder: its user')
    .option('--reminder <id>', 'its reminder id')
    .option('--at <instant>', 'its instant, RFC 3339 with offset')
    .option('--channel <name>', 'its channel')
    .option('--order <id>', 'its order id')
    .option('--use-by <instant>', 'never send it after this')
    .option('--version <n>', 'its content version', whole(0, 1_000_000_000))
    .option('--data <json>', 'its data, a JSON object')
    .option('--delay <seconds>', 'default: until its instant', whole(0, 604_800))
    .option('--rate <n>', 'publishes a second, at most', amount(0.1, 1000), 20)
    .option('--again <label>', 'publish although it was published before', label)
    .option('--journal <folder>', 'where this machine notes what it has published', 'reports')
    .option('--dry-run', 'check and price only');
  addFilterFlags(
    add(
      'redrive',
      'dead letters back to the queue: the plan, or with --go the deed',
      async () => (await import('./commands/redrive.ts')).redrive,
    ),
  )
    .option('--go', 'do it')
    .option('--max <n>', 'dead letters that go back, at most', whole(1, 10_000))
    .option('--rate <n>', 'dead letters a second', amount(0.1, 100))
    .option('--canary <n>', 'dead letters per channel that go first; 0: none', whole(0, 100))
    .option('--force', 'also what a cap, a conflict or an invalid payload holds back');
}

function addDeciding(add: Add): void {
  addOccurrenceFlags(
    add(
      'resolve',
      'write your decision about an unknown outcome into its row',
      async () => (await import('./commands/resolve.ts')).resolve,
    ).addArgument(new Argument('<decision>', 'what you found out').choices(DECISIONS)),
  )
    .option('--receipt <id>', 'sent: the provider’s own id, as seen there')
    .option('--reason <words>', 'how you know; scrubbed, and kept in the row’s history');
  const why = (command: Command) =>
    command
      .option('--reason <CODE>', 'why, as a code', reasonCode, 'OPERATOR')
      .option('--by <name>', 'who', actor, 'operator');
  why(
    add(
      'pause',
      'stop all consumption, or one channel; nothing is lost',
      async () => (await import('./commands/pause.ts')).pause,
    ),
  ).option('--channel <name>', 'only this channel');
  why(
    add(
      'resume',
      'consume again, slowly; or open one channel',
      async () => (await import('./commands/pause.ts')).resume,
    ),
  )
    .option('--concurrency <n>', 'sends at once per channel to begin with', whole(1, 512))
    .option('--channel <name>', 'only this channel');
}
