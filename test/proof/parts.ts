import { boundaries } from '#test/proof/boundaries.ts';
import { hostileInput } from '#test/proof/hostile-input.ts';
import { interleavings } from '#test/proof/interleavings.ts';
import { mutants } from '#test/proof/mutants.ts';
import type { Part } from '#test/proof/part.ts';
import { realEnds } from '#test/proof/real-ends.ts';
import { redrives } from '#test/proof/redrives.ts';
import { simulation } from '#test/proof/simulation.ts';

/** Proofs in memory, in virtual time. */
export const MODEL_PARTS: readonly Part[] = [boundaries, interleavings, redrives, simulation];

/** Proofs with processes, sockets and an engine, in the time of the wall. */
export const REAL_PARTS: readonly Part[] = [hostileInput, realEnds, mutants];

/** Every proof, in the order in which `npm run prove` runs them. A new part is one line above. */
export const PARTS: readonly Part[] = [...MODEL_PARTS, ...REAL_PARTS];
