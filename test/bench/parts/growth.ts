import { startChild } from '../measure/child-calls.ts';
import type { GrowthFigures } from '../simulation/growth-process.ts';

/** Drains backlogs of several sizes in virtual time: does time stay linear and memory flat? */
export async function measureGrowth(
  sizes: readonly number[],
  progress: (text: string) => void,
): Promise<readonly GrowthFigures[]> {
  const module = new URL('../simulation/growth-process.ts', import.meta.url);
  const figures: GrowthFigures[] = [];
  for (const size of sizes) {
    progress(`growth, ${size} reminders`);
    const child = await startChild<never, GrowthFigures>(module, [String(size)], {}, [
      '--expose-gc',
    ]);
    figures.push(child.greeting);
    await child.close();
  }
  return figures;
}
