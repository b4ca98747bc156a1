import { describe, expect, it } from 'vitest';
import {
  type Breaker,
  FRESH_BREAKER,
  pause,
  planRun,
  readBreakerDocument,
  resume,
  stopChannel,
} from '#core/breaker.ts';
import {
  balanceOf,
  duplicateByPolicy,
  type Evidence,
  evidenceOf,
  withEvidence,
} from '#core/breaker-evidence.ts';
import {
  facts,
  noReceipt,
  OPERATOR,
  recorded,
  refused,
  SINCE,
  unrecorded,
} from '#test/support/breaker-data.ts';

const breakerAfter = (...evidence: readonly Evidence[]): Breaker =>
  evidence.reduce(withEvidence, FRESH_BREAKER);
const tripped = (breaker: Breaker) => (breaker.mode.kind === 'paused' ? breaker.reason : null);

describe('what a delivery proves', () => {
  it.each([
    ['sent and recorded', facts(), 'even'],
    ['record failed after acceptance', facts({ outcome: 'record-failed' }), 'receipt-ahead'],
    [
      'record failed, nothing accepted',
      facts({ outcome: 'record-failed', receiptId: null }),
      'even',
    ],
    ['a crash after acceptance', facts({ outcome: 'crashed' }), 'receipt-ahead'],
    [
      'claim lost to nobody knows whom',
      facts({ outcome: 'lost-claim', reason: 'TAKEN_OVER' }),
      'receipt-ahead',
    ],
    [
      'field report 70: the same receipt once more',
      facts({ outcome: 'lost-claim', reason: 'WINNER_HOLDS_SAME_RECEIPT' }),
      'even',
    ],
    [
      'another receipt',
      facts({ outcome: 'lost-claim', reason: 'WINNER_HOLDS_OTHER_RECEIPT' }),
      'two-receipts',
    ],
    [
      'a send that policy resend had given up',
      facts({ outcome: 'lost-claim', reason: 'RESENT_BY_POLICY' }),
      'even',
    ],
    ['SENT without a proof', facts({ receiptId: null }), 'terminal-ahead'],
    [
      'SENT without a proof, found',
      facts({ outcome: 'unproved', receiptId: null }),
      'terminal-ahead',
    ],
    ['assumed sent by policy', facts({ outcome: 'assumed-sent', receiptId: null }), 'even'],
    ['a quiet duplicate', facts({ outcome: 'duplicate', receiptId: null }), 'even'],
  ] as const)('%s', (_what, seen, balance) => {
    expect(balanceOf(seen)).toBe(balance);
  });

  it('an invalid message proves nothing', () => {
    expect(evidenceOf(facts({ sendKey: null, channel: null, outcome: 'invalid' }), SINCE)).toEqual(
      [],
    );
  });

  it('a policy that assumes a send gives no evidence at all', () => {
    const assumed = facts({ outcome: 'assumed-sent', receiptId: null, sendCode: 'TIMEOUT' });
    expect(evidenceOf(assumed, SINCE)).toEqual([]);
  });
});

describe('receipts ahead of terminal rows', () => {
  it('field report 1: one failed record is a blip, three within the hour stop consumption', () => {
    expect(tripped(breakerAfter(unrecorded(1), unrecorded(2)))).toBeNull();
    expect(tripped(breakerAfter(unrecorded(1), unrecorded(2), unrecorded(3)))).toBe(
      'RECORDS_FAILING',
    );
  });

  it('spread over more than an hour they do not', () => {
    const hour = 3_600_001;
    expect(
      tripped(
        breakerAfter(unrecorded(1), unrecorded(2, SINCE + hour), unrecorded(3, SINCE + 2 * hour)),
      ),
    ).toBeNull();
  });

  it('what was made good is not counted', () => {
    const breaker = breakerAfter(unrecorded(1), unrecorded(2), recorded(1), unrecorded(3));
    expect(tripped(breaker)).toBeNull();
    expect(breaker.unrecorded.map(({ sendKey }) => sendKey)).toEqual(['k1_2', 'k1_3']);
  });

  it('what was seen before a resume is not counted again', () => {
    const resumed = resume(breakerAfter(unrecorded(1), unrecorded(2), unrecorded(3)), {
      ...OPERATOR,
      at: SINCE + 1,
    });
    expect(tripped(withEvidence(resumed, unrecorded(4, SINCE + 2)))).toBeNull();
  });

  it('the same failed record told twice is one', () => {
    const breaker = breakerAfter(unrecorded(1));
    expect(withEvidence(breaker, unrecorded(1))).toBe(breaker);
  });

  it('keeps a bounded memory', () => {
    const many = Array.from({ length: 200 }, (_, n) => unrecorded(n, SINCE + n * 3_600_001));
    expect(breakerAfter(...many).unrecorded).toHaveLength(50);
  });
});

