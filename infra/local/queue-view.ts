import type { DeadLetters, Queue } from '#ports';

/** Counts of a queue by `GET /v1/queue/stats`, as the stage needs them. */
export type QueueCounts = {
  readonly available: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly dead: number;
};

/** Messages that are still to come back by themselves. */
export function waiting(counts: QueueCounts): number {
  return counts.available + counts.inFlight + counts.delayed;
}

/** Reads the counts by the product's own adapter; undefined while the queue gives none. */
export async function readCounts(
  queue: Pick<Queue | DeadLetters, 'stats'>,
): Promise<QueueCounts | undefined> {
  const answer = await queue.stats();
  if (answer.kind === 'failed') return undefined;
  const figure = (name: string) => {
    const value = answer.figures[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN;
  };
  const counts = {
    available: figure('available_count'),
    inFlight: figure('in_flight_count'),
    delayed: figure('delayed_count'),
    dead: figure('dlq_count'),
  };
  return Object.values(counts).some(Number.isNaN) ? undefined : counts;
}
