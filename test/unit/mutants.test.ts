import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MUTANTS } from '#test/proof/mutants/mutant-list.ts';
import { patchFault } from '#test/proof/mutants/private-copy.ts';

const REPOSITORY = new URL('../../', import.meta.url);

test('every seeded fault still fits the code it breaks, and names suites that exist', () => {
  const faults = MUTANTS.flatMap((mutant) => {
    const misfit = patchFault(mutant);
    const missing = mutant.suites.filter((file) => !existsSync(new URL(file, REPOSITORY)));
    const problems = [...(misfit ? [misfit] : []), ...missing.map((file) => `no suite ${file}`)];
    return problems.map((problem) => `${mutant.name}: ${problem}`);
  });
  expect(faults).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThan(60);
});
