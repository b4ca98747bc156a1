import { readBreaker } from '#app/breaker-control.ts';
import { readMarker } from '#app/mark-run.ts';
import type { EpochMs } from '#core/brand.ts';
import {
  type Figures,
  type InvalidFigure,
  NO_QUEUE_FIGURES,
  type QueueFigures,
  type Reading,
  readBalance,
  readDeadLetterStats,
  readQueueStats,
} from '#core/stats-reading.ts';
import type { FailedSource, Signals, Unresolved } from '#core/stats-signals.ts';
import type {
  Account,
  ControlStore,
  DeadLetters,
  Ledger,
  Queue,
  QueueFailure,
  StatsAnswer,
} from '#ports';

/** Everything that says something about a pipeline's health. */
export type SignalSources = {
  readonly queue: Pick<Queue, 'stats'>;
  readonly deadLetters: Pick<DeadLetters, 'stats'>;
  readonly account: Account;
  readonly ledger: Pick<Ledger, 'unresolved'>;
  readonly controls: ControlStore;
};

/** Reads every source once, all at the same time; whatever fails becomes a signal of its own. */
export async function readSignals(deps: SignalSources, at: EpochMs): Promise<Signals> {
  const [queue, dlq, balance, unresolved, breaker, marker] = await Promise.all([
    deps.queue.stats(),
    deps.deadLetters.stats(),
    deps.account.balance(),
    readUnresolved(deps.ledger),
    readBreaker(deps.controls),
    readMarker(deps.controls),
  ]);
  const figures = new FiguresOf();
  const own = figures.of('queue', queue, readQueueStats) ?? NO_QUEUE_FIGURES;
  const dead = figures.of('dlq', dlq, readDeadLetterStats);
  const balanceUsd = figures.of('balance', balance, readBalance);
  return {
    at,
    queue: queueSignal(queue, own),
    deadLetters: larger(own.deadLetters, dead),
    balanceUsd,
    invalid: figures.invalid,
    failed: figures.failed,
    unresolved: unresolved.kind === 'unresolved' ? unresolved.value : null,
    breaker: breaker.kind === 'breaker' ? breaker.breaker : null,
    marker: marker.kind === 'marker' ? (marker.marker ?? null) : null,
    ledgerFailure: firstFailure(unresolved, breaker, marker),
  };
}

type FiguresAnswer =
  | { readonly kind: 'stats' | 'balance'; readonly figures: Figures }
  | QueueFailure;

/** Collects what was refused and who gave nothing. */
class FiguresOf {
  readonly invalid: InvalidFigure[] = [];
  readonly failed: FailedSource[] = [];

  of<Value>(
    source: FailedSource['source'],
    answer: FiguresAnswer,
    read: (figures: Figures) => Reading<Value>,
  ): Value | null {
    if (answer.kind === 'failed') {
      const ofQueue = source !== 'balance';
      if (!ofQueue || !isMissing(answer)) this.failed.push({ source, code: answer.code });
      return null;
    }
    const reading = read(answer.figures);
    this.invalid.push(...reading.invalid);
    return reading.value;
  }
}

function queueSignal(queue: StatsAnswer, figures: QueueFigures): Signals['queue'] {
  if (queue.kind === 'stats') return { kind: 'figures', ...figures };
  return isMissing(queue) ? { kind: 'missing', code: queue.code } : { kind: 'failed' };
}

/** A queue that is not there; a dead-letter queue may be made with its first dead letter. */
function isMissing(answer: FiguresAnswer): boolean {
  return answer.kind === 'failed' && /^(QUEUE_NOT_FOUND|HTTP_404|NOT_FOUND)$/.test(answer.code);
}

function larger(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}

function firstFailure(
  ...answers: readonly ({ readonly kind: string } | { kind: 'failed'; code: string })[]
): string | null {
  for (const answer of answers) {
    if (answer.kind === 'failed' && 'code' in answer) return answer.code;
  }
  return null;
}

const PAGE_ROWS = 100;
/** Beyond this the number only says "many", and every check would read them all again. */
const MAX_PAGES = 5;

type ReadUnresolved =
  | { readonly kind: 'unresolved'; readonly value: Unresolved }
  | { readonly kind: 'failed'; readonly code: string };

async function readUnresolved(ledger: Pick<Ledger, 'unresolved'>): Promise<ReadUnresolved> {
  let rows = 0;
  let parked = 0;
  let oldestAt: EpochMs | null = null;
  let oldestParkedAt: EpochMs | null = null;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await ledger.unresolved({
      limit: PAGE_ROWS,
      ...(cursor !== undefined && { cursor }),
    });
    if (answer.kind === 'failed') return answer;
    rows += answer.rows.length + (answer.unreadable?.length ?? 0);
    for (const row of answer.rows) {
      const since = row.firstSendAt ?? row.claimedAt;
      oldestAt ??= since;
      if (!row.reason.startsWith('PARKED_')) continue;
      parked += 1;
      oldestParkedAt ??= since;
    }
    cursor = answer.cursor;
    if (cursor === undefined) break;
  }
  const complete = cursor === undefined;
  return { kind: 'unresolved', value: { rows, parked, oldestAt, oldestParkedAt, complete } };
}
