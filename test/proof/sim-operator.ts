import { resolveUnknown } from '#app/resolve-unknown.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { SimPorts } from '#test/proof/sim-worker.ts';
import type { MemoryProvider } from '#test/support/memory-provider.ts';

/** Whatever was under way for a claim has surfaced by then, frozen workers included. */
const OLD_ENOUGH_MS = 3_600_000;
const MOST_ROWS = 1_000;

/**
 * A person's look at the outcomes that are parked: the provider's own records say for each whether
 * it was sent. Only what says that it waits for a person gets one.
 * @returns what came of each
 */
export async function decideParked(
  ports: SimPorts,
  provider: MemoryProvider,
): Promise<readonly string[]> {
  const page = await ports.ledger.unresolved({ limit: MOST_ROWS });
  if (page.kind === 'failed') return [];
  const results: string[] = [];
  for (const row of page.rows) {
    const now = ports.clock.now();
    if (!isDecided(row) || now - row.claimedAt < OLD_ENOUGH_MS) continue;
    const found = provider.model.find(row.sendKey, now);
    const decision =
      found.kind === 'found'
        ? ({ kind: 'sent', receipt: found.record.receipt } as const)
        : ({ kind: 'not-sent' } as const);
    const request = { sendKey: row.sendKey, decision, note: 'provider records' };
    const answer = await resolveUnknown(request, ports);
    results.push(answer.kind === 'resolved' ? `decided ${decision.kind}` : `left ${answer.kind}`);
  }
  return results;
}

/** One key in eight is left alone, so that parked outcomes at rest stay part of what is judged. */
function isDecided({ sendKey, reason }: LedgerRecord): boolean {
  return reason.startsWith('PARKED_') && !/[01]$/.test(sendKey);
}
