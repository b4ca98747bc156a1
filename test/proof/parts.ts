import { boundaries } from '#test/proof/boundaries.ts';
import type { Part } from '#test/proof/part.ts';

/** Every proof, in the order in which `npm run prove` runs them. A new part is one line here. */
export const PARTS: readonly Part[] = [boundaries];
