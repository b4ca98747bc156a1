import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import {
  type CanaryOutcome,
  type CanaryVerdict,
  canaryOutcome,
  judgeCanary,
} from '#core/judge-canary.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import { type ChannelHealth, HEALTHY } from '#core/plan-redrive.ts';
import { canaryReason } from '#core/redrive-control.ts';
import { covers, type RunBudget } from '#core/run-budget.ts';

/** One channel's canary as the report shows it. */
export type CanaryReport = {
  readonly channel: string;
  readonly redriven: number;
  readonly good: number;
  readonly bad: number;
  readonly pending: number;
  /** `open` when the run ended before its outcomes were known. */
  readonly verdict: CanaryVerdict['kind'] | 'open';
  readonly reason: string | null;
};

type Canary = {
  /** The rows of the present canary as the redrive left them. */
  left: LedgerRecord[];
  outcomes: CanaryOutcome[];
  verdict: CanaryVerdict | null;
};

/** Outcomes are looked for this often; the consumer ticks once a minute. */
const POLL_MS = 2000;

/**
 * The first dead letters of each channel go alone. Their outcomes are read back from the ledger,
 * and only a channel whose canary passed gets the rest.
 */
export class Canaries {
  readonly #deps: RedriveDeps;
  readonly #size: number;
  readonly #byChannel = new Map<string, Canary>();

  /** @param size 0: no canary, every channel is open */
  constructor(deps: RedriveDeps, size: number) {
    this.#deps = deps;
    this.#size = size;
  }

  /** Unhealthy once the channel's canary has failed. */
  health(channel: string): ChannelHealth {
    const verdict = this.#byChannel.get(channel)?.verdict;
    if (verdict?.kind !== 'failed' && verdict?.kind !== 'undecided') return HEALTHY;
    return { kind: 'unhealthy', reason: canaryReason(verdict) };
  }

  /** Whether the channel's canary is complete and nothing more may go before its verdict. */
  isFull(channel: string): boolean {
    const canary = this.#byChannel.get(channel);
    return canary !== undefined && canary.verdict === null && canary.left.length >= this.#size;
  }

  /** @param left the row of a redriven reminder that is due now, so that its outcome will tell */
  add(left: LedgerRecord): void {
    if (this.#size === 0) return;
    const canary = this.#byChannel.get(left.channel) ?? { left: [], outcomes: [], verdict: null };
    this.#byChannel.set(left.channel, canary);
    if (canary.verdict === null) canary.left.push(left);
  }

  /** Waits for the channel's outcomes until they allow a verdict or the wait is over. */
  async judge(channel: string, budget: RunBudget): Promise<void> {
    const canary = this.#byChannel.get(channel);
    if (canary === undefined || canary.verdict !== null || canary.left.length === 0) return;
    const { clock, limits } = this.#deps;
    const waitUntil = clock.now() + limits.canaryWaitSeconds * 1000;
    for (;;) {
      await this.#look(canary);
      const timeUp = clock.now() >= waitUntil;
      const verdict = judgeCanary(canary.outcomes, timeUp);
      if (verdict?.kind === 'no-evidence') {
        canary.left = [];
        canary.outcomes = [];
        return;
      }
      canary.verdict = verdict;
      if (verdict !== null) return;
      if (!covers(budget, clock.now(), POLL_MS + limits.worstDeadLetterMs)) return;
      await clock.sleep(POLL_MS);
    }
  }

  /** Channels with redriven reminders whose verdict is open. */
  get open(): readonly string[] {
    const entries = [...this.#byChannel];
    return entries.flatMap(([channel, { verdict, left }]) =>
      verdict === null && left.length > 0 ? [channel] : [],
    );
  }

  get verdicts(): ReadonlyMap<string, CanaryVerdict> {
    const entries = [...this.#byChannel];
    return new Map(
      entries.flatMap(([channel, { verdict }]) => (verdict === null ? [] : [[channel, verdict]])),
    );
  }

  reports(): readonly CanaryReport[] {
    return [...this.#byChannel].map(([channel, { left, outcomes, verdict }]) => {
      const count = (kind: CanaryOutcome['kind']) =>
        outcomes.filter((outcome) => outcome.kind === kind).length;
      const good = count('good');
      const bad = count('bad');
      return {
        channel,
        redriven: left.length,
        good,
        bad,
        pending: left.length - good - bad - count('no-evidence'),
        verdict: verdict?.kind ?? 'open',
        reason: verdict?.kind === 'failed' ? verdict.reason : null,
      };
    });
  }

  async #look(canary: Canary): Promise<void> {
    const outcomes: CanaryOutcome[] = [];
    for (const [index, left] of canary.left.entries()) {
      const known = canary.outcomes[index];
      const final = known !== undefined && known.kind !== 'pending';
      outcomes.push(
        final ? known : canaryOutcome(left, await this.#deps.ledger.read(left.sendKey)),
      );
    }
    canary.outcomes = outcomes;
  }
}
