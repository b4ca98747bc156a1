import type { Acted } from '#app/redrive/act-on-dead-letter.ts';
import type { CanaryReport } from '#app/redrive/canaries.ts';
import type { EpochMs, SendKey } from '#core/brand.ts';
import {
  REDRIVE_ACTIONS,
  type RedriveAction,
  type RedriveDecision,
  type RedriveRules,
} from '#core/plan-redrive.ts';
import type { RedriveMode } from '#core/redrive-request.ts';
import { redriveWords } from '#core/redrive-words.ts';

/** Why a run ended. */
export type RedriveEnd =
  | 'dead-letters-read'
  | 'max'
  | 'run-budget'
  | 'canary-failed'
  | 'queue-failed'
  | 'ledger-failed'
  | 'another-run'
  | 'consumer-paused';

/** All dead letters that were decided alike. */
export type DecisionCount = {
  readonly action: RedriveAction;
  readonly reason: string;
  readonly count: number;
  /** Codes below the reason, with how often. */
  readonly details: Readonly<Record<string, number>>;
  /** Send keys, at most five; none for payloads that have no key. */
  readonly examples: readonly SendKey[];
};

/** What was done; a dry run has none of it. */
export type RedriveResults = {
  readonly redriven: number;
  readonly settled: number;
  readonly kept: number;
  readonly vanished: number;
  readonly failed: number;
  readonly failedByCode: Readonly<Record<string, number>>;
  /** Rows made for reminders that no worker had ever claimed. */
  readonly rowsCreated: number;
  /** Rows that this run wrote as EXPIRED. */
  readonly expired: number;
  /** Acks whose lease was over: the message comes back and is settled by the next run. */
  readonly lateAcks: number;
  /** Redrives that the ledger did not confirm: one later redrive each goes uncounted. */
  readonly unconfirmed: number;
};

/** The one report of a run: returned, logged (figures only) and counted. Field names are stable. */
export type RedriveReport = {
  readonly mode: RedriveMode;
  readonly trigger: RedriveRules['trigger'];
  readonly end: RedriveEnd;
  /** The failure or pause behind the end; null for an ordinary one. */
  readonly endCode: string | null;
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  /** Dead letters that were read, filtered ones included. */
  readonly examined: number;
  readonly filteredOut: number;
  /** A dry run's plan; what a redrive decided. By action, the most frequent first. */
  readonly decisions: readonly DecisionCount[];
  readonly totals: Readonly<Record<RedriveAction, number>>;
  readonly results: RedriveResults | null;
  readonly canaries: readonly CanaryReport[];
  /** Dead letters in the queue after the run, leased ones included; null when nobody can tell. */
  readonly left: number | null;
  /** Of the dead letters read: how often the broker has handed one out. */
  readonly highestDeliveryCount: number | null;
  /** Why the consumer is paused: a dry run's plan holds once it is resumed. Null while it runs. */
  readonly pausedReason: string | null;
  /** The run before this one died; its lease was over. */
  readonly tookOver: boolean;
  /** False when the lease could not be given back; it runs out by itself. */
  readonly leaseGivenBack: boolean;
  /** One sentence for people. */
  readonly summary: string;
};

type Group = { count: number; details: Record<string, number>; examples: SendKey[] };
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const MAX_EXAMPLES = 5;

/** Collects the figures of one run. */
export class RedriveTally {
  examined = 0;
  filteredOut = 0;
  readonly #groups = new Map<string, Group>();
  readonly #results: Mutable<RedriveResults> & { failedByCode: Record<string, number> } = {
    redriven: 0,
    settled: 0,
    kept: 0,
    vanished: 0,
    failed: 0,
    failedByCode: {},
    rowsCreated: 0,
    expired: 0,
    lateAcks: 0,
    unconfirmed: 0,
  };

  decided(decision: RedriveDecision, sendKey: SendKey | null): void {
    const name = `${decision.action} ${decision.reason}`;
    const group = this.#groups.get(name) ?? { count: 0, details: {}, examples: [] };
    this.#groups.set(name, group);
    group.count += 1;
    if (decision.detail !== null) bump(group.details, decision.detail);
    if (sendKey === null || group.examples.includes(sendKey)) return;
    // The first by name, not by arrival: a queue hands out in another order every time.
    const last = group.examples[MAX_EXAMPLES - 1];
    if (last !== undefined && sendKey > last) return;
    group.examples = [...group.examples, sendKey].sort().slice(0, MAX_EXAMPLES);
  }

  acted(decision: RedriveDecision, acted: Exclude<Acted, { kind: 'moved' }>): void {
    const results = this.#results;
    results[acted.kind] += 1;
    if (acted.kind === 'failed') bump(results.failedByCode, `${acted.by}:${acted.code}`);
    if (acted.kind === 'settled' && acted.late) results.lateAcks += 1;
    if (acted.kind === 'redriven' && !acted.confirmed) results.unconfirmed += 1;
    const wrote = decision.action !== 'keep' && wroteItsRow(acted) ? decision.write : null;
    if (wrote?.kind === 'create') results.rowsCreated += 1;
    if (wrote !== null && wrote.kind !== 'none' && wrote.next.state === 'EXPIRED') {
      results.expired += 1;
    }
  }

  get results(): RedriveResults {
    return this.#results;
  }

  get totals(): Record<RedriveAction, number> {
    const totals = { redrive: 0, settle: 0, keep: 0 };
    for (const { action, count } of this.decisions()) totals[action] += count;
    return totals;
  }

  decisions(): readonly DecisionCount[] {
    const order = (action: RedriveAction) => REDRIVE_ACTIONS.indexOf(action);
    const counts = [...this.#groups].map(([name, group]): DecisionCount => {
      const [action, reason] = name.split(' ') as [RedriveAction, string];
      return { action, reason, ...group };
    });
    return counts.sort(
      (a, b) =>
        order(a.action) - order(b.action) ||
        b.count - a.count ||
        (a.reason < b.reason ? -1 : Number(a.reason > b.reason)),
    );
  }
}

/** Everything of a report but what follows from the rest. */
export type ReportFacts = Omit<RedriveReport, 'decisions' | 'totals' | 'results' | 'summary'> & {
  readonly tally: RedriveTally;
};

export function redriveReport({ tally, ...facts }: ReportFacts): RedriveReport {
  const decisions = tally.decisions();
  return {
    ...facts,
    decisions,
    totals: tally.totals,
    results: facts.mode === 'plan' ? null : tally.results,
    summary: redriveWords(facts.mode, decisions, facts.end, tally.results.failed),
  };
}

/** Whether the row's write had won before what came after it. */
function wroteItsRow(acted: Acted): boolean {
  return acted.kind !== 'failed' || acted.by === 'queue';
}

function bump(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
