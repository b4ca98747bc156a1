import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Terminal } from '#functions/ops/output.ts';

/**
 * Asks before anything that sends or loses. Without a person at the terminal only `--yes` is an
 * answer: a script must say that it means it.
 * @param what the consequence, a whole sentence
 * @throws OpsError NOT_CONFIRMED, and nothing is done
 */
export async function confirm(
  { stdin, stderr }: Terminal,
  what: string,
  yes: boolean,
): Promise<void> {
  if (yes) return;
  if (stdin.isTTY !== true || stderr.isTTY !== true) {
    throw new OpsError(
      EXIT.refused,
      'NOT_CONFIRMED',
      `${what} Nothing was done, because nobody can be asked here; add --yes to go on.`,
    );
  }
  stderr.write(`${what}\nType yes to go on: `);
  const input = createInterface({ input: stdin });
  const [answer] = await Promise.race([once(input, 'line'), once(input, 'close')]);
  input.close();
  if (String(answer ?? '').trim() === 'yes') return;
  throw new OpsError(EXIT.refused, 'NOT_CONFIRMED', 'not confirmed; nothing was done');
}
