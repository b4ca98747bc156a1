import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as DynamoClientModule from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { aClaimedRow, finished } from '#test/support/ledger-rows.ts';
import { openLedger, PATIENT } from './open-ledger.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** A second copy of the SDK, as a bundle can hold it: same names, other classes. */
export function foreignErrorsSuite(engine: () => EmbeddedDynamo): void {
  describe('rule 8: errors are recognised by name', () => {
    let folder = '';
    let secondCopy: typeof DynamoClientModule;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'second-sdk-'));
      const outfile = join(folder, 'second-sdk.cjs');
      await build({
        entryPoints: [join(ROOT, 'functions/adapters/dynamodb/dynamo-client.ts')],
        outfile,
        bundle: true,
        format: 'cjs',
        platform: 'node',
        absWorkingDir: ROOT,
        logLevel: 'error',
      });
      const loaded = (await import(pathToFileURL(outfile).href)) as {
        default: typeof DynamoClientModule;
      };
      secondCopy = loaded.default;
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('field report 18: a refused condition of another SDK copy is a duplicate', async () => {
      const { tableName, ledger, engine: own } = await openLedger(engine());
      const documents = secondCopy.createDynamoClient(
        { concurrency: 2, timing: PATIENT },
        {
          endpoint: own.endpoint,
          region: 'eu-central-1',
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        },
      );
      const thrown: unknown[] = [];
      documents.middlewareStack.add((next) => async (args) => {
        try {
          return await next(args);
        } catch (error: unknown) {
          thrown.push(error);
          throw error;
        }
      });
      const foreign = new DynamoLedger({ documents, tableName, callBudgetMs: 20_000 });
      const row = aClaimedRow();
      await ledger.claim(row);
      expect(await foreign.claim(aClaimedRow({ sendKey: row.sendKey }))).toEqual({
        kind: 'exists',
        row,
      });
      const stranger = aClaimedRow({ sendKey: row.sendKey });
      expect(await foreign.replace(finished(stranger, 'SENT'), stranger)).toEqual({
        kind: 'lost',
        row,
      });
      expect(thrown).toHaveLength(2);
      for (const error of thrown) {
        expect((error as object).constructor, 'the test needs two copies').not.toBe(
          ConditionalCheckFailedException,
        );
      }
      secondCopy.closeDynamoClient(documents);
    });
  });
}
