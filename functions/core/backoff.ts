/**
 * Waits between attempts, seconds: 1 m, 5 m, 15 m, 1 h, 6 h. Together with their jitter they span
 * a provider's bad day without passing most reminders' use-by time.
 */
export const DEFAULT_LADDER_SECONDS = [60, 300, 900, 3600, 21_600] as const;

/** The queue delays a message by at most 7 days; a longer wait takes several hops. */
export const MAX_DELAY_SECONDS = 604_800;

/**
 * Full jitter (a wait drawn from 0 to the step) spreads a thundering herd best; the floor keeps a
 * small draw from turning into a hot loop.
 */
const MIN_WAIT_SECONDS = 1;

export type BackoffRequest = {
  /** 0 after the first attempt of the present budget. */
  readonly step: number;
  readonly ladderSeconds: readonly number[];
  /** The provider's own wish: a floor, capped by the ladder's last step. */
  readonly retryAfterSeconds?: number | undefined;
  /** 0 ≤ x < 1 */
  readonly fraction: number;
};

/** Whole seconds until the next attempt. */
export function backoffSeconds(request: BackoffRequest): number {
  const { ladderSeconds, fraction } = request;
  const cap = Math.min(Math.max(...ladderSeconds), MAX_DELAY_SECONDS);
  const step = ladderSeconds[Math.min(request.step, ladderSeconds.length - 1)] ?? cap;
  const drawn = Math.max(MIN_WAIT_SECONDS, Math.ceil(step * fraction));
  const floor = Math.ceil(Math.min(request.retryAfterSeconds ?? 0, cap));
  return Math.max(drawn, floor);
}

/** The delay of the next publish towards `until`: whole seconds, at most one hop. */
export function hopDelaySeconds(until: number, now: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil((until - now) / 1000)));
}
