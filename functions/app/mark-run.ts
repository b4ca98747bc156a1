import type { DrainResult } from '#app/drain-queue.ts';
import type { Tally } from '#app/tally.ts';
import {
  CONSUMER_DOCUMENT,
  type ConsumerMarker,
  type DueCopies,
  type RunMark,
  readMarkerDocument,
  withRun,
} from '#core/consumer-marker.ts';
import type { Clock, ControlStore, LedgerFailure } from '#ports';

export type ReadMarker =
  | {
      readonly kind: 'marker';
      /** Undefined when no run has ended yet. */
      readonly marker: ConsumerMarker | undefined;
      readonly version: number;
    }
  | LedgerFailure;

export async function readMarker(controls: Pick<ControlStore, 'read'>): Promise<ReadMarker> {
  const answer = await controls.read(CONSUMER_DOCUMENT);
  if (answer.kind === 'failed') return answer;
  if (answer.kind === 'absent') return { kind: 'marker', marker: undefined, version: 0 };
  const marker = readMarkerDocument(answer.value);
  if (marker === undefined) return { kind: 'failed', code: 'MARKER_UNREADABLE' };
  return { kind: 'marker', marker, version: answer.version };
}

/** Overlapping consumers end at the same moment now and then. */
const MAX_ROUNDS = 3;

/** Adds an ended run to the marker. A failure loses this run's mark, which the next one renews. */
export async function markRun(
  controls: ControlStore,
  clock: Pick<Clock, 'now'>,
  result: DrainResult,
): Promise<{ readonly kind: 'marked' } | LedgerFailure> {
  const mark = markOf(result);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await readMarker(controls);
    if (found.kind === 'failed') return found;
    const next = withRun(found.marker, mark, clock.now());
    const written = await controls.write(CONSUMER_DOCUMENT, next, found.version);
    if (written.kind === 'failed') return written;
    if (written.kind === 'written') return { kind: 'marked' };
  }
  return { kind: 'failed', code: 'MARKER_KEEPS_MOVING' };
}

function markOf({ end, tally }: DrainResult): RunMark {
  return {
    end,
    totals: {
      deliveries: tally.deliveries,
      receiptsAhead: tally.receiptsAhead,
      terminalAhead: tally.terminalAhead,
      contentConflicts: tally.contentConflicts,
      invalidMessages: Object.values(tally.invalidByReason).reduce((sum, n) => sum + n, 0),
      ledgerFailures: (tally.outcomes['ledger-failed'] ?? 0) + tally.recordFailures,
      crashed: tally.outcomes['crashed'] ?? 0,
      budgetStops: end === 'run-budget' ? 1 : 0,
    },
    copies: copiesOf(tally),
  };
}

function copiesOf(tally: Tally): readonly DueCopies[] {
  return Object.entries(tally.copiesDue).map(([dueAt, count]) => ({ dueAt: Number(dueAt), count }));
}
