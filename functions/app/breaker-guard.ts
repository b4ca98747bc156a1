import { changeBreaker } from '#app/breaker-control.ts';
import { BreakerWatch } from '#app/breaker-watch.ts';
import { type Breaker, planRun, type RunPlan, resumeIfDue } from '#core/breaker.ts';
import { type Evidence, withEvidence } from '#core/breaker-evidence.ts';
import type { Clock, ControlStore, Telemetry } from '#ports';

export type GuardDeps = {
  readonly controls: ControlStore;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'log' | 'count'>;
  /** The configured sends at once per channel. */
  readonly concurrency: number;
  /** Metric that counts trips. */
  readonly tripsMetric: string;
};

export type GuardedRun =
  | { readonly kind: 'go'; readonly plan: RunPlan; readonly watch: BreakerWatch }
  | { readonly kind: 'paused'; readonly breaker: Breaker }
  /** Fails closed: an open breaker that cannot be read must not look like a closed one. */
  | { readonly kind: 'unreadable'; readonly code: string };

/**
 * The breaker's place in one consumer environment: asked once before a run starts. It remembers
 * evidence that could not be written, so that an environment whose trip was lost with an unwell
 * ledger consumes nothing more until the ledger has taken it.
 */
export class BreakerGuard {
  readonly #deps: GuardDeps;
  #unsaved: readonly Evidence[] = [];

  constructor(deps: GuardDeps) {
    this.#deps = deps;
  }

  /** One consistent read; a write only when a pause is over or evidence was left unsaved. */
  async start(): Promise<GuardedRun> {
    const { controls, clock, concurrency } = this.#deps;
    const now = clock.now();
    const unsaved = this.#unsaved;
    const answer = await changeBreaker(controls, (breaker) =>
      unsaved.reduce(withEvidence, resumeIfDue(breaker, now)),
    );
    if (answer.kind === 'failed') return { kind: 'unreadable', code: answer.code };
    this.#unsaved = [];
    const { breaker, version } = answer;
    const plan = planRun(breaker, concurrency, now);
    if (plan === null) return { kind: 'paused', breaker };
    const keep = (evidence: readonly Evidence[]) => {
      this.#unsaved = [...this.#unsaved, ...evidence];
    };
    const watch = new BreakerWatch(this.#deps, { breaker, version, plan }, keep);
    return { kind: 'go', plan, watch };
  }
}
