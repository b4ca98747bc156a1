import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from '#functions/ops/exit-codes.ts';
import { oneLine } from '#functions/ops/ops-error.ts';
import { Output, type Terminal } from '#functions/ops/output.ts';
import { createProgram } from '#functions/ops/program.ts';
import { type CommonFlags, Session } from '#functions/ops/session.ts';

/** Parses and runs one command line. Never throws; answers the exit code. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  const program = createProgram(async (name, flags, run) => {
    const common = flags as CommonFlags;
    const out = new Output(terminal, { json: common.json === true, color: common.color });
    const session = new Session(terminal, out, common);
    try {
      const ran = await run(session);
      exit = ran.exit;
      out.document({ command: name, ...(await session.where()), exitCode: exit, ...ran.data });
      ran.show(out);
    } catch (error) {
      const { exit: code, ...fault } = oneLine(error);
      exit = code;
      out.document({ command: name, exitCode: code, error: fault });
      out.error(fault.message);
    }
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      // Commander puts its suggestion on a second line.
      outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, ' ')}\n`),
    });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    // Commander has already said what is wrong, or printed the help that was asked for.
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exit;
}
