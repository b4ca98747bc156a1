import type { Random } from '#ports';

const TOKEN_BYTES = 16;

/**
 * A repeatable source of randomness: one seed, one sequence, on every machine. Never for secrets.
 * The generator is sfc32 (public domain): 128 bits of state, so that long simulations do not cycle.
 * @param seed any number; its fraction is dropped
 */
export function seededRandom(seed: number): Random {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = Math.trunc(seed) >>> 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) >>> 0) + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = ((c << 21) | (c >>> 11)) >>> 0;
    c = (c + sum) >>> 0;
    return sum;
  };
  // The first outputs still resemble the seed; neighbouring seeds would start alike without this.
  for (let round = 0; round < 16; round += 1) next();
  const bytes = Buffer.alloc(TOKEN_BYTES);
  return {
    fraction: () => next() / 0x1_0000_0000,
    token: () => {
      for (let at = 0; at < TOKEN_BYTES; at += 4) bytes.writeUInt32BE(next(), at);
      return bytes.toString('hex');
    },
  };
}

/** `length` lower-case letters and digits, as the ids of the emulated services have. */
export function randomId(random: Random, length: number): string {
  let id = '';
  while (id.length < length) {
    id += Math.floor(random.fraction() * 36 ** 6)
      .toString(36)
      .padStart(6, '0');
  }
  return id.slice(0, length);
}
