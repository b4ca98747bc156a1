import {
  BREAKER_DOCUMENT,
  type Breaker,
  FRESH_BREAKER,
  readBreakerDocument,
} from '#core/breaker.ts';
import type { ControlStore, LedgerFailure } from '#ports';

export type ReadBreaker =
  | { readonly kind: 'breaker'; readonly breaker: Breaker; readonly version: number }
  | LedgerFailure;

/** The breaker as it stands; `FRESH_BREAKER` where no document does. */
export async function readBreaker(controls: Pick<ControlStore, 'read'>): Promise<ReadBreaker> {
  const answer = await controls.read(BREAKER_DOCUMENT);
  switch (answer.kind) {
    case 'failed':
      return answer;
    case 'absent':
      return { kind: 'breaker', breaker: FRESH_BREAKER, version: 0 };
    case 'document': {
      const breaker = readBreakerDocument(answer.value);
      if (breaker === undefined) return { kind: 'failed', code: 'BREAKER_UNREADABLE' };
      return { kind: 'breaker', breaker, version: answer.version };
    }
  }
}

export type ChangedBreaker =
  | {
      readonly kind: 'changed' | 'unchanged';
      readonly breaker: Breaker;
      readonly version: number;
    }
  | LedgerFailure;

/** Others write it seldom: losing three races in a row means that something is wrong. */
const MAX_ROUNDS = 3;

/**
 * Reads, changes and writes the breaker, again on what another wrote meanwhile.
 * Source of every change: the consumer's evidence and the operator's `pause` and `resume`.
 * @param change pure; answers the same object when there is nothing to write
 */
export async function changeBreaker(
  controls: ControlStore,
  change: (breaker: Breaker, version: number) => Breaker,
): Promise<ChangedBreaker> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await readBreaker(controls);
    if (found.kind === 'failed') return found;
    const { breaker, version } = found;
    const next = change(breaker, version);
    if (next === breaker) return { kind: 'unchanged', breaker, version };
    const written = await controls.write(BREAKER_DOCUMENT, next, version);
    if (written.kind === 'failed') return written;
    if (written.kind === 'written') return { kind: 'changed', breaker: next, version: version + 1 };
  }
  return { kind: 'failed', code: 'BREAKER_KEEPS_MOVING' };
}
