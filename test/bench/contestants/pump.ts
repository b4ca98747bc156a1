import type { Queue, QueueMessage } from '#ports';

/** As many as the product's drain keeps going, so that no contestant starves for messages. */
const PULLS_AT_ONCE = 8;
const BATCH = 10;

/** Keeps up to `slots` messages in hand until the queue is empty; ends with nothing under way. */
export async function pump(
  queue: Queue,
  slots: number,
  deliver: (message: QueueMessage) => Promise<void>,
): Promise<void> {
  let free = slots;
  let pulls = 0;
  let empty = false;
  let fault: unknown;
  const done = Promise.withResolvers<void>();

  async function pull(wanted: number): Promise<void> {
    const answer = await queue.consume({ maxMessages: wanted, visibilityTimeoutSeconds: 60 });
    if (answer.kind === 'failed') throw new Error(`a pull failed: ${answer.code}`);
    if (answer.messages.length === 0) empty = true;
    free += wanted - answer.messages.length;
    for (const message of answer.messages) {
      deliver(message).then(freed, failed);
    }
  }
  function freed(): void {
    free += 1;
    next();
  }
  function failed(error: unknown): void {
    fault ??= error;
    empty = true;
    freed();
  }
  function next(): void {
    while (!empty && pulls < PULLS_AT_ONCE && free >= Math.min(BATCH, Math.ceil(slots / 2))) {
      const wanted = Math.min(BATCH, free);
      free -= wanted;
      pulls += 1;
      pull(wanted)
        .catch((error: unknown) => {
          fault ??= error;
          empty = true;
          free += wanted;
        })
        .finally(() => {
          pulls -= 1;
          next();
        });
    }
    if (!empty || pulls > 0 || free < slots) return;
    if (fault === undefined) done.resolve();
    else done.reject(fault);
  }
  next();
  return done.promise;
}
