import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';

/** A port's `failed` answer as the command's end. */
export function backendFailure(what: string, code: string): OpsError {
  return new OpsError(
    EXIT.backend,
    code,
    `${what} did not work: ${code}; nothing more was done. Look at: doctor`,
  );
}
