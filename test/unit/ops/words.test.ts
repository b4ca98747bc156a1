import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LEDGER_STATES } from '#core/ledger-record.ts';
import { historyWords, reasonWords } from '#functions/ops/words/reason-words.ts';
import { redriveReasonWords } from '#functions/ops/words/redrive-reason-words.ts';
import { instantWords, spanWords, whenWords } from '#functions/ops/words/time-words.ts';

const CORE = fileURLToPath(new URL('../../../functions/core/', import.meta.url));
const codesIn = (file: string, pattern: RegExp) => [
  ...new Set(
    [...readFileSync(CORE + file, 'utf8').matchAll(pattern)].map(([, code]) => code ?? ''),
  ),
];

test('every reason why an outcome rests is told in words', () => {
  const parked = codesIn('uncertain.ts', /'(PARKED_\w+)'/g);
  expect(parked.length).toBeGreaterThan(6);
  expect(parked.filter((code) => reasonWords(code) === null)).toEqual([]);
});

test('every reason of a redrive’s plan is told in words', () => {
  const reasons = codesIn('plan-redrive.ts', /\|\s+'([A-Z_]+)'/g);
  expect(reasons.length).toBeGreaterThan(20);
  expect(reasons.filter((code) => redriveReasonWords(code) === '')).toEqual([]);
});

test('a code that nobody knows is told by its state, and stays to be grepped', () => {
  for (const state of LEDGER_STATES) {
    const words = historyWords({ state, reason: 'HTTP_418', at: 0, attempt: 2 });
    expect(words).toMatch(new RegExp(`^[a-z].* \\[${state} HTTP_418, attempt 2\\]$`));
  }
});

test('an operator’s decision is told with his own words', () => {
  expect(reasonWords('NOT_SENT:they-have-nothing')).toBe(
    'an operator decided “not sent”: they have nothing',
  );
  expect(reasonWords('constructor')).toBeNull();
});

test('spans and instants', () => {
  expect([0, 59.9, 61, 3600, 90_061, -5].map(spanWords)).toEqual([
    ...['0 s', '59 s', '1 min 1 s', '1 h', '1 d 1 h', '0 s'],
  ]);
  expect(instantWords(999)).toBe('1970-01-01T00:00:00Z');
  expect(whenWords(60_000, 0)).toBe('1970-01-01T00:01:00Z (in 1 min)');
  expect(whenWords(0, 60_000)).toBe('1970-01-01T00:00:00Z (1 min ago)');
});
