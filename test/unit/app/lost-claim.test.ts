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

function changed(change: Parameters<typeof advance>[1]) {
  return (row: LedgerRecord): LedgerRecord =>
    advance(row, change, row.claimedAt, SETTINGS.ttlSeconds);
}

/** The row is the loser's own, claimed again by another. */
function claimedAgain(reason: string) {
  return (row: LedgerRecord): LedgerRecord =>
    advance(
      row,
      { state: 'CLAIMED', reason, receipt: null, attempt: row.attempt + 1 },
      row.claimedAt,
      SETTINGS.ttlSeconds,
    );
}
const RESENT = claimedAgain('RESEND_BY_POLICY');
const SAME_KEY = claimedAgain('RESEND_SAME_KEY');
const RESENT_BEFORE = (row: LedgerRecord): LedgerRecord => ({
  ...row,
  history: RESENT({ ...row, attempt: row.attempt - 1 }).history,
});
const SENT_AGAIN = changed({ state: 'SENT', reason: 'ACCEPTED', receipt: 'rcpt_second' });
const DEFERRED = changed({ state: 'DEFERRED', reason: 'HTTP_503', receipt: null });

describe('a lost claim says whose the row is', () => {
  it.each([
    ['the winner has the same receipt', (ours) => ours, 'WINNER_HOLDS_SAME_RECEIPT'],
    [
      'the winner has another receipt',
      changed({ state: 'SENT', reason: 'ACCEPTED', receipt: 'rcpt_other' }),
      'WINNER_HOLDS_OTHER_RECEIPT',
    ],
    [
      'a policy has assumed the send',
      changed({ state: 'SENT', reason: 'ASSUMED_SENT_BY_POLICY', receipt: 'assumed' }),
      'TAKEN_OVER',
    ],
    [
      'the winner is still at it',
      changed({ state: 'CLAIMED', reason: 'X', receipt: null }),
      'TAKEN_OVER',
    ],
    [
      'policy resend has sent again, and a second receipt is recorded',
      (ours) => SENT_AGAIN(RESENT(ours)),
      'RESENT_BY_POLICY',
    ],
    ['policy resend is sending again', RESENT, 'RESENT_BY_POLICY'],
    [
      'policy resend has sent again, and its send was put off',
      (ours) => DEFERRED(RESENT(ours)),
      'RESENT_BY_POLICY',
    ],
    [
      'policy resend has sent again, and the provider gave the same receipt',
      (ours) => ({ ...SENT_AGAIN(RESENT(ours)), receipt: ours.receipt }),
      'WINNER_HOLDS_SAME_RECEIPT',
    ],
    [
      'policy resend made our own send, and no other',
      (ours) => SENT_AGAIN(SAME_KEY(RESENT_BEFORE(ours))),
      'WINNER_HOLDS_OTHER_RECEIPT',
    ],
    ['the row is gone', () => undefined, 'ROW_GONE'],
  ] satisfies readonly (readonly [string, Winner, string])[])(
    '%s',
    async (_what, winner, reason) => {
      const report = await loseTo(winner);
      expect(report).toMatchObject({ outcome: 'lost-claim', reason, settled: 'left' });
      expect(report.receiptId).not.toBeNull();
    },
  );
});
