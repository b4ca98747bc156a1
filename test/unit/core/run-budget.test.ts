import { expect, test } from 'vitest';
import { covers, runBudget } from '#core/run-budget.ts';

const NOW = Date.UTC(2026, 6, 26, 9);

test('the budget ends by its own length or with the platform’s time, whichever is first', () => {
  expect(runBudget(NOW, 240, 900_000, 5_000)).toEqual({ endsAt: NOW + 240_000 });
  expect(runBudget(NOW, 240, 60_000, 5_000)).toEqual({ endsAt: NOW + 55_000 });
});

test('work is covered when it ends no later than the budget', () => {
  const budget = { endsAt: NOW + 10_000 };
  expect(covers(budget, NOW, 10_000)).toBe(true);
  expect(covers(budget, NOW, 10_001)).toBe(false);
  expect(covers(budget, NOW + 9_999, 1)).toBe(true);
  expect(covers(budget, NOW + 10_001, 0)).toBe(false);
});

test('a platform that grants less than the margin covers nothing', () => {
  expect(covers(runBudget(NOW, 240, 4_000, 5_000), NOW, 0)).toBe(false);
});
