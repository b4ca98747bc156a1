import { describe, expect, it } from 'vitest';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { aClaimedRow, finished, takenOver } from '#test/support/ledger-rows.ts';
import { HASTY, openLedger } from './open-ledger.ts';

const LOSSES = ['drop-answer', 'cut-answer'] as const;

/** Writes that were applied and whose answer never came: rule 3, our own token in the row. */
export function lostAnswersSuite(engine: () => EmbeddedDynamo): void {
  describe('rule 3: a write that was applied counts, though its answer was lost', () => {
    it.each(LOSSES)('claim: %s', async (loss) => {
      const { ledger, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      proxy.next('PutItem', loss);
      expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
      expect(proxy.counts()['PutItem']).toBe(2);
      expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row });
    });

    it.each(LOSSES)('record: %s', async (loss) => {
      const { ledger, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      const sent = finished(row, 'SENT');
      proxy.next('PutItem', loss);
      expect(await ledger.replace(sent, row)).toEqual({ kind: 'replaced' });
      expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row: sent });
    });

    it.each(LOSSES)('take-over: %s', async (loss) => {
      const { ledger, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      const mine = takenOver(row);
      proxy.next('PutItem', loss);
      expect(await ledger.replace(mine, row)).toEqual({ kind: 'replaced' });
      expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row: mine });
    });

    it('a silent connection: the attempt times out and the next one finds our token', async () => {
      const { ledger, proxy } = await openLedger(engine(), { ...HASTY, maxAttempts: 10 });
      const row = aClaimedRow();
      proxy.next('PutItem', 'withhold-answer');
      expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
      expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row });
    });

    it('a claim whose every answer is lost fails, and the same claim later is ours', async () => {
      const { ledger, worker, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      proxy.always('*', 'drop-answer');
      expect(await ledger.claim(row)).toEqual({ kind: 'failed', code: 'ECONNRESET' });
      proxy.always('*', 'pass');
      const stranger = aClaimedRow({ sendKey: row.sendKey });
      expect(await worker().claim(stranger)).toEqual({ kind: 'exists', row });
      expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
    });

    it('a record whose answer is lost does not hide a take-over that came between', async () => {
      const { ledger, worker, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      const unknown = finished(row, 'UNKNOWN');
      const theirs = takenOver(unknown);
      let attempts = 0;
      proxy.rule(({ operation }) => {
        if (operation !== 'PutItem') return undefined;
        attempts += 1;
        if (attempts === 1) return { kind: 'drop-answer' };
        return attempts === 2 ? { kind: 'delay', until: takeOver() } : undefined;
      });
      const takeOver = () => worker().replace(theirs, unknown);
      expect(await ledger.replace(unknown, row)).toEqual({ kind: 'lost', row: theirs });
    });

    it('a claim that was reset on its way is not applied, and is put again', async () => {
      const { ledger, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      proxy.next('PutItem', 'reset');
      expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
      expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row });
    });

    it('a control document: our own write counts, another’s does not', async () => {
      const { controls, proxy } = await openLedger(engine());
      proxy.next('PutItem', 'drop-answer');
      expect(await controls.write('redrive-lease', { by: 'a' }, 0)).toEqual({ kind: 'written' });
      expect(await controls.write('redrive-lease', { by: 'a' }, 0)).toEqual({ kind: 'lost' });
      proxy.next('PutItem', 'drop-answer');
      expect(await controls.write('redrive-lease', { by: 'b' }, 1)).toEqual({ kind: 'written' });
      expect(await controls.read('redrive-lease')).toEqual({
        kind: 'document',
        value: { by: 'b' },
        version: 2,
      });
    });
  });
}
