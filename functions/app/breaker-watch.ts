import { changeBreaker, readBreaker } from '#app/breaker-control.ts';
import type { GuardDeps } from '#app/breaker-guard.ts';
import type { DeliveryReport } from '#app/delivery-report.ts';
import type { AfterDelivery, DrainResult } from '#app/drain-queue.ts';
import { type Breaker, planRun, type RunPlan, rampUp } from '#core/breaker.ts';
import {
  duplicateByPolicy,
  type Evidence,
  evidenceOf,
  withEvidence,
} from '#core/breaker-evidence.ts';

type RunStart = {
  readonly breaker: Breaker;
  readonly version: number;
  readonly plan: RunPlan;
  /** Found before the run started. */
  readonly duplicatesByPolicy: number;
};

/**
 * How often a run looks whether somebody else has paused it, at most: four reads a minute cost a
 * millionth of a dollar, and nobody waits longer than this plus one send for a pause to hold.
 */
const LOOK_AGAIN_MS = 15_000;

/**
 * Watches one run's deliveries: judges each as evidence at once, in memory, and writes what it
 * found. A calm run writes nothing. Everything that it starts has ended when `end` resolves.
 */
export class BreakerWatch {
  readonly #deps: GuardDeps;
  readonly #start: RunStart;
  readonly #keepUnsaved: (evidence: readonly Evidence[]) => void;
  /** The breaker as last read, with this run's evidence on it. */
  #breaker: Breaker;
  /** Evidence that is not in the document yet. */
  #unsaved: Evidence[] = [];
  /** What a later look at the document must be compared with again. */
  readonly #takenOver: Evidence[] = [];
  #duplicatesByPolicy: number;
  #clean = true;
  #lookedAt: number;
  #looking: Promise<void> | null = null;
  #saving: Promise<void> | null = null;

  constructor(
    deps: GuardDeps,
    start: RunStart,
    keepUnsaved: (evidence: readonly Evidence[]) => void,
  ) {
    this.#deps = deps;
    this.#start = start;
    this.#keepUnsaved = keepUnsaved;
    this.#breaker = start.breaker;
    this.#duplicatesByPolicy = start.duplicatesByPolicy;
    this.#lookedAt = deps.clock.now();
  }

  /**
   * Acceptances without a record whose key policy `resend` has sent again: no delivery alone knows
   * of both, so that the run's tally misses them.
   */
  get duplicatesByPolicy(): number {
    return this.#duplicatesByPolicy;
  }

  /** To be called after each delivery. */
  observe(report: DeliveryReport): ReturnType<AfterDelivery> {
    const now = this.#deps.clock.now();
    for (const evidence of evidenceOf(report, now)) this.#take(evidence, report);
    if (now - this.#lookedAt >= LOOK_AGAIN_MS) this.#look();
    return this.#verdict();
  }

  /** After the last delivery: writes what is unsaved, and the next step of a slow start. */
  async end({ end, tally }: DrainResult): Promise<void> {
    await this.settled();
    const now = this.#deps.clock.now();
    const drained = end === 'queue-empty' || end === 'run-budget';
    const proved = tally.receipts > 0 && tally.stoppedChannels.length === 0;
    const mayRamp = this.#clean && drained && proved;
    const ramps = mayRamp && this.#start.breaker.mode.kind === 'limited';
    if (!ramps && this.#unsaved.length === 0) return;
    const evidence = this.#unsaved;
    const answer = await changeBreaker(this.#deps.controls, (breaker, version) => {
      const next = evidence.reduce(withEvidence, breaker);
      // Of several clean runs at once, one doubles.
      const untouched = version === this.#start.version;
      return ramps && untouched ? rampUp(next, this.#deps.concurrency, now) : next;
    });
    if (answer.kind !== 'failed') return;
    this.#keepUnsaved(evidence);
    const fields = { code: answer.code, evidence: evidence.length };
    this.#deps.telemetry.log('error', 'breaker_not_saved', fields);
  }

  /** Nothing of this watch is under way any more. */
  async settled(): Promise<void> {
    while (this.#looking !== null || this.#saving !== null) {
      await this.#looking;
      await this.#saving;
    }
  }

  #take(evidence: Evidence, report: DeliveryReport): void {
    if (evidence.kind !== 'recorded') this.#clean = false;
    // Another worker may have left this key's receipt unrecorded after this run had started.
    const maybeAnothers = report.takenOver || evidence.kind !== 'recorded';
    if (evidence.kind === 'recorded' && report.takenOver) this.#takenOver.push(evidence);
    const next = withEvidence(this.#breaker, evidence);
    const changes = next !== this.#breaker;
    if (changes) {
      this.#adoptOwn(next, evidence);
      this.#unsaved.push(evidence);
    }
    if (evidence.kind !== 'recorded' && changes) this.#save();
    else if (maybeAnothers) this.#look();
  }

  #verdict(): ReturnType<AfterDelivery> {
    const { mode, reason } = this.#breaker;
    if (mode.kind === 'paused') {
      return reason === 'SENT_WITHOUT_RECEIPT' ? 'halt-acks' : 'halt';
    }
    const plan = planRun(this.#breaker, this.#deps.concurrency, this.#deps.clock.now());
    const slower = plan !== null && plan.concurrency < this.#start.plan.concurrency;
    return slower ? 'stop' : 'go-on';
  }

  #look(): void {
    if (this.#looking !== null) return;
    this.#lookedAt = this.#deps.clock.now();
    this.#looking = this.#readAgain().finally(() => {
      this.#looking = null;
    });
  }

