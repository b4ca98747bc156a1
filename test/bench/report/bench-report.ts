import { arch, cpus, totalmem } from 'node:os';
import type { ColdStarts } from '../parts/cold-start.ts';
import type { DrainCell } from '../parts/drain-rate.ts';
import type { EngineUnits } from '../parts/engine-units.ts';
import type { OwnCosts } from '../parts/own-cost.ts';
import type { ScaleOut } from '../parts/scale-out.ts';
import type { SdkPrice } from '../parts/sdk-price.ts';
import type { GrowthFigures } from '../simulation/growth-process.ts';

/** Everything that one run measured; the JSON report is exactly this. */
export type BenchReport = {
  readonly reportVersion: 1;
  readonly form: 'full' | 'short';
  readonly command: string;
  readonly date: string;
  readonly machine: string;
  readonly redis: boolean;
  readonly drains: readonly DrainCell[];
  readonly drainsWithoutLatency: readonly DrainCell[];
  readonly ownCosts: OwnCosts;
  readonly engineUnits: EngineUnits;
  readonly sdkPrice: SdkPrice;
  readonly coldStarts: ColdStarts;
  readonly growth: readonly GrowthFigures[];
  /** Absent from the short form. */
  readonly scaleOut: ScaleOut | null;
};

/** The machine in general words: enough to judge the figures, too little to name it. */
export function machineInWords(): string {
  const memoryGb = Math.round(totalmem() / 1_073_741_824);
  return `${cpus().length} cores (${arch()}), ${memoryGb} GB memory, Node ${process.versions.node}, backends and contestants on the same machine`;
}
