import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';

/**
 * What this machine has published to one installation: one idempotency key a line (keyed hashes, no
 * id), appended as soon as the queue has taken it. The queue collapses a repeat for 24 hours and
 * answers it like a first publish, so only this says what was new, at any time later; and a run
 * that was ended goes on where it stopped.
 */
export class PublishedJournal {
  readonly path: string;
  readonly #known: Set<string>;

  private constructor(path: string, known: Set<string>) {
    this.path = path;
    this.#known = known;
  }

  /** @throws OpsError JOURNAL_UNREADABLE */
  static open(folder: string, targetId: string): PublishedJournal {
    const path = join(folder, `published-${targetId}.log`);
    try {
      mkdirSync(dirname(path), { recursive: true });
      return new PublishedJournal(path, new Set(read(path)));
    } catch (error) {
      const { code = 'error' } = error as NodeJS.ErrnoException;
      throw new OpsError(
        EXIT.usage,
        'JOURNAL_UNREADABLE',
        `${path} can be neither read nor made (${code}); give another --journal folder; nothing was published`,
      );
    }
  }

  has(idempotencyKey: string): boolean {
    return this.#known.has(idempotencyKey);
  }

  add(idempotencyKey: string): void {
    this.#known.add(idempotencyKey);
    appendFileSync(this.path, `${idempotencyKey}\n`, { mode: 0o600 });
  }
}

function read(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
