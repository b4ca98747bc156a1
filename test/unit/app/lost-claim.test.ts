import { describe, expect, it } from 'vitest';
import { ChannelGate } from '#app/channel-gate.ts';
import { processDelivery } from '#app/process-delivery.ts';
import { advance, type LedgerRecord } from '#core/ledger-record.ts';
import { SETTINGS } from '#test/support/core-data.ts';
import { aPayload, World } from '#test/support/world.ts';

type Winner = (ours: LedgerRecord) => LedgerRecord | undefined;

/** One delivery whose record comes too late: the row is the winner's. */
async function loseTo(winner: Winner) {
  const world = new World();
  const deps = world.deps({
    ledger: {
      claim: (row) => world.ledger.claim(row),
      replace: async (row) => ({ kind: 'lost', row: winner(row) }),
    },
  });
  const run = {
    budget: { endsAt: Number.POSITIVE_INFINITY },
    gates: new Map([['push', new ChannelGate(4)]]),
    stoppedChannels: new Map<string, string>(),
    halted: 'no' as const,
  };
  const message = { messageId: 'm', payload: aPayload(), deliveryCount: 1, ackHandle: 'm' };
  return world.clock.run(processDelivery(message, deps, run));
}

function moved(change: Parameters<typeof advance>[1]): Winner {
  return (ours) => advance(ours, change, ours.claimedAt, SETTINGS.ttlSeconds);
}

describe('a lost claim says whose the row is', () => {
  it.each([
    ['the winner has the same receipt', (ours: LedgerRecord) => ours, 'WINNER_HOLDS_SAME_RECEIPT'],
    [
      'the winner has another receipt',
      moved({ state: 'SENT', reason: 'ACCEPTED', receipt: 'rcpt_other' }),
      'WINNER_HOLDS_OTHER_RECEIPT',
    ],
    [
      'a policy has assumed the send',
      moved({ state: 'SENT', reason: 'ASSUMED_SENT_BY_POLICY', receipt: 'assumed' }),
      'TAKEN_OVER',
    ],
    [
      'the winner is still at it',
      moved({ state: 'CLAIMED', reason: 'X', receipt: null }),
      'TAKEN_OVER',
    ],
    ['the row is gone', () => undefined, 'ROW_GONE'],
  ] as const)('%s', async (_what, winner, reason) => {
    const report = await loseTo(winner);
    expect(report).toMatchObject({ outcome: 'lost-claim', reason, settled: 'left' });
    expect(report.receiptId).not.toBeNull();
  });
});
