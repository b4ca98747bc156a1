/**
 * The exit code of a command that failed, its one line on standard error. Commander has already
 * said what is wrong with a flag, or printed the help that was asked for.
 */
export function reportCliError(
  error: unknown,
  exit: { readonly ok: number; readonly usage: number; readonly failed: number },
): number {
  const { code, exitCode, message } = error as {
    code?: string;
    exitCode?: number;
    message: string;
  };
  if (code?.startsWith('commander.')) return exitCode === 0 ? exit.ok : exit.usage;
  process.stderr.write(`error: ${message.replaceAll('\n', ' ')}\n`);
  return exit.failed;
}
