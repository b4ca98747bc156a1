import { boundaries } from '#test/proof/boundaries.ts';
import { interleavings } from '#test/proof/interleavings.ts';
import type { Part } from '#test/proof/part.ts';
import { simulation } from '#test/proof/simulation.ts';

/** Every proof, in the order in which `npm run prove` runs them. A new part is one line here. */
export const PARTS: readonly Part[] = [boundaries, interleavings, simulation];
