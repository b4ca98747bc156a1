import { changeBreaker } from '#app/breaker-control.ts';
import { BreakerWatch, sayDuplicates, sayTripped } from '#app/breaker-watch.ts';
import type { SendKey } from '#core/brand.ts';
import { type Breaker, planRun, type RunPlan, resumeIfDue } from '#core/breaker.ts';
import { type Evidence, foundEnded, withEvidence } from '#core/breaker-evidence.ts';
import type { Clock, ControlStore, Ledger, Telemetry } from '#ports';

export type GuardDeps = {
  readonly controls: ControlStore;
  readonly ledger: Pick<Ledger, 'read'>;
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

type FoundBreaker = { readonly breaker: Breaker; readonly version: number };

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
    let wasPaused = false;
    const answer = await changeBreaker(controls, (breaker) => {
      wasPaused = breaker.mode.kind === 'paused';
      return unsaved.reduce(withEvidence, resumeIfDue(breaker, now));
    });
    if (answer.kind === 'failed') return { kind: 'unreadable', code: answer.code };
    this.#unsaved = [];
    const { breaker, version, duplicatesByPolicy } = await this.#withRowsLookedUp(answer);
    const plan = planRun(breaker, concurrency, now);
    if (plan === null) {
      if (!wasPaused) sayTripped(this.#deps, breaker);
      return { kind: 'paused', breaker };
    }
    const keep = (evidence: readonly Evidence[]) => {
      this.#unsaved = [...this.#unsaved, ...evidence];
    };
    const start = { breaker, version, plan, duplicatesByPolicy };
    const watch = new BreakerWatch(this.#deps, start, keep);
    return { kind: 'go', plan, watch };
  }

  /**
   * Acceptances that waited for their record may have one by now: applied before its answer was
   * lost, or written by whoever took the key over. Otherwise they would page until a person looks.
   * One consistent read each, as long as they wait; they are few.
   */
  async #withRowsLookedUp(
    found: FoundBreaker,
  ): Promise<FoundBreaker & { readonly duplicatesByPolicy: number }> {
    const { controls, ledger, clock } = this.#deps;
    const waiting = found.breaker.unrecorded;
    if (waiting.length === 0) return { ...found, duplicatesByPolicy: 0 };
    const rows = await Promise.all(waiting.map(({ sendKey }) => ledger.read(sendKey as SendKey)));
    const at = clock.now();
    const evidence = waiting.flatMap((entry, n) => {
      const answer = rows[n];
      const ended = answer?.kind === 'row' ? foundEnded(answer.row, entry, at) : null;
      return ended === null ? [] : [ended];
    });
    if (evidence.length === 0) return { ...found, duplicatesByPolicy: 0 };
    const saved = await changeBreaker(controls, (breaker) =>
      evidence.reduce(withEvidence, breaker),
    );
    // Not saved: found again by the next start.
    if (saved.kind === 'failed') return { ...found, duplicatesByPolicy: 0 };
    const duplicatesByPolicy = sayDuplicates(this.#deps, found.breaker, evidence);
    return { ...saved, duplicatesByPolicy };
  }
}
