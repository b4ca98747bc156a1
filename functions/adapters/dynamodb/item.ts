/** Items of this product hold strings and numbers only. */
export type Item = Readonly<Record<string, string | number>>;

/** What came back from the store: unchecked. */
export type UncheckedItem = Readonly<Record<string, unknown>>;

/** DynamoDB's own count: UTF-8 bytes of names and strings; a number is at most this long. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += Buffer.byteLength(name) + valueBytes(value);
  }
  return bytes;
}

/** One byte for two significant digits, one for the exponent and one for the sign. */
function valueBytes(value: string | number): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return Math.ceil(String(Math.abs(value)).length / 2) + (value < 0 ? 2 : 1);
}

/** An item as the API takes it: `{ pk: { S: 'k1_…' }, attempt: { N: '0' } }`. */
export type RawItem = Record<string, { readonly S: string } | { readonly N: string }>;

/** Strings and numbers are all that an item of ours holds. */
export function rawItem(item: Item): RawItem {
  const raw: RawItem = {};
  for (const name of Object.keys(item)) {
    const value = item[name] as string | number;
    raw[name] = typeof value === 'string' ? { S: value } : { N: String(value) };
  }
  return raw;
}

/**
 * Plain values of a raw item: the document client translates answers, but not the old item inside
 * a refused condition's error. Types that no item of ours has stay out and fail the reader.
 */
export function plainItem(raw: unknown): UncheckedItem | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw as Record<string, { S?: string; N?: string }>)) {
    if (typeof value?.S === 'string') plain[name] = value.S;
    else if (typeof value?.N === 'string') plain[name] = Number(value.N);
  }
  return plain;
}
