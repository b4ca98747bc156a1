import { errorName, RemindOnceError } from '#core/errors.ts';
import { EXIT, type ExitCode } from '#functions/ops/exit-codes.ts';

/** An end that the operator can do something about; the message is one line. */
export class OpsError extends RemindOnceError {
  readonly exit: ExitCode;

  constructor(exit: ExitCode, code: string, message: string) {
    super(code, message);
    this.name = 'OpsError';
    this.exit = exit;
  }
}

export type OneLineError = {
  readonly exit: ExitCode;
  readonly code: string;
  readonly message: string;
};

/**
 * Anything thrown as one line. Our own errors are written to be read; of any other only its name is
 * safe to show, since its text may hold a header or a payload.
 */
export function oneLine(error: unknown): OneLineError {
  const code = errorName(error);
  if (error instanceof Error && /^(OpsError|RemindOnceError|ConfigError)$/.test(error.name)) {
    const exit = error instanceof OpsError ? error.exit : EXIT.target;
    return { exit, code, message: error.message.replace(/:\n\s*/g, ': ').replace(/\n\s*/g, '; ') };
  }
  return {
    exit: EXIT.bug,
    code: 'UNEXPECTED',
    message: `the command ended unexpectedly with ${code}; this is a bug to report`,
  };
}
