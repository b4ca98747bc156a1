import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { dynamoError, notDynamo } from '#test/support/dynamo-answers.ts';
import type { ProxyFault } from '#test/support/faulty-proxy.ts';
import { aClaimedRow, aSendKey, finished } from '#test/support/ledger-rows.ts';
import { HASTY, openLedger, openTable, PATIENT, storedItem } from './open-ledger.ts';

const ONE_ATTEMPT = { ...PATIENT, maxAttempts: 1 };

/** Protocol section 2 rule 1: no successful claim write, no send. */
export function failuresSuite(engine: () => EmbeddedDynamo): void {
  describe('rule 1: an unwell ledger never looks like an empty one', () => {
    it('field report 2: a read-only table fails every claim, though reads work', async () => {
      const open = await openLedger(engine());
      open.proxy.always('PutItem', dynamoError('AccessDeniedException'));
      for (let message = 0; message < 5; message += 1) {
        const row = aClaimedRow();
        expect(await open.ledger.claim(row)).toEqual({
          kind: 'failed',
          code: 'AccessDeniedException',
        });
        expect(await open.ledger.read(row.sendKey)).toEqual({ kind: 'absent' });
        expect(await storedItem(open, row.sendKey)).toBeUndefined();
      }
      expect(open.proxy.counts()['PutItem'], 'a denial is not repeated').toBe(5);
    });

    it('a table that is not there fails every call', async () => {
      const { ledger, controls } = await openTable(engine(), `absent-${randomUUID()}`);
      const row = aClaimedRow();
      const missing = { kind: 'failed', code: 'ResourceNotFoundException' };
      expect(await ledger.claim(row)).toEqual(missing);
      expect(await ledger.replace(finished(row, 'SENT'), row)).toEqual(missing);
      expect(await ledger.read(row.sendKey)).toEqual(missing);
      expect(await ledger.unresolved({ limit: 10 })).toEqual(missing);
      expect(await controls.read('breaker')).toEqual(missing);
      expect(await controls.write('breaker', {}, 0)).toEqual(missing);
    });

    it.each([
      ['ProvisionedThroughputExceededException', 400],
      ['ThrottlingException', 400],
      ['RequestLimitExceeded', 400],
      ['InternalServerError', 500],
      ['ServiceUnavailable', 503],
      ['UnrecognizedClientException', 400],
      ['ExpiredTokenException', 400],
    ])('%s is a failure of that name', async (name, status) => {
      const open = await openLedger(engine(), ONE_ATTEMPT);
      open.proxy.always('*', dynamoError(name, status));
      const row = aClaimedRow();
      const failed = { kind: 'failed', code: name };
      expect(await open.ledger.claim(row)).toEqual(failed);
      expect(await open.ledger.replace(finished(row, 'SENT'), row)).toEqual(failed);
      expect(await open.ledger.read(row.sendKey)).toEqual(failed);
      expect(await open.ledger.unresolved({ limit: 1 })).toEqual(failed);
      expect(await storedItem(open, row.sendKey)).toBeUndefined();
    });

    it.each<[string, ProxyFault]>([
      ['a page of HTML', notDynamo('<html>sign in to the network</html>')],
      ['a page of HTML as an error', notDynamo('<html>bad gateway</html>', 502)],
      ['half a JSON text', notDynamo('{"Item":{"pk":{"S":"k1')],
      ['a bare text', notDynamo('"ok"')],
      ['empty', notDynamo('')],
      ['another service’s JSON', notDynamo('{"ok":true,"data":{}}')],
    ])('an answer that is %s is a failure', async (_title, fault) => {
      const open = await openLedger(engine(), ONE_ATTEMPT);
      open.proxy.always('*', fault);
      const row = aClaimedRow();
      expect(await open.ledger.claim(row)).toMatchObject({ kind: 'failed' });
      expect(await open.ledger.replace(finished(row, 'SENT'), row)).toMatchObject({
        kind: 'failed',
      });
      expect(await open.ledger.read(row.sendKey)).toMatchObject({ kind: 'failed' });
      expect(await open.ledger.unresolved({ limit: 1 })).toMatchObject({ kind: 'failed' });
    });

    it('a throttled claim is repeated, and then it is a claim', async () => {
      const open = await openLedger(engine());
      open.proxy.next('PutItem', dynamoError('InternalServerError', 500), 2);
      const row = aClaimedRow();
      expect(await open.ledger.claim(row)).toEqual({ kind: 'claimed' });
      expect(open.proxy.counts()).toEqual({ PutItem: 3 });
    });

    it('a ledger that stays throttled is asked no more than the attempts allow', async () => {
      const open = await openLedger(engine(), { ...PATIENT, maxAttempts: 2 });
      open.proxy.always('PutItem', dynamoError('ThrottlingException'));
      expect(await open.ledger.claim(aClaimedRow())).toEqual({
        kind: 'failed',
        code: 'ThrottlingException',
      });
      expect(open.proxy.counts()).toEqual({ PutItem: 2 });
    });

    it('a fallback read that fails leaves the claim failed', async () => {
      const open = await openLedger(engine(), ONE_ATTEMPT);
      const row = aClaimedRow();
      await open.ledger.claim(row);
      open.proxy
        .always('GetItem', dynamoError('ThrottlingException'))
        .next('PutItem', dynamoError('ConditionalCheckFailedException'), 2);
      const failed = { kind: 'failed', code: 'ThrottlingException' };
      expect(await open.ledger.claim(aClaimedRow({ sendKey: row.sendKey }))).toEqual(failed);
      expect(await open.ledger.replace(finished(row, 'SENT'), row)).toEqual(failed);
    });

    it('a row that is gone when it is asked for is a failure, not a claim', async () => {
      const open = await openLedger(engine());
      open.proxy.next('PutItem', dynamoError('ConditionalCheckFailedException'));
      expect(await open.ledger.claim(aClaimedRow())).toEqual({
        kind: 'failed',
        code: 'ROW_VANISHED',
      });
    });
  });

  describe('a call ends within its budget', () => {
    it('a half-open connection times out, is tried again, and fails', async () => {
      const open = await openLedger(engine(), HASTY);
      open.proxy.always('*', 'half-open');
      const row = aClaimedRow();
      expect(await open.ledger.claim(row)).toEqual({ kind: 'failed', code: 'ETIMEDOUT' });
      expect(open.proxy.counts()).toEqual({ PutItem: 2 });
      expect(await storedItem(open, row.sendKey)).toBeUndefined();
    });

    it('the budget ends a call whatever its attempts still have', async () => {
      const open = await openLedger(engine(), { ...PATIENT, callBudgetMs: 150 });
      open.proxy.always('*', 'half-open');
      const row = aClaimedRow();
      const spent = { kind: 'failed', code: 'CALL_BUDGET_SPENT' };
      const startedAt = performance.now();
      expect(await open.ledger.claim(row)).toEqual(spent);
      expect(await open.ledger.replace(finished(row, 'SENT'), row)).toEqual(spent);
      expect(await open.ledger.read(row.sendKey)).toEqual(spent);
      expect(await open.ledger.unresolved({ limit: 1 })).toEqual(spent);
      expect(await open.controls.read('breaker')).toEqual(spent);
      expect(performance.now() - startedAt).toBeLessThan(PATIENT.attemptTimeoutMs);
    });

    it('a call whose budget is spent hangs up and leaves nothing running', async () => {
      const open = await openLedger(engine(), { ...PATIENT, callBudgetMs: 150 });
      open.proxy.always('*', 'half-open');
      const hungUp = open.proxy.nextHangUp();
      const startedAt = performance.now();
      expect(await open.ledger.claim(aClaimedRow())).toMatchObject({ kind: 'failed' });
      await hungUp;
      expect(performance.now() - startedAt).toBeLessThan(PATIENT.attemptTimeoutMs);
      expect(open.proxy.counts()).toEqual({ PutItem: 1 });
    });

    it('the fallback read has no budget of its own', async () => {
      const open = await openLedger(engine(), { ...PATIENT, callBudgetMs: 400 });
      open.proxy
        .next('PutItem', dynamoError('ConditionalCheckFailedException'))
        .always('GetItem', 'half-open');
      expect(await open.ledger.claim(aClaimedRow())).toEqual({
        kind: 'failed',
        code: 'CALL_BUDGET_SPENT',
      });
    });

    it('an engine that is down is a failure by the socket’s own code', async () => {
      const open = await openLedger(engine(), { ...PATIENT, maxAttempts: 1 });
      await open.proxy.close();
      expect(await open.ledger.read(aSendKey())).toEqual({ kind: 'failed', code: 'ECONNREFUSED' });
    });
  });
}
