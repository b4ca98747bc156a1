import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import { ledgerSuiteOn } from './suite/ledger-suite.ts';

ledgerSuiteOn('dynalite', startDynalite);
