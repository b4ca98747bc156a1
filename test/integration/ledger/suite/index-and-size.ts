import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { encodeRow } from '#adapters/dynamodb/row-codec.ts';
import { LEDGER_STATES, type LedgerRecord } from '#core/ledger-record.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { aClaimedRow, BASE_AT, finished, takenOver } from '#test/support/ledger-rows.ts';
import { type OpenLedger, openLedger, plant, plantRow } from './open-ledger.ts';

const NO_CURSORS = ['1', 'null', '{}', '["k","u"]', '[1,2,3]', '["k","u","3"]', '["k","u",3,4]'];
const base64 = (text: string) => Buffer.from(text).toString('base64url');

/** The index of unresolved rows, the size of a row, and what the calls cost. */
export function indexAndSizeSuite(engine: () => EmbeddedDynamo): void {
  describe('unresolved rows', () => {
    it('are listed while UNKNOWN, and not before or after', async () => {
      const { ledger } = await openLedger(engine());
      const row = aClaimedRow();
      const listed = async () => {
        const page = await ledger.unresolved({ limit: 10 });
        return page.kind === 'page' ? page.rows : page;
      };
      await ledger.claim(row);
      expect(await listed()).toEqual([]);
      const unknown = finished(row, 'UNKNOWN');
      await ledger.replace(unknown, row);
      expect(await listed()).toEqual([unknown]);
      const again = takenOver(unknown);
      await ledger.replace(again, unknown);
      expect(await listed()).toEqual([]);
      const unknownAgain = finished(again, 'UNKNOWN');
      await ledger.replace(unknownAgain, again);
      expect(await listed()).toEqual([unknownAgain]);
      await ledger.replace(finished(unknownAgain, 'SENT'), unknownAgain);
      expect(await listed()).toEqual([]);
    });

    it('no other state is in the index', async () => {
      const open = await openLedger(engine());
      for (const state of LEDGER_STATES) await plantRow(open, finished(aClaimedRow(), state));
      const page = await open.ledger.unresolved({ limit: 100 });
      expect(page.kind === 'page' && page.rows.map(({ state }) => state)).toEqual(['UNKNOWN']);
    });

    it('come oldest first, page by page, each once, equal instants included', async () => {
      const open = await openLedger(engine());
      const rows = Array.from({ length: 23 }, (_, index) => {
        const claimedAt = BASE_AT - Math.floor(index / 3) * 60_000;
        return finished(aClaimedRow({ claimedAt, firstSendAt: claimedAt }), 'UNKNOWN');
      });
      for (const row of rows) await plantRow(open, row);
      const { seen, pages } = await walk(open, 5);
      expect(pages).toBeGreaterThanOrEqual(5);
      expect(seen.map(({ sendKey }) => sendKey).sort()).toEqual(
        rows.map(({ sendKey }) => sendKey).sort(),
      );
      const instants = seen.map(({ firstSendAt }) => firstSendAt);
      expect(instants).toEqual(instants.toSorted((a, b) => Number(a) - Number(b)));
    });

    it.each(['', 'no cursor', ...NO_CURSORS.map(base64)])(
      'a cursor that is none is refused: %j',
      async (cursor) => {
        const { ledger, proxy } = await openLedger(engine());
        const answer = await ledger.unresolved({ limit: 5, cursor });
        expect(answer).toEqual({ kind: 'failed', code: 'CURSOR_INVALID' });
        expect(proxy.requests).toEqual([]);
      },
    );

    it('an unreadable row is named and hides no other', async () => {
      const open = await openLedger(engine());
      const good = finished(aClaimedRow(), 'UNKNOWN');
      const bad = finished(aClaimedRow(), 'UNKNOWN');
      await plantRow(open, good);
      await plant(open, { ...encodeRow(bad), history: 'torn' });
      expect(await open.ledger.unresolved({ limit: 10 })).toEqual({
        kind: 'page',
        rows: [good],
        unreadable: [bad.sendKey],
      });
    });
  });

  describe('a row costs one write unit', () => {
    it.each(['SENT', 'UNKNOWN'] as const)('%s, ten transitions, long texts', async (state) => {
      const open = await openLedger(engine());
      const answer = await open.direct.send(
        new PutCommand({
          TableName: open.tableName,
          Item: encodeRow(longRow(state)),
          ReturnConsumedCapacity: 'INDEXES',
        }),
      );
      expect(answer.ConsumedCapacity?.Table?.CapacityUnits).toBe(1);
    });
  });

  describe('what the calls cost', () => {
    it('the happy path is two writes', async () => {
      const { ledger, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      await ledger.replace(finished(row, 'SENT'), row);
      expect(proxy.counts()).toEqual({ PutItem: 2 });
    });

    it('a quiet duplicate is one refused put, and a read only where the engine keeps the row', async () => {
      const { ledger, proxy, engine: own } = await openLedger(engine());
      const row = finished(aClaimedRow(), 'SENT');
      await ledger.claim(row);
      proxy.calm();
      await ledger.claim(aClaimedRow({ sendKey: row.sendKey }));
      const reads = own.gaps.noOldItem ? { GetItem: 1 } : {};
      expect(proxy.counts()).toEqual({ PutItem: 1, ...reads });
    });
  });
}

async function walk(open: OpenLedger, limit: number) {
  const seen: LedgerRecord[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await open.ledger.unresolved({ limit, ...(cursor !== undefined && { cursor }) });
    if (page.kind === 'failed') throw new Error(page.code);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    seen.push(...page.rows);
    cursor = page.cursor;
    pages += 1;
  } while (cursor !== undefined && pages < 100);
  return { seen, pages };
}

function longRow(state: 'SENT' | 'UNKNOWN'): LedgerRecord {
  let row = aClaimedRow();
  for (let step = 0; step < 20; step += 1) row = finished(row, step % 2 ? 'CLAIMED' : 'DEFERRED');
  const text = 'The provider said: ünbelievable things. '.repeat(40);
  return finished({ ...row, redriveCount: 3 }, state, { receipt: text, notBefore: BASE_AT });
}
