import { describe, expect, it } from 'vitest';
import { startDynamoDbLocal } from '#infra/local/dynamodb/dynamodb-local.ts';
import { findJava } from '#infra/local/dynamodb/java.ts';
import { ledgerSuiteOn } from './suite/ledger-suite.ts';

const java = await findJava();

if (java.kind === 'found') ledgerSuiteOn('DynamoDB Local', startDynamoDbLocal);
else {
  describe('ledger on DynamoDB Local', () => {
    it(`is left out on this machine: ${java.problem}`, () => {
      expect(process.env['CI'], `CI requires both engines. ${java.problem}`).not.toBe('true');
    });
  });
}
