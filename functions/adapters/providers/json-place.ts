/** What an answer's JSON holds at a dot path. `*` stands for the first list entry that has the rest. */
export type PlaceReading =
  | { readonly kind: 'value'; readonly value: unknown }
  /** The path leads into an empty list: the provider looked and has nothing. */
  | { readonly kind: 'empty-list' }
  | { readonly kind: 'none' };

/** Reads a dot path of own members. */
export function readPlace(root: unknown, path: string): PlaceReading {
  return walk(root, path.split('.'));
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function walk(value: unknown, steps: readonly string[]): PlaceReading {
  const [step, ...rest] = steps;
  if (step === undefined) return { kind: 'value', value };
  if (Array.isArray(value) && value.length === 0) return { kind: 'empty-list' };
  if (step === '*') return firstOf(value, rest);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
    return { kind: 'none' };
  }
  return walk((value as Readonly<Record<string, unknown>>)[step], rest);
}

function firstOf(value: unknown, rest: readonly string[]): PlaceReading {
  if (!Array.isArray(value)) return { kind: 'none' };
  const readings = value.map((entry) => walk(entry, rest));
  return readings.find((reading) => reading.kind === 'value') ?? { kind: 'none' };
}
