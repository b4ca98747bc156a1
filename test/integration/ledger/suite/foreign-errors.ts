import { describe, expect, it } from 'vitest';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { aClaimedRow, finished } from '#test/support/ledger-rows.ts';
import { openLedger } from './open-ledger.ts';

/** How services and gateways spell one error; only its name counts. */
const SPELLINGS = [
  'ConditionalCheckFailedException',
  'com.amazon.coral.service#ConditionalCheckFailedException',
  'aws.protocoltests#ConditionalCheckFailedException:http://amazon.com/doc/2012-08-10/',
];

export function foreignErrorsSuite(engine: () => EmbeddedDynamo): void {
  describe('rule 8: errors are recognised by name', () => {
    it.each(SPELLINGS)('field report 18: %s is a refused condition', async (spelling) => {
      const { ledger, worker, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      let respelt = 0;
      const rewrite = (body: string) => {
        respelt += 1;
        return JSON.stringify({ ...(JSON.parse(body) as object), __type: spelling });
      };
      proxy.next('PutItem', { kind: 'rewrite', rewrite }, 2);
      const stranger = aClaimedRow({ sendKey: row.sendKey });
      expect(await worker().claim(stranger)).toEqual({ kind: 'exists', row });
      expect(await worker().replace(finished(stranger, 'SENT'), stranger)).toEqual({
        kind: 'lost',
        row,
      });
      expect(respelt).toBe(2);
    });

    it('an error of another name is a failure of that name, whatever else it carries', async () => {
      const { ledger, worker, proxy } = await openLedger(engine());
      const row = aClaimedRow();
      await ledger.claim(row);
      proxy.next('PutItem', {
        kind: 'rewrite',
        rewrite: (body) =>
          JSON.stringify({ ...(JSON.parse(body) as object), __type: 'x#ConditionalCheckFailed' }),
      });
      expect(await worker().claim(aClaimedRow({ sendKey: row.sendKey }))).toEqual({
        kind: 'failed',
        code: 'ConditionalCheckFailed',
      });
    });
  });
}
