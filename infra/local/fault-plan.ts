import type { Random } from '#ports';

/** One scripted step, or `pass` for a call that shall go through untouched. */
type Step<Fault> = { readonly fault: Fault | 'pass'; left: number };

type Rule<Route extends string, Fault> = {
  readonly route: Route | '*';
  readonly probability: number;
  readonly fault: Fault;
};

/**
 * Which call meets which fault: first the scripted list of its route, in order; then the rules, each
 * by its probability with seeded randomness. At most one fault a call.
 */
export class FaultPlan<Route extends string, Fault> {
  /** Added to every answer, wall time: for benchmarks. */
  latencyMs = 0;
  readonly #random: Random;
  readonly #scripts = new Map<Route, Step<Fault>[]>();
  #rules: Rule<Route, Fault>[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** The next `times` calls of `route` (after those already scripted) meet `fault`, or pass. */
  script(route: Route, fault: Fault | 'pass', times = 1): this {
    const steps = this.#scripts.get(route) ?? [];
    this.#scripts.set(route, steps);
    if (times > 0) steps.push({ fault, left: times });
    return this;
  }

  /** From now on every call of `route` (`*`: of any) meets `fault` with this probability. */
  rule(route: Route | '*', probability: number, fault: Fault): this {
    this.#rules.push({ route, probability, fault });
    return this;
  }

  /** Forgets scripts, rules and latency. */
  clear(): void {
    this.#scripts.clear();
    this.#rules = [];
    this.latencyMs = 0;
  }

  /** The fault of this call, or undefined. Uses a scripted step up. */
  next(route: Route): Fault | undefined {
    const steps = this.#scripts.get(route);
    const step = steps?.[0];
    if (steps !== undefined && step !== undefined) {
      step.left -= 1;
      if (step.left === 0) steps.shift();
      return step.fault === 'pass' ? undefined : step.fault;
    }
    for (const rule of this.#rules) {
      if (rule.route !== '*' && rule.route !== route) continue;
      if (this.#random.fraction() < rule.probability) return rule.fault;
    }
    return undefined;
  }

  /** How many scripted calls are still to come. */
  get scriptedLeft(): number {
    let left = 0;
    for (const steps of this.#scripts.values()) for (const step of steps) left += step.left;
    return left;
  }

  describe(): {
    readonly latencyMs: number;
    readonly scriptedLeft: number;
    readonly rules: readonly Rule<Route, Fault>[];
  } {
    return { latencyMs: this.latencyMs, scriptedLeft: this.scriptedLeft, rules: this.#rules };
  }
}
