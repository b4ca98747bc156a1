import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeRow } from '#adapters/dynamodb/row-codec.ts';
import { LEDGER_STATES } from '#core/ledger-record.ts';
import { createLedgerTableOn } from '#infra/local/dynamodb/create-ledger-table.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import {
  aClaimedRow,
  aClaimToken,
  BASE_AT,
  finished,
  takenOver,
} from '#test/support/ledger-rows.ts';
import { openLedger, openTable, plant, plantRow, storedItem } from './open-ledger.ts';

/** Protocol section 2, the rules that the ledger itself keeps. */
export function rulesSuite(engine: () => EmbeddedDynamo): void {
  describe('rule 2: every finishing write is fenced', () => {
    it.each(LEDGER_STATES)(
      '%s is recorded under the token and state that were seen',
      async (state) => {
        const { ledger } = await openLedger(engine());
        const row = aClaimedRow();
        await ledger.claim(row);
        const done = finished(row, state);
        expect(await ledger.replace(done, row)).toEqual({ kind: 'replaced' });
        expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row: done });
      },
    );

    it('another token changes nothing and is shown the row', async () => {
      const open = await openLedger(engine());
      const row = aClaimedRow();
      await open.ledger.claim(row);
      const stranger = finished({ ...row, claimToken: aClaimToken() }, 'SENT');
      const answer = await open.ledger.replace(stranger, { ...stranger, state: 'CLAIMED' });
      expect(answer).toEqual({ kind: 'lost', row });
      expect(await storedItem(open, row.sendKey)).toEqual(encodeRow(row));
    });

    it('another state changes nothing and is shown the row', async () => {
      const open = await openLedger(engine());
      const row = aClaimedRow();
      const sent = finished(row, 'SENT');
      await plantRow(open, sent);
      const answer = await open.ledger.replace(finished(row, 'UNKNOWN'), row);
      expect(answer).toEqual({ kind: 'lost', row: sent });
      expect(await storedItem(open, row.sendKey)).toEqual(encodeRow(sent));
    });

    it('field report 28: a record on a missing row loses and leaves no ghost', async () => {
      const open = await openLedger(engine());
      const row = aClaimedRow();
      const answer = await open.ledger.replace(finished(row, 'SENT'), row);
      expect(answer).toEqual({ kind: 'lost', row: undefined });
      expect(await storedItem(open, row.sendKey)).toBeUndefined();
      expect(await open.ledger.read(row.sendKey)).toEqual({ kind: 'absent' });
    });

    it('field report 23: a worker that wakes after a take-over records nothing', async () => {
      const { ledger, worker } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      const other = worker();
      const theirs = takenOver(row);
      expect(await other.replace(theirs, row)).toEqual({ kind: 'replaced' });
      const late = await ledger.replace(finished(row, 'SENT', { receipt: 'rcpt_late' }), row);
      expect(late).toEqual({ kind: 'lost', row: theirs });
      const sent = finished(theirs, 'SENT', { receipt: 'rcpt_theirs' });
      expect(await other.replace(sent, theirs)).toEqual({ kind: 'replaced' });
      expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row: sent });
    });
  });

  describe('rule 3: a failed condition is not an answer; the row is', () => {
    it('a duplicate is shown the whole row that is there', async () => {
      const { ledger } = await openLedger(engine());
      const row = aClaimedRow();
      const duplicate = aClaimedRow({ sendKey: row.sendKey });
      expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
      expect(await ledger.claim(duplicate)).toEqual({ kind: 'exists', row });
    });

    it('our own claim, put twice, is ours', async () => {
      const { ledger } = await openLedger(engine());
      const row = aClaimedRow();
      expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
      expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
    });

    it('our own token in a row that has moved on is no claim', async () => {
      const { ledger } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      const sent = finished(row, 'SENT');
      await ledger.replace(sent, row);
      expect(await ledger.claim(row)).toEqual({ kind: 'exists', row: sent });
    });

    it('field report 27: without an old item the row is read, consistently', async () => {
      const { ledger, proxy, engine: own } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      proxy.calm().rule(() => ({ kind: 'rewrite', rewrite: withoutOldItem }));
      const duplicate = aClaimedRow({ sendKey: row.sendKey });
      expect(await ledger.claim(duplicate)).toEqual({ kind: 'exists', row });
      expect(await ledger.replace(finished(duplicate, 'SENT'), duplicate)).toEqual({
        kind: 'lost',
        row,
      });
      expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
      expect(proxy.counts(), own.engine).toEqual({ PutItem: 3, GetItem: 3 });
      const reads = proxy.requests.filter(({ operation }) => operation === 'GetItem');
      for (const { body } of reads)
        expect(JSON.parse(body)).toMatchObject({ ConsistentRead: true });
    });

    it('field report 17: a warm worker sees SENT at once, and nothing but SENT', async () => {
      const { ledger, worker } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      const held = await worker().claim(aClaimedRow({ sendKey: row.sendKey }));
      expect(held).toEqual({ kind: 'exists', row });
      const sent = finished(row, 'SENT');
      await ledger.replace(sent, row);
      const again = aClaimedRow({ sendKey: row.sendKey });
      expect(await ledger.claim(again)).toEqual({ kind: 'exists', row: sent });
      expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row: sent });
    });
  });

  describe('rule 4: rows are never deleted, and a present row blocks', () => {
    it('field report 21: a SENT row whose TTL is three days over still blocks', async () => {
      const tableName = `ledger-${randomUUID()}`;
      // Without TTL on the table, or the engine may delete the row before it is asked for.
      await createLedgerTableOn(engine().client(), tableName, false);
      const open = await openTable(engine(), tableName);
      const row = aClaimedRow();
      const now = Math.floor(Date.now() / 1000);
      const sent = { ...finished(row, 'SENT'), expiresAt: now - 3 * 86_400 };
      await plantRow(open, sent);
      const again = aClaimedRow({ sendKey: row.sendKey });
      expect(await open.ledger.claim(again)).toEqual({ kind: 'exists', row: sent });
    });

    it('no call of the ledger deletes, updates in place or scans', async () => {
      const { ledger, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      await ledger.claim(aClaimedRow({ sendKey: row.sendKey }));
      await ledger.replace(finished(row, 'UNKNOWN'), row);
      await ledger.read(row.sendKey);
      await ledger.unresolved({ limit: 5 });
      expect(Object.keys(proxy.counts()).filter((name) => !ALLOWED.includes(name))).toEqual([]);
    });
  });

  describe('rule 5: leases are stored instants; presence and TTL say nothing', () => {
    it('field report 22: a lease that ended ten minutes ago is shown as it is, not given away', async () => {
      const { ledger } = await openLedger(engine());
      const endedAt = Date.now() - 600_000;
      const row = aClaimedRow({ claimedAt: endedAt - 90_000, leaseUntil: endedAt });
      await ledger.claim(row);
      const next = aClaimedRow({ sendKey: row.sendKey });
      const found = await ledger.claim(next);
      expect(found).toEqual({ kind: 'exists', row });
      expect(found.kind === 'exists' && found.row.leaseUntil).toBe(endedAt);
    });

    it('a stale claim goes to the worker that names its token, once', async () => {
      const { ledger } = await openLedger(engine());
      const row = aClaimedRow({ claimedAt: BASE_AT - 10 * 86_400_000 });
      await ledger.claim(row);
      const mine = takenOver(row);
      expect(await ledger.replace(mine, row)).toEqual({ kind: 'replaced' });
      expect(await ledger.replace(takenOver(row), row)).toEqual({ kind: 'lost', row: mine });
    });
  });

  describe('a row that cannot be read is neither absent nor free', () => {
    const good = encodeRow(finished(aClaimedRow(), 'UNKNOWN'));
    const { token: _token, ...withoutToken } = good;
    const { format: _format, ...withoutFormat } = good;
    it.each([
      ['lacks its token', withoutToken],
      ['has a state that is none', { ...good, state: 'SENDING' }],
      ['has a layout of another release', { ...good, format: 'row/2' }],
      ['has no layout', withoutFormat],
      ['has a text for a number', { ...good, attempt: 'one' }],
      ['has a number beyond whole numbers', { ...good, lease: 2n ** 60n }],
      ['has a broken history', { ...good, history: 'U:zz' }],
    ])('%s', async (_title, item) => {
      const open = await openLedger(engine());
      const row = aClaimedRow({ sendKey: String(good['pk']) as never });
      await plant(open, item);
      const unreadable = { kind: 'failed', code: 'ROW_UNREADABLE' };
      expect(await open.ledger.claim(row)).toEqual(unreadable);
      expect(await open.ledger.read(row.sendKey)).toEqual(unreadable);
      expect(await open.ledger.replace(finished(row, 'SENT'), row)).toEqual(unreadable);
      expect(await storedItem(open, row.sendKey)).toEqual(item);
    });
  });
}

const ALLOWED = ['PutItem', 'GetItem', 'Query'];

function withoutOldItem(body: string): string {
  const answer = JSON.parse(body) as Record<string, unknown>;
  if (!String(answer['__type']).endsWith('ConditionalCheckFailedException')) return body;
  const { Item: _item, ...rest } = answer;
  return JSON.stringify(rest);
}
