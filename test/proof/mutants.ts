import type { Mutant } from '#test/proof/mutants/mutant.ts';
import { MUTANTS } from '#test/proof/mutants/mutant-list.ts';
import { PrivateCopy, patchFault } from '#test/proof/mutants/private-copy.ts';
import { runSuites } from '#test/proof/mutants/run-suites.ts';
import { Findings, type Part, type PartOptions } from '#test/proof/part.ts';

/** Suites that run side by side; each has one core. */
const LANES = 2;

export const mutants: Part = {
  name: 'mutants',
  aside: true,
  shows:
    'each of the faults put into our own code on purpose is caught by a suite (the short form only checks that every patch still fits)',
  run: async (options) => {
    const findings = new Findings('mutants', options);
    const fitting = MUTANTS.filter((mutant) => fits(mutant, findings));
    if (options.scale === 'full') await tryAll(fitting, findings, options);
    return findings.report();
  },
};

function fits(mutant: Mutant, findings: Findings): boolean {
  findings.count('faults seeded');
  const fault = patchFault(mutant);
  if (fault === undefined) return true;
  findings.violation({ where: mutant.name, what: fault, story: [] });
  return false;
}

async function tryAll(
  fitting: readonly Mutant[],
  findings: Findings,
  options: PartOptions,
): Promise<void> {
  const copies = Array.from({ length: LANES }, () => PrivateCopy.make());
  try {
    if (!(await baseline(copies, fitting, findings))) return;
    options.log('suites green without any fault');
    const caught = new Map<Mutant, string>();
    const left = [...fitting];
    await Promise.all(
      copies.map(async (copy) => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          caught.set(next, await tryOne(copy, next, findings));
        }
      }),
    );
    for (const mutant of fitting) findings.note(`- ${mutant.name}: ${caught.get(mutant)}`);
  } finally {
    for (const copy of copies) copy.remove();
  }
}

/** What is red without a fault catches nothing. */
async function baseline(
  copies: readonly PrivateCopy[],
  fitting: readonly Mutant[],
  findings: Findings,
): Promise<boolean> {
  const suites = [...new Set(fitting.flatMap((mutant) => mutant.suites))];
  const runs = await Promise.all(
    copies.map((copy, lane) =>
      runSuites(
        copy,
        suites.filter((_, index) => index % copies.length === lane),
      ),
    ),
  );
  let green = true;
  for (const run of runs) {
    if (run.kind === 'green') {
      findings.count('tests green without a fault', run.tests);
      continue;
    }
    green = false;
    const what = run.kind === 'red' ? `${run.test} (${run.file})` : run.problem;
    findings.violation({ where: 'no fault seeded', what: `red: ${what}`, story: [] });
  }
  return green;
}

async function tryOne(copy: PrivateCopy, mutant: Mutant, findings: Findings): Promise<string> {
  const mend = copy.apply(mutant);
  try {
    const run = await runSuites(copy, mutant.suites);
    if (run.kind === 'red') {
      findings.count('faults caught');
      return `caught by "${run.test}" (${run.file})`;
    }
    const what =
      run.kind === 'green'
        ? `survived: ${run.tests} tests are green with it`
        : `no verdict: ${run.problem}`;
    findings.violation({ where: `${mutant.name} (${mutant.file})`, what, story: mutant.suites });
    return what;
  } finally {
    mend();
  }
}
