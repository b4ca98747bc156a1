import { describe, expect, it } from 'vitest';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { aClaimedRow, finished, takenOver } from '#test/support/ledger-rows.ts';
import { openLedger } from './open-ledger.ts';

const WORKERS = 24;

/** Many workers, one row: one winner, and every loser is shown the winner's row. */
export function racesSuite(engine: () => EmbeddedDynamo): void {
  describe('races', () => {
    it('parallel claims of one key: one winner, known to all', async () => {
      const { worker } = await openLedger(engine());
      const { sendKey } = aClaimedRow();
      const ledgers = [worker(), worker(), worker()];
      const rows = Array.from({ length: WORKERS }, () => aClaimedRow({ sendKey }));
      const answers = await Promise.all(
        rows.map((row, index) => ledgers[index % ledgers.length]?.claim(row)),
      );
      const winners = rows.filter((_row, index) => answers[index]?.kind === 'claimed');
      expect(winners).toHaveLength(1);
      const others = answers.filter((answer) => answer?.kind !== 'claimed');
      for (const answer of others) expect(answer).toEqual({ kind: 'exists', row: winners[0] });
    });

    it('parallel take-overs of one stale claim: one winner, known to all', async () => {
      const { ledger, worker } = await openLedger(engine());
      const stale = aClaimedRow();
      await ledger.claim(stale);
      const ledgers = [worker(), worker(), worker()];
      const rows = Array.from({ length: WORKERS }, () => takenOver(stale));
      const answers = await Promise.all(
        rows.map((row, index) => ledgers[index % ledgers.length]?.replace(row, stale)),
      );
      const winners = rows.filter((_row, index) => answers[index]?.kind === 'replaced');
      expect(winners).toHaveLength(1);
      const others = answers.filter((answer) => answer?.kind !== 'replaced');
      for (const answer of others) expect(answer).toEqual({ kind: 'lost', row: winners[0] });
    });

    it('a record and a take-over at the same moment: one of them, whole', async () => {
      const { ledger, worker } = await openLedger(engine());
      const other = worker();
      for (let round = 0; round < 10; round += 1) {
        const row = aClaimedRow();
        await ledger.claim(row);
        const sent = finished(row, 'SENT');
        const theirs = takenOver(row);
        const both = [() => ledger.replace(sent, row), () => other.replace(theirs, row)];
        if (round % 2 === 1) both.reverse();
        const answers = await Promise.all(both.map((write) => write()));
        const kinds = answers.map(({ kind }) => kind).sort();
        expect(kinds).toEqual(['lost', 'replaced']);
        const winner = (answers[round % 2]?.kind === 'replaced' ? sent : theirs) satisfies object;
        expect(await ledger.read(row.sendKey)).toEqual({ kind: 'row', row: winner });
        expect(answers).toContainEqual({ kind: 'lost', row: winner });
      }
    });

    it('parallel writes of a control document at one version: one is written', async () => {
      const { controls } = await openLedger(engine());
      const values = Array.from({ length: WORKERS }, (_, worker) => ({ worker }));
      const answers = await Promise.all(values.map((value) => controls.write('lease', value, 0)));
      const written = values.filter((_value, index) => answers[index]?.kind === 'written');
      expect(written).toHaveLength(1);
      expect(answers.filter(({ kind }) => kind === 'lost')).toHaveLength(WORKERS - 1);
      expect(await controls.read('lease')).toEqual({
        kind: 'document',
        value: written[0],
        version: 1,
      });
    });
  });
}
