import { describe, expect, test } from 'vitest';
import { decodeRow, encodeRow } from '#adapters/dynamodb/row-codec.ts';
import type { ClaimToken } from '#core/brand.ts';
import { ASSUMED_RECEIPT, advance, type LedgerRecord } from '#core/ledger-record.ts';
import { planAfterClaim } from '#core/plan-after-claim.ts';
import { HEALTHY, planRedrive } from '#core/plan-redrive.ts';
import { planResolution, type ResolutionDecision, scrubbedNote } from '#core/resolve.ts';
import { ATTEMPTS, aDelivery, aRow, DUE_AT, HOUR_MS, SETTINGS } from '#test/support/core-data.ts';

const NOW = DUE_AT + HOUR_MS;
const TOKEN = 't_operator' as ClaimToken;
const BLIND = { providerClass: 'blind', windowSeconds: null } as const;
const parked = (change: Partial<LedgerRecord> = {}) =>
  aRow('UNKNOWN', { reason: 'PARKED_BLIND', notBefore: null, ...change }, aDelivery({}, BLIND));

function decided(
  row: LedgerRecord,
  decision: ResolutionDecision,
  note = 'seen in their dashboard',
) {
  const plan = planResolution(row, decision, note, TOKEN, NOW, SETTINGS);
  if (plan.kind === 'refused') throw new Error(plan.code);
  return plan.next;
}
const refusal = (row: LedgerRecord, decision: ResolutionDecision, note = 'seen') =>
  planResolution(row, decision, note, TOKEN, NOW, SETTINGS);

describe('sent', () => {
  test('ends the row with the receipt and the reason', () => {
    const next = decided(parked(), { kind: 'sent', receipt: ' msg_77 ' });
    expect(next).toMatchObject({
      state: 'SENT',
      receipt: 'msg_77',
      reason: 'RESOLVED_SENT',
      claimToken: TOKEN,
      notBefore: null,
    });
    expect(next.history.slice(-2).map(({ reason }) => reason)).toEqual([
      'SENT:seen-in-their-dashboard',
      'RESOLVED_SENT',
    ]);
    expect(next.history.length).toBe(parked().history.length + 2);
  });

  test.each(['', ' ', 'two words', 'ünïcode', 'x'.repeat(201), ASSUMED_RECEIPT])(
    'needs a receipt that a provider could give: %j',
    (receipt) => {
      expect(refusal(parked(), { kind: 'sent', receipt })).toEqual({
        kind: 'refused',
        code: 'RECEIPT_INVALID',
      });
    },
  );

  test('assumed: without a proof, and it says so', () => {
    expect(decided(parked(), { kind: 'assumed-sent' })).toMatchObject({
      state: 'SENT',
      receipt: ASSUMED_RECEIPT,
      reason: 'RESOLVED_ASSUMED_SENT',
    });
  });
});

describe('not sent', () => {
  test('reopens: due now, the next attempt, a new budget, nothing left of the send', () => {
    const next = decided(parked({ attempt: 5, redriveCount: 2 }), { kind: 'not-sent' });
    expect(next).toMatchObject({
      state: 'DEFERRED',
      notBefore: NOW,
      attempt: 6,
      attemptLimit: 6 + ATTEMPTS,
      redriveCount: 3,
      firstSendAt: null,
      receipt: null,
      claimToken: TOKEN,
    });
    expect(next.history.at(-2)).toMatchObject({ reason: 'NOT_SENT:seen-in-their-dashboard' });
  });

  test('leads to one more send: its dead letter is redriven, at the cap too, and then claimed', () => {
    const delivery = aDelivery({}, BLIND);
    const next = decided(parked({ redriveCount: 3 }), { kind: 'not-sent' });
    const rules = { cap: 3, trigger: 'scheduled', force: false, settings: SETTINGS } as const;
    const moment = { now: NOW, health: HEALTHY, redrivenThisRun: false, token: TOKEN };
    const seen = { kind: 'valid', delivery, row: { kind: 'row', row: next } } as const;
    expect(planRedrive(seen, rules, moment)).toMatchObject({ action: 'redrive' });
    const found = { row: next, delivery, token: TOKEN, now: NOW, fraction: 0, settings: SETTINGS };
    expect(planAfterClaim(found)).toMatchObject({
      kind: 'take-over',
      askFirst: false,
      uncertain: false,
      next: { firstSendAt: NOW, attempt: 1 },
    });
  });
});

describe('nothing to decide', () => {
  test.each(['SENT', 'DEFERRED', 'REJECTED', 'EXPIRED', 'EXHAUSTED'] as const)('%s', (state) => {
    for (const kind of ['not-sent', 'assumed-sent'] as const) {
      expect(refusal(aRow(state), { kind })).toEqual({ kind: 'refused', code: 'NOT_UNRESOLVED' });
    }
  });

  test('a claim is undecided once its lease and the skew allowance are over', () => {
    const alive = aRow('CLAIMED', { leaseUntil: NOW - SETTINGS.skewMs + 1 });
    expect(refusal(alive, { kind: 'not-sent' })).toEqual({ kind: 'refused', code: 'CLAIM_ALIVE' });
    const stale = aRow('CLAIMED', { leaseUntil: NOW - SETTINGS.skewMs });
    expect(decided(stale, { kind: 'not-sent' })).toMatchObject({ state: 'DEFERRED' });
  });

  test('a decision without a reason', () => {
    for (const note of ['', '  ', 'a@b.example', '+49 170 1234567']) {
      expect(refusal(parked(), { kind: 'not-sent' }, note)).toEqual({
        kind: 'refused',
        code: 'NOTE_MISSING',
      });
    }
  });
});

test('field report 76: the note keeps no address, number or key', () => {
  const note = scrubbedNote(
    'asked Ann <ann@example.com>, +49 (170) 123-4567, sk_live_0123456789abcdefghij!',
  );
  expect(note).toBe('asked-Ann');
  expect(scrubbedNote('x '.repeat(400)).length).toBeLessThanOrEqual(48);
});

test('the note survives the row codec, also in a row with a full history', () => {
  let row = parked();
  for (let step = 0; step < 10; step += 1) {
    row = advance(row, { state: 'UNKNOWN', reason: 'PARKED_BLIND', attempt: step }, NOW, 1);
  }
  const next = decided(row, { kind: 'not-sent' }, 'support says no');
  const stored = decodeRow(encodeRow(next));
  expect(stored.kind === 'row' && stored.row.history.at(-2)?.reason).toBe(
    'NOT_SENT:support-says-no',
  );
});