describe('two receipts of one key', () => {
  it('trip when a later send of the key brings another one', () => {
    expect(tripped(breakerAfter(unrecorded(1), recorded(1, { receipt: 'rcpt_extra' })))).toBe(
      'OTHER_RECEIPT',
    );
  });

  it('trip when the row was found with another one', () => {
    const found = recorded(1, { receipt: 'rcpt_extra', proof: 'row' });
    expect(tripped(breakerAfter(unrecorded(1), found))).toBe('OTHER_RECEIPT');
  });

  it('trip when both could not be recorded', () => {
    const second: Evidence = {
      kind: 'unrecorded',
      sendKey: 'k1_1',
      attempt: 1,
      policyAttempt: null,
      receipt: 'x',
      at: SINCE,
    };
    expect(tripped(breakerAfter(unrecorded(1), second))).toBe('OTHER_RECEIPT');
  });

  it('field report 70: the same receipt 46 times is one receipt', () => {
    const repeats = Array.from({ length: 46 }, () => recorded(1));
    expect(tripped(breakerAfter(unrecorded(1), ...repeats))).toBeNull();
    expect(breakerAfter(...repeats)).toBe(FRESH_BREAKER);
  });

  it('are not seen in an answer to a question, nor in what a policy assumed', () => {
    const asked = recorded(1, { receipt: 'other-words', proof: 'question' });
    expect(tripped(breakerAfter(unrecorded(1), asked))).toBeNull();
    const assumed = recorded(1, { receipt: 'assumed', proof: 'row' });
    expect(tripped(breakerAfter(unrecorded(1), assumed))).toBeNull();
  });
});

describe('two receipts of one key that policy resend explains', () => {
  const resent = { attempt: 1, policyAttempt: 1, receipt: 'rcpt_second' };
  const bothUnrecorded: Evidence = {
    ...{ kind: 'unrecorded', sendKey: 'k1_1', at: SINCE },
    ...resent,
  };

  it.each([
    ['the later send is recorded', recorded(1, resent)],
    ['the row was found with it', recorded(1, { ...resent, proof: 'row' })],
    ['further attempts followed', recorded(1, { ...resent, attempt: 4 })],
  ])('are a duplicate that it accepted: %s', (_what, later) => {
    const breaker = breakerAfter(unrecorded(1));
    expect(duplicateByPolicy(breaker, later)).toBe('k1_1');
    expect(withEvidence(breaker, later)).toEqual(FRESH_BREAKER);
  });

  it('neither could be recorded, whichever is told first', () => {
    for (const told of [
      [unrecorded(1), bothUnrecorded],
      [bothUnrecorded, unrecorded(1)],
    ]) {
      const breaker = breakerAfter(...told);
      expect(tripped(breaker)).toBeNull();
      expect(breaker.unrecorded).toHaveLength(2);
    }
  });

  it.each([
    ['it sent before the first of them', { attempt: 2, policyAttempt: 1 }],
    ['it sent before both', { attempt: 3, policyAttempt: 0 }],
  ])('are not when %s', (_what, later) => {
    const first: Evidence = { ...bothUnrecorded, policyAttempt: later.policyAttempt };
    const breaker = breakerAfter(first);
    const other = recorded(1, later);
    expect(duplicateByPolicy(breaker, other)).toBeNull();
    expect(tripped(withEvidence(breaker, other))).toBe('OTHER_RECEIPT');
  });

  it('a policy that explains the first receipt does not explain the second', () => {
    const third = recorded(1, { attempt: 2, policyAttempt: 1, receipt: 'rcpt_third' });
    expect(tripped(breakerAfter(unrecorded(1), bothUnrecorded, third))).toBe('OTHER_RECEIPT');
  });

  it('the same receipt is no duplicate, policy or not', () => {
    const same = recorded(1, { attempt: 1, policyAttempt: 1 });
    expect(duplicateByPolicy(breakerAfter(unrecorded(1)), same)).toBeNull();
  });

  it('failed records still count as such', () => {
    const failing = [1, 2, 3].map((n): Evidence => ({ ...bothUnrecorded, sendKey: `k1_${n}` }));
    expect(tripped(breakerAfter(...failing))).toBe('RECORDS_FAILING');
  });

  it('a document of an earlier release says nothing of policies, and is read', () => {
    const { policyAttempt: _newer, ...entry } = { ...resent, sendKey: 'k1_1', at: SINCE };
    const document: unknown = { ...FRESH_BREAKER, unrecorded: [entry] };
    expect(readBreakerDocument(document)?.unrecorded).toEqual([{ ...entry, policyAttempt: null }]);
  });
});

