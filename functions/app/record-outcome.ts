import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { type LedgerRecord, provenAfterParking } from '#core/ledger-record.ts';

export type Recorded =
  | { readonly kind: 'recorded' }
  /** Another worker holds the key now; its row, or undefined when the row is gone. */
  | { readonly kind: 'lost'; readonly row: LedgerRecord | undefined }
  | { readonly kind: 'failed'; readonly code: string };

/** Waits between tries to record, milliseconds; the last one repeats while the budget lasts. */
const WAITS_MS = [100, 400, 1500, 3000] as const;

/**
 * Writes the outcome under the claim's fence. A forgotten acceptance is what leads to a second
 * send, so this is tried again within its own budget before the delivery is left to reconcile.
 */
export async function recordOutcome(
  next: LedgerRecord,
  claimed: LedgerRecord,
  deps: DeliveryDeps,
): Promise<Recorded> {
  const { clock, ledger, limits } = deps;
  const endsAt = clock.now() + limits.recordBudgetMs;
  let write = { row: next, seen: claimed };
  for (let tries = 0; ; tries += 1) {
    const answer = await ledger.replace(write.row, write.seen);
    if (answer.kind === 'replaced') return { kind: 'recorded' };
    if (answer.kind === 'lost') {
      const proven = provenAfterParking(next, write.seen, answer.row);
      if (proven === null || answer.row === undefined) return answer;
      write = { row: proven, seen: answer.row };
      continue;
    }
    const waitMs = WAITS_MS[Math.min(tries, WAITS_MS.length - 1)] ?? 0;
    if (clock.now() + waitMs >= endsAt) return answer;
    await clock.sleep(waitMs);
  }
}
