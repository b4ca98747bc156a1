import { randomUUID } from 'node:crypto';
import type { Random } from '#ports';

/** The machine's own randomness: fractions for jitter, tokens that nobody can guess. */
export const systemRandom: Random = {
  fraction: () => Math.random(),
  token: () => randomUUID(),
};