describe('2xx without a receipt', () => {
  it('field report 7: five in a row on one channel stop everything', () => {
    const four = [1, 2, 3, 4].map((n) => noReceipt(n));
    expect(tripped(breakerAfter(...four))).toBeNull();
    expect(tripped(breakerAfter(...four, noReceipt(5)))).toBe('NO_RECEIPTS');
  });

  it('after a resume five more are needed, and enough', () => {
    const five = [1, 2, 3, 4, 5].map((n) => noReceipt(n));
    const resumed = resume(breakerAfter(...five), { ...OPERATOR, at: SINCE });
    const again = [6, 7, 8, 9].map((n) => noReceipt(n));
    expect(tripped(again.reduce(withEvidence, resumed))).toBeNull();
    expect(tripped([...again, noReceipt(10)].reduce(withEvidence, resumed))).toBe('NO_RECEIPTS');
  });

  it('a receipt between them shows that the provider works', () => {
    const four = [1, 2, 3, 4].map((n) => noReceipt(n));
    expect(tripped(breakerAfter(...four, recorded(9), noReceipt(5)))).toBeNull();
  });

  it('a receipt of another channel does not', () => {
    const four = [1, 2, 3, 4].map((n) => noReceipt(n));
    const other = recorded(9, { channel: 'email' });
    expect(tripped(breakerAfter(...four, other, noReceipt(5)))).toBe('NO_RECEIPTS');
  });

  it('channels are counted apart', () => {
    const four = [1, 2, 3, 4].map((n) => noReceipt(n));
    expect(tripped(breakerAfter(...four, noReceipt(5, 'email')))).toBeNull();
  });
});

describe('a row that says SENT without proof', () => {
  it('trips at once', () => {
    expect(tripped(breakerAfter({ kind: 'sent-without-receipt', at: SINCE }))).toBe(
      'SENT_WITHOUT_RECEIPT',
    );
  });
});

describe('refused credentials', () => {
  it('stop that channel only, until one send may probe it', () => {
    const breaker = breakerAfter(refused(SINCE));
    expect(breaker.mode.kind).toBe('running');
    expect(planRun(breaker, 8, SINCE + 59_999)?.stopped.get('push')).toBe('HTTP_401');
    expect(planRun(breaker, 8, SINCE + 60_000)?.probing.has('push')).toBe(true);
  });

  it('several in one run are one; every refused probe doubles the wait, up to a quarter of an hour', () => {
    let breaker = breakerAfter(refused(SINCE), refused(SINCE + 5), refused(SINCE + 9));
    const waits: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      const { probeAt } = breaker.channels['push'] ?? { probeAt: null };
      waits.push(((probeAt ?? 0) - SINCE) / 1000);
      breaker = withEvidence(breaker, refused(probeAt ?? 0));
    }
    expect(waits.map((at, n) => at - (waits[n - 1] ?? 0))).toEqual([60, 120, 240, 480, 900, 900]);
  });

  it('are over with the first receipt, and forgotten', () => {
    expect(breakerAfter(refused(SINCE), recorded(1)).channels).toEqual({});
  });

  it('do not weaken what an operator has stopped', () => {
    const stopped = stopChannel(FRESH_BREAKER, 'push', OPERATOR);
    expect(withEvidence(stopped, refused(SINCE))).toBe(stopped);
    expect(withEvidence(stopped, recorded(1))).toBe(stopped);
  });
});

describe('field report 49: heavy redelivery', () => {
  it('is no evidence, however heavy', () => {
    const duplicate = facts({ outcome: 'duplicate', receiptId: null });
    let breaker = FRESH_BREAKER;
    for (let n = 0; n < 1000; n += 1) {
      breaker = evidenceOf(duplicate, SINCE + n).reduce(withEvidence, breaker);
    }
    expect(breaker).toBe(FRESH_BREAKER);
  });
});

it('evidence met while paused is kept, and the pause keeps its reason', () => {
  const paused = pause(FRESH_BREAKER, OPERATOR);
  const next = withEvidence(paused, unrecorded(1));
  expect(next).toMatchObject({ reason: 'LOOKING_INTO_IT' });
  expect(next.unrecorded).toHaveLength(1);
});
