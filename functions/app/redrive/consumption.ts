import { readBreaker } from '#app/breaker-control.ts';
import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import { planRun, resumeIfDue } from '#core/breaker.ts';

/** What the breaker lets the consumer do with a redriven reminder. */
export type Consumption =
  | {
      readonly kind: 'known';
      /**
       * Why nothing is consumed; null while it is. A paused consumer reads nothing, so that dead
       * letters would only change queues; and nothing is acked while the ledger's SENT is in doubt.
       */
      readonly pausedReason: string | null;
      /** Channels whose credentials were refused, with the provider's code. */
      readonly stopped: ReadonlyMap<string, string>;
    }
  /** An open breaker that cannot be read must not look like a closed one. */
  | { readonly kind: 'failed'; readonly code: string };

export async function readConsumption(
  deps: Pick<RedriveDeps, 'controls' | 'clock'>,
): Promise<Consumption> {
  const answer = await readBreaker(deps.controls);
  if (answer.kind === 'failed') return answer;
  const now = deps.clock.now();
  const breaker = resumeIfDue(answer.breaker, now);
  const plan = planRun(breaker, 1, now);
  return plan === null
    ? { kind: 'known', pausedReason: breaker.reason, stopped: new Map() }
    : { kind: 'known', pausedReason: null, stopped: plan.stopped };
}