  /** A look that fails changes nothing: the run was allowed, and its own evidence still counts. */
  async #readAgain(): Promise<void> {
    const answer = await readBreaker(this.#deps.controls);
    if (answer.kind === 'failed') return;
    this.#breaker = this.#unsaved.reduce(withEvidence, answer.breaker);
    for (const evidence of this.#takenOver) {
      const compared = withEvidence(this.#breaker, evidence);
      if (compared === this.#breaker) continue;
      this.#adoptOwn(compared, evidence);
      this.#unsaved.push(evidence);
      this.#save();
    }
  }

  #save(): void {
    if (this.#saving !== null) return;
    this.#saving = this.#saveAll().finally(() => {
      this.#saving = null;
    });
  }

  /** What could not be written stays unsaved: `end` tries once more. */
  async #saveAll(): Promise<void> {
    while (this.#unsaved.length > 0) {
      const evidence = [...this.#unsaved];
      const answer = await changeBreaker(this.#deps.controls, (breaker) =>
        evidence.reduce(withEvidence, breaker),
      );
      if (answer.kind === 'failed') return;
      this.#unsaved = this.#unsaved.slice(evidence.length);
      this.#breaker = this.#unsaved.reduce(withEvidence, answer.breaker);
    }
  }

  /** This run's own evidence: what it shows is counted and said where it happens, once. */
  #adoptOwn(next: Breaker, evidence: Evidence): void {
    this.#duplicatesByPolicy += sayDuplicates(this.#deps, this.#breaker, [evidence]);
    const trips = next.mode.kind === 'paused' && this.#breaker.mode.kind !== 'paused';
    this.#breaker = next;
    if (trips) sayTripped(this.#deps, next);
  }
}

/** @returns of how many keys these show a duplicate that policy `resend` explains */
export function sayDuplicates(
  { telemetry }: GuardDeps,
  breaker: Breaker,
  evidence: readonly Evidence[],
): number {
  const keys = new Set(evidence.map((one) => duplicateByPolicy(breaker, one)));
  keys.delete(null);
  for (const sendKey of keys) telemetry.log('warn', 'duplicate_by_policy', { sendKey });
  return keys.size;
}

/** Once, by whoever's evidence tripped it. */
export function sayTripped({ telemetry, tripsMetric }: GuardDeps, tripped: Breaker): void {
  const { reason, since } = tripped;
  telemetry.count(tripsMetric, 1);
  telemetry.log('error', 'breaker_tripped', { reason, since: new Date(since).toISOString() });
}
