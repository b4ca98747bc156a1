import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemBytes } from '#adapters/dynamodb/item.ts';
import { decodeRow, encodeRow, MAX_ROW_BYTES } from '#adapters/dynamodb/row-codec.ts';
import { ROW } from '#adapters/dynamodb/table-schema.ts';
import type { ClaimToken, SendKey } from '#core/brand.ts';
import { LEDGER_STATES, type LedgerRecord } from '#core/ledger-record.ts';
import { aClaimedRow, BASE_AT, finished } from '#test/support/ledger-rows.ts';

const instant = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
const count = fc.nat(1_000_000_000);
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const code = (maxLength: number) =>
  fc
    .string({ unit: fc.constantFrom(...'ABCDEFGHIJ_0123456789'), maxLength: maxLength - 1 })
    .map((rest) => `R${rest}`);
const name = fc.string({
  unit: fc.constantFrom(...'abcdefghij-0123456789'),
  minLength: 1,
  maxLength: 16,
});

/** A row; texts of others come from `texts`, reasons from `reasons`. */
function rows(reasons: fc.Arbitrary<string>, texts: fc.Arbitrary<string>) {
  return fc.record({
    sendKey: hex(64).map((digest) => `k1_${digest}` as SendKey),
    state: fc.constantFrom(...LEDGER_STATES),
    claimToken: fc.uuid().map((token) => token as ClaimToken),
    claimedAt: instant,
    leaseUntil: instant,
    attempt: count,
    attemptLimit: count,
    firstSendAt: fc.option(instant),
    notBefore: fc.option(instant),
    bodyHash: hex(32).map((digest) => `b1_${digest}`),
    receipt: fc.option(texts),
    provider: name,
    channel: name,
    redriveCount: count,
    userRef: hex(32).map((digest) => `u1_${digest}`),
    scheduledAt: instant,
    reason: reasons,
    history: fc.array(
      fc.record({
        state: fc.constantFrom(...LEDGER_STATES),
        at: instant,
        attempt: count,
        reason: reasons,
      }),
      { maxLength: 10 },
    ),
    expiresAt: count,
  }) satisfies fc.Arbitrary<LedgerRecord>;
}

const receipts = fc.string({ minLength: 1, maxLength: 64 }).map((text) => text.replace(/ /g, '.'));
/** What the product writes: short codes, receipts of ordinary length. */
const ordinaryRows = rows(code(10), receipts);
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 2_000 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constant('é'.repeat(600)),
);
/** Whatever a provider or an operator may say. */
const wildRows = rows(anyText, anyText);

function decoded(item: Readonly<Record<string, unknown>>): LedgerRecord {
  const answer = decodeRow(item);
  if (answer.kind === 'unreadable') throw new Error(answer.problem);
  return answer.row;
}

/** A row at its tenth transition or later, with reasons of the given length. */
function seasoned(reasonLength: number, change: Partial<LedgerRecord> = {}): LedgerRecord {
  const reason = 'R'.repeat(reasonLength);
  const history = Array.from({ length: 10 }, (_, index) => ({
    state: index % 2 === 0 ? ('CLAIMED' as const) : ('DEFERRED' as const),
    at: BASE_AT + index * 21_600_000,
    attempt: Math.floor(index / 2),
    reason,
  }));
  return aClaimedRow({ history, reason, ...change });
}

