/** A DynamoDB item on the wire. */
export type WireItem = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type Placeholders = {
  readonly names: Readonly<Record<string, string>>;
  readonly values: WireItem;
};

type Test = (item: WireItem | undefined, with_: Placeholders) => boolean;

const compiled = new Map<string, Test>();

/**
 * The part of DynamoDB's condition language that the contestants use: AND, OR, parentheses,
 * attribute_exists, attribute_not_exists, `=` and `<`. Compiled once per text.
 */
export function conditionTest(expression: string): Test {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const words = expression.match(/[#:\w]+|[()=<]/g) ?? [];
  const reader = { words, at: 0 };
  const test = readOr(reader);
  if (reader.at !== words.length) throw new SyntaxError(`condition not understood: ${expression}`);
  compiled.set(expression, test);
  return test;
}

type Reader = { readonly words: readonly string[]; at: number };

function readOr(reader: Reader): Test {
  const parts = [readAnd(reader)];
  while (take(reader, 'OR')) parts.push(readAnd(reader));
  return parts.length === 1
    ? (parts[0] as Test)
    : (item, with_) => parts.some((part) => part(item, with_));
}

function readAnd(reader: Reader): Test {
  const parts = [readTerm(reader)];
  while (take(reader, 'AND')) parts.push(readTerm(reader));
  return parts.length === 1
    ? (parts[0] as Test)
    : (item, with_) => parts.every((part) => part(item, with_));
}

function readTerm(reader: Reader): Test {
  if (take(reader, '(')) {
    const inner = readOr(reader);
    take(reader, ')');
    return inner;
  }
  const word = next(reader);
  if (word === 'attribute_exists' || word === 'attribute_not_exists') {
    take(reader, '(');
    const name = next(reader);
    take(reader, ')');
    const wanted = word === 'attribute_exists';
    return (item, { names }) => (item?.[names[name] ?? name] !== undefined) === wanted;
  }
  const operator = next(reader);
  const value = next(reader);
  return (item, { names, values }) => compare(operator, item?.[names[word] ?? word], values[value]);
}

function compare(operator: string, left: WireItem[string] | undefined, right: unknown): boolean {
  const against = right as WireItem[string] | undefined;
  if (left === undefined || against === undefined) return false;
  if (operator === '<') return Number(left['N']) < Number(against['N']);
  return left['S'] === against['S'] && left['N'] === against['N'];
}

function next(reader: Reader): string {
  const word = reader.words[reader.at] ?? '';
  reader.at += 1;
  return word;
}

function take(reader: Reader, word: string): boolean {
  if (reader.words[reader.at] !== word) return false;
  reader.at += 1;
  return true;
}
