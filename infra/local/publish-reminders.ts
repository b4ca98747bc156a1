import type { Queue } from '#ports';
import type { FileReminder } from './reminder-file.ts';

export type Published = {
  readonly published: number;
  readonly failed: readonly { readonly line: number; readonly code: string }[];
};

const AT_ONCE = 16;

/**
 * Publishes every reminder `1 + duplicates` times, as a producer that repeats itself would: each
 * copy under a key of its own, so that the broker takes all of them.
 */
export async function publishReminders(
  queue: Pick<Queue, 'publish'>,
  reminders: readonly FileReminder[],
  duplicates: number,
  runName: string,
  onPublished: () => void,
): Promise<Published> {
  const failed: { line: number; code: string }[] = [];
  let published = 0;
  const jobs = Array.from({ length: duplicates + 1 }, (_, copy) =>
    reminders.map((entry) => ({ entry, copy })),
  ).flat();
  const next = jobs.values();
  const worker = async () => {
    for (const { entry, copy } of next) {
      const idempotencyKey = `${runName}-${entry.line}-${copy}`;
      const answer = await queue.publish({
        payload: entry.payload,
        delaySeconds: 0,
        idempotencyKey,
      });
      if (answer.kind === 'failed') failed.push({ line: entry.line, code: answer.code });
      else published += 1;
      onPublished();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { published, failed };
}