describe('row codec', () => {
  it('gives back every ordinary row as it was', () => {
    fc.assert(
      fc.property(ordinaryRows, (row) => {
        expect(decoded(encodeRow(row))).toEqual(row);
      }),
    );
  });

  it('keeps any row below one write unit, identity and figures whole', () => {
    fc.assert(
      fc.property(wildRows, (row) => {
        const item = encodeRow(row);
        expect(itemBytes(item)).toBeLessThanOrEqual(MAX_ROW_BYTES);
        const { reason: _r, receipt: _p, history, ...rest } = decoded(item);
        expect(row).toMatchObject(rest);
        const states = row.history.map(({ state, at, attempt }) => ({ state, at, attempt }));
        const kept = history.map(({ state, at, attempt }) => ({ state, at, attempt }));
        expect(kept).toEqual(states.slice(states.length - kept.length));
      }),
      { numRuns: 300 },
    );
  });

  it('writes what it read without change, so that a cut text is cut once', () => {
    fc.assert(
      fc.property(wildRows, (row) => {
        const item = encodeRow(row);
        expect(encodeRow(decoded(item))).toEqual(item);
      }),
    );
  });

  it('keeps all ten transitions beside a receipt of 256 characters', () => {
    const receipt = 'r'.repeat(256);
    const sent = seasoned(16, { state: 'SENT', receipt });
    expect(decoded(encodeRow(sent))).toEqual(sent);
    expect(itemBytes(encodeRow(sent))).toBeLessThanOrEqual(MAX_ROW_BYTES);
  });

  it('shortens long reasons before it drops a transition', () => {
    const row = seasoned(64, { state: 'SENT', receipt: 'r'.repeat(256) });
    const { history } = decoded(encodeRow(row));
    expect(history).toHaveLength(10);
    expect(history.every(({ reason }) => /^R{4,24}$/.test(reason))).toBe(true);
  });

  it('drops the oldest transitions where nothing else helps', () => {
    const wide = 'w'.repeat(67);
    const names = { provider: wide, channel: wide, bodyHash: wide, userRef: wide };
    const row = seasoned(64, { state: 'UNKNOWN', receipt: 'r'.repeat(256), ...names });
    const item = encodeRow(row);
    const { history } = decoded(item);
    expect(itemBytes(item)).toBeLessThanOrEqual(MAX_ROW_BYTES);
    expect(history.length).toBeLessThan(10);
    expect(history.at(-1)?.at).toBe(row.history.at(-1)?.at);
  });

  it.each([
    ['line\nbreak and\ttab', 'line_break_and_tab'],
    ['grüße 🎉', 'gr__e___'],
    ['', '-'],
    ['<abc.123@mail.example>', '<abc.123@mail.example>'],
    ['x'.repeat(300), 'x'.repeat(256)],
  ])('scrubs a receipt: %j', (receipt, stored) => {
    const row = finished(aClaimedRow(), 'SENT', { receipt });
    expect(decoded(encodeRow(row)).receipt).toBe(stored);
  });

  it.each([
    ['RECORD_FAILED_AFTER_ACCEPTANCE', 'RECORD_FAILED_AFTER_ACCEPTANCE'],
    ['OPERATOR_SENT: seen in their log', 'OPERATOR_SENT:_seen_in_their_log'],
    ['550 no mailbox <ann@mail.example>', '550_no_mailbox__'],
    [`${'x'.repeat(60)} ann@mail.example`, `${'x'.repeat(60)}__`],
    ['call +49 (30) 1234-567 back', 'call___back'],
    ['+237673479737', '_'],
    ['C:0:0:FAKE S:1:0:FAKE', 'C:0:0:FAKE_S:1:0:FAKE'],
    ['', '-'],
  ])('scrubs a reason, in the row and in its history: %j', (reason, stored) => {
    const row = aClaimedRow({
      reason,
      history: [{ state: 'CLAIMED', at: BASE_AT, attempt: 0, reason }],
    });
    const back = decoded(encodeRow(row));
    expect(back.reason).toBe(stored);
    expect(back.history).toEqual([{ ...row.history[0], reason: stored }]);
  });

  it('field report 76: no address or number given as a reason reaches the table', () => {
    const said = 'to a@b.c or +237673479737, "Hi Ann"';
    const text = JSON.stringify(
      encodeRow(finished({ ...aClaimedRow(), reason: said }, 'REJECTED')),
    );
    const row = JSON.stringify(encodeRow({ ...aClaimedRow(), reason: said }));
    for (const planted of ['a@b.c', 'b.c', '237673479737']) {
      expect(row).not.toContain(planted);
      expect(text).not.toContain(planted);
    }
  });

  it('writes the index attributes for UNKNOWN only, from the start of the doubt', () => {
    for (const state of LEDGER_STATES) {
      const row = { ...aClaimedRow(), state, firstSendAt: BASE_AT - 5, claimedAt: BASE_AT };
      const { unresolvedShard, unresolvedSince } = encodeRow(row);
      const expected = state === 'UNKNOWN' ? ['u', BASE_AT - 5] : [undefined, undefined];
      expect([unresolvedShard, unresolvedSince]).toEqual(expected);
    }
    const undated = { ...aClaimedRow(), state: 'UNKNOWN' as const, firstSendAt: null };
    expect(encodeRow(undated)['unresolvedSince']).toBe(undated.claimedAt);
  });

  it('reads no row that lacks a required attribute', () => {
    const item = encodeRow(finished(aClaimedRow(), 'SENT'));
    const optional = [ROW.firstSendAt, ROW.notBefore, ROW.receipt] as string[];
    for (const attribute of Object.keys(item)) {
      const { [attribute]: _gone, ...rest } = item;
      const kind = optional.includes(attribute) ? 'row' : 'unreadable';
      expect([attribute, decodeRow(rest).kind]).toEqual([attribute, kind]);
    }
  });

  it('reads no row with a value of another type, and names the attribute, not the value', () => {
    const item = encodeRow({ ...finished(aClaimedRow(), 'SENT'), notBefore: BASE_AT });
    const wrong = [null, true, ['secret-value'], { secret: 'secret-value' }, Number.NaN, 1.5, ''];
    for (const attribute of Object.keys(item)) {
      const other = typeof item[attribute] === 'string' ? 7 : 'secret-value';
      for (const value of [...wrong, other]) {
        const answer = decodeRow({ ...item, [attribute]: value });
        expect([attribute, value, answer.kind]).toEqual([attribute, value, 'unreadable']);
        const problem = answer.kind === 'unreadable' ? answer.problem : '';
        expect(problem).toContain(attribute);
        expect(problem).not.toContain('secret-value');
      }
    }
  });

  it('never throws on anything a table may hold', () => {
    const value = fc.oneof(fc.anything(), fc.constantFrom('row/1', 'SENT', 'C:0:0:A', 5));
    const attributes = fc.constantFrom(...Object.values(ROW));
    fc.assert(
      fc.property(fc.dictionary(attributes, value), (item) => {
        expect(['row', 'unreadable']).toContain(decodeRow(item).kind);
      }),
    );
  });

  it.each([
    ['an empty token', { claimToken: '' as ClaimToken }],
    ['a send key as long as a document', { sendKey: 'k'.repeat(500) as SendKey }],
    ['half a millisecond', { leaseUntil: 0.5 }],
    ['no number', { attempt: Number.NaN }],
    ['an endless number', { notBefore: Number.POSITIVE_INFINITY }],
  ])('refuses to write %s', (_title, change) => {
    expect(() => encodeRow(aClaimedRow(change))).toThrow(
      expect.objectContaining({ code: 'ROW_UNWRITABLE' }),
    );
  });
});
