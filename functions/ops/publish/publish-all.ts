import type { Clock, Queue } from '#ports';
import type { Publishable } from './plan-publish.ts';

export type Publication = {
  readonly published: number;
  /** The queue said that it has taken this key before, with another body. */
  readonly alreadyPublished: number;
  readonly failed: readonly { readonly line: number; readonly code: string }[];
  /** Not tried any more: after the first refusal that no repeat mends, or after too many. */
  readonly notTried: number;
};

export type PublishPace = {
  readonly ratePerSecond: number;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Called as soon as the queue has answered for one. */
  readonly onTaken: (one: Publishable) => void;
  readonly onStep: () => void;
  readonly interrupted: () => boolean;
};

const AT_ONCE = 8;
/** So many refusals in a row are the queue's trouble, not the reminders'. */
const MAX_FAILURES_IN_A_ROW = 5;
/** No repeat brings credit, and no other reminder will be let in with this key. */
const HOPELESS =
  /^(INSUFFICIENT_CREDIT|HTTP_40[123]|UNAUTHORIZED|FORBIDDEN|SECRET_\w+|QUEUE_NOT_FOUND)$/;

/** Publishes all, some at once, no faster than the pace. Stops early rather than fail a thousand. */
export async function publishAll(
  queue: Pick<Queue, 'publish'>,
  reminders: readonly Publishable[],
  pace: PublishPace,
): Promise<Publication> {
  const { clock, ratePerSecond } = pace;
  const failed: { line: number; code: string }[] = [];
  let published = 0;
  let alreadyPublished = 0;
  let failuresInARow = 0;
  let hopeless = false;
  let nextAt = clock.now();

  /** Takes the next place in time before it waits, so that waiters never share one. */
  async function turn(): Promise<void> {
    const at = Math.max(nextAt, clock.now());
    nextAt = at + 1000 / ratePerSecond;
    const waitMs = at - clock.now();
    if (waitMs > 0) await clock.sleep(waitMs);
  }
  const stop = () => hopeless || failuresInARow >= MAX_FAILURES_IN_A_ROW || pace.interrupted();

  const rest = reminders.values();
  async function worker(): Promise<void> {
    while (!stop()) {
      const { value: one, done } = rest.next();
      if (done) return;
      await turn();
      const { payload, delaySeconds, idempotencyKey } = one;
      const answer = await queue.publish({ payload, delaySeconds, idempotencyKey });
      pace.onStep();
      if (answer.kind === 'failed') {
        failed.push({ line: one.line, code: answer.code });
        failuresInARow += 1;
        hopeless ||= HOPELESS.test(answer.code);
        nextAt = Math.max(nextAt, clock.now() + (answer.retryAfterSeconds ?? 0) * 1000);
        continue;
      }
      failuresInARow = 0;
      if (answer.kind === 'published') published += 1;
      else alreadyPublished += 1;
      pace.onTaken(one);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const notTried = reminders.length - published - alreadyPublished - failed.length;
  return { published, alreadyPublished, failed, notTried };
}
