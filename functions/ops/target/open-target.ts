import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { CommonFlags } from '#functions/ops/session.ts';
import type { Target } from './target.ts';

/** Finds the installation that the flags mean. The AWS side is loaded only when it is asked for. */
export async function openTarget(
  flags: CommonFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Target> {
  const { local, stage } = flags;
  if (local === true && stage !== undefined) {
    throw new OpsError(EXIT.usage, 'USAGE', '--stage and --local exclude each other; give one');
  }
  if (local === true) {
    const { openLocalTarget } = await import('./local-target.ts');
    return openLocalTarget(env);
  }
  if (stage === undefined) {
    throw new OpsError(
      EXIT.usage,
      'USAGE',
      'no target; give --stage <name> for an installation in AWS, or --local for a running local stage',
    );
  }
  const { openAwsTarget } = await import('./aws-target.ts');
  return openAwsTarget({ ...flags, stage });
}
