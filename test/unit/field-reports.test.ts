import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const REPOSITORY = new URL('../../', import.meta.url);
const TESTS = fileURLToPath(new URL('test/', REPOSITORY));

/** Every number of the reports; they have gaps. */
const NUMBERS = [
  1, 2, 4, 6, 7, 8, 10, 11, 13, 14, 15, 17, 18, 21, 22, 23, 24, 27, 28, 29, 32, 33, 34, 36, 38, 39,
  40, 42, 43, 44, 45, 47, 48, 49, 50, 52, 54, 55, 56, 57, 59, 61, 62, 64, 67, 68, 70, 71, 72, 74,
  75, 76, 77, 80, 81, 82, 84, 85, 87, 88, 90,
] as const;

/** The last cell of each line of the list, by number. */
const listed = new Map(
  readFileSync(new URL('test/fixtures/field-reports.md', REPOSITORY), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const cells = /^\| (\d+) \|.*\| ([^|]+) \|$/.exec(line);
      return cells ? [[Number(cells[1]), cells[2] ?? ''] as const] : [];
    }),
);

/** Numbers in the titles of each test file: `field report 7:`, `field report 7, 11:`, `… 13 and 14:`. */
const titled: ReadonlyMap<string, ReadonlySet<number>> = new Map(
  readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [`test/${name}`, numbersIn(readFileSync(`${TESTS}${name}`, 'utf8'))]),
);

function numbersIn(source: string): ReadonlySet<number> {
  const titles = source.matchAll(/field report (\d+(?:(?:, | and )\d+)*):/g);
  return new Set([...titles].flatMap(([, list = '']) => list.match(/\d+/g)?.map(Number) ?? []));
}

describe('field reports', () => {
  test('the list holds every number once, and no other', () => {
    expect([...listed.keys()]).toEqual([...NUMBERS]);
  });

  test.each(NUMBERS)('%i is played where the list says, or a reason is written down', (number) => {
    const cell = listed.get(number) ?? '';
    const files = [...cell.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
    if (files.length === 0) expect(cell).toMatch(/^cannot apply: .{20,}/);
    const missing = files.filter((file) => titled.get(file)?.has(number) !== true);
    expect(missing).toEqual([]);
  });

  test('no test plays a report that the list does not know', () => {
    const known = new Set<number>(NUMBERS);
    const unknown = [...titled].flatMap(([file, numbers]) =>
      [...numbers].filter((number) => !known.has(number)).map((number) => `${file}: ${number}`),
    );
    expect(unknown).toEqual([]);
  });
});
