import { describe, expect, it } from 'vitest';
import { type DeliveryReport, openReport } from '#app/delivery-report.ts';
import { countDelivery, DUE_SLICE_MS, openTally } from '#app/tally.ts';

function tallyOf(...changes: readonly Partial<DeliveryReport>[]) {
  const tally = openTally();
  for (const change of changes) countDelivery(tally, { ...openReport('qmsg_1', 1), ...change });
  return tally;
}

const got = { receipt: true, receiptId: 'rcpt_1' } as const;

describe('receipts and terminal rows', () => {
  it('are even where a send was recorded', () => {
    expect(tallyOf({ ...got, outcome: 'sent', terminal: 'SENT' })).toMatchObject({
      receipts: 1,
      receiptsAhead: 0,
      terminalAhead: 0,
      terminal: { SENT: 1 },
    });
  });

  it('field report 70: one receipt seen by two workers is counted by the one that recorded it', () => {
    const winner = { ...got, outcome: 'sent', terminal: 'SENT' } as const;
    const loser = { ...got, outcome: 'lost-claim', reason: 'WINNER_HOLDS_SAME_RECEIPT' } as const;
    expect(tallyOf(winner, loser, loser)).toMatchObject({
      receipts: 1,
      receiptsAhead: 0,
      lostClaims: 2,
    });
  });

  it('a receipt beyond that is ahead', () => {
    const other = { ...got, outcome: 'lost-claim', reason: 'WINNER_HOLDS_OTHER_RECEIPT' } as const;
    const failed = { ...got, outcome: 'record-failed' } as const;
    expect(tallyOf(other, failed)).toMatchObject({ receipts: 2, receiptsAhead: 2 });
  });

  it('an acceptance that policy resend had given up is counted as its duplicate', () => {
    const again = { takenOver: true, attempt: 1, policyAttempt: 1, submissions: 1 } as const;
    const second = { ...got, ...again, outcome: 'sent', terminal: 'SENT' } as const;
    const late = { ...got, outcome: 'lost-claim', reason: 'RESENT_BY_POLICY' } as const;
    expect(tallyOf(second, late)).toMatchObject({
      resentByPolicy: 1,
      duplicatesByPolicy: 1,
      receipts: 2,
      receiptsAhead: 0,
      lostClaims: 1,
    });
  });

  it('policy resend is counted by its sends, not by what follows them', () => {
    const resent = { attempt: 1, policyAttempt: 1 } as const;
    const nothingSent = { ...resent, outcome: 'not-sent' } as const;
    const retried = { ...got, attempt: 2, policyAttempt: 1, submissions: 1 } as const;
    const deferred = { ...resent, submissions: 1, outcome: 'deferred' } as const;
    const first = { ...got, attempt: 0, submissions: 1, outcome: 'sent' } as const;
    expect(tallyOf(nothingSent, retried, first).resentByPolicy).toBe(0);
    expect(tallyOf(nothingSent, deferred, retried).resentByPolicy).toBe(1);
  });

  it('a row that a policy declared sent is not ahead of anything', () => {
    expect(tallyOf({ outcome: 'assumed-sent', terminal: 'SENT' })).toMatchObject({
      receipts: 0,
      terminalAhead: 0,
      assumedSent: 1,
      terminal: { SENT: 1 },
    });
  });

  it('a row that says sent without proof is', () => {
    expect(tallyOf({ outcome: 'unproved' })).toMatchObject({ terminalAhead: 1 });
  });
});

it('postponed copies are counted by the slice in which they are due', () => {
  const due = (ms: number) => ({ published: true, copyDueAt: 10 * DUE_SLICE_MS + ms });
  const tally = tallyOf(due(0), due(DUE_SLICE_MS - 1), due(DUE_SLICE_MS), { published: false });
  expect(tally.copiesDue).toEqual({
    [10 * DUE_SLICE_MS]: 2,
    [11 * DUE_SLICE_MS]: 1,
  });
  expect(tally.published).toBe(3);
});
