import { afterAll, beforeAll, describe } from 'vitest';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { controlDocumentsSuite } from './control-documents.ts';
import { failuresSuite } from './failures.ts';
import { foreignErrorsSuite } from './foreign-errors.ts';
import { indexAndSizeSuite } from './index-and-size.ts';
import { lostAnswersSuite } from './lost-answers.ts';
import { modelSuite } from './model.ts';
import { protocolSuite } from './protocol.ts';
import { racesSuite } from './races.ts';
import { rulesSuite } from './rules.ts';

/** The one ledger suite, on one engine. Engines differ only where `gaps` says so. */
export function ledgerSuiteOn(title: string, start: () => Promise<EmbeddedDynamo>): void {
  describe(`ledger on ${title}`, () => {
    let running: EmbeddedDynamo | undefined;
    const engine = () => {
      if (running === undefined) throw new Error(`${title} is not running`);
      return running;
    };
    beforeAll(async () => {
      running = await start();
    });
    afterAll(async () => {
      await running?.close();
    });

    rulesSuite(engine);
    failuresSuite(engine);
    lostAnswersSuite(engine);
    racesSuite(engine);
    indexAndSizeSuite(engine);
    controlDocumentsSuite(engine);
    foreignErrorsSuite(engine);
    modelSuite(engine);
    protocolSuite(engine);
  });
}
