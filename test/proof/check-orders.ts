import fc from 'fast-check';
import { Findings, type Part, type PartOptions } from '#test/proof/part.ts';

/** Plays one drawn story in one order of its calls; says which promises it broke. */
export type PlayOrder<Story> = (
  scheduler: fc.Scheduler,
  told: Story,
  findings: Findings,
) => Promise<readonly string[]>;

/** Draws stories and orders; the shortest that breaks a promise becomes a violation. */
export async function checkOrders<Story>(
  name: string,
  numRuns: number,
  story: fc.Arbitrary<Story>,
  play: PlayOrder<Story>,
  options: PartOptions,
): ReturnType<Part['run']> {
  const findings = new Findings(name, options);
  const property = fc.asyncProperty(fc.scheduler(), story, async (scheduler, told) => {
    findings.count('runs');
    const broken = await play(scheduler, told, findings);
    if (broken.length > 0) throw new Error(broken.join('; '));
  });
  const checked = await fc.check(property, { seed: options.seed, numRuns });
  if (checked.failed) {
    findings.violation({
      where: `seed ${checked.seed}, path ${checked.counterexamplePath}`,
      what: String(checked.errorInstance ?? 'failed'),
      story: (checked.counterexample ?? []).map((part) => fc.stringify(part)),
    });
  }
  return findings.report();
}
