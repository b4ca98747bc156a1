import { CLAIM_MUTANTS } from './claim-mutants.ts';
import { IDENTITY_MUTANTS } from './identity-mutants.ts';
import type { Mutant } from './mutant.ts';
import { OPERATIONS_MUTANTS } from './operations-mutants.ts';
import { OUTCOME_MUTANTS } from './outcome-mutants.ts';
import { SETTLE_MUTANTS } from './settle-mutants.ts';

/** Every seeded fault. A new one is one entry of the list that it belongs to. */
export const MUTANTS: readonly Mutant[] = [
  ...IDENTITY_MUTANTS,
  ...CLAIM_MUTANTS,
  ...OUTCOME_MUTANTS,
  ...SETTLE_MUTANTS,
  ...OPERATIONS_MUTANTS,
];
