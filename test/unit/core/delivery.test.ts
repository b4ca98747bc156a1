import { describe, expect, test } from 'vitest';
import { nextCopy, postpone, useByOf } from '#core/delivery.ts';
import { instantOf } from '#core/instant.ts';
import { aReminder, DUE_AT, HOUR_MS } from '#test/support/core-data.ts';

describe('the copy that a postponement makes', () => {
  test.each([
    ['no row: its own next hop', { attempt: 0, hop: 0 }, undefined, { attempt: 0, hop: 1 }],
    ['no row, later hop', { attempt: 2, hop: 6 }, undefined, { attempt: 2, hop: 7 }],
    ['behind the row: what was owed', { attempt: 0, hop: 0 }, 1, { attempt: 1, hop: 0 }],
    ['far behind the row', { attempt: 0, hop: 9 }, 4, { attempt: 4, hop: 0 }],
    ['of the row’s attempt', { attempt: 1, hop: 0 }, 1, { attempt: 1, hop: 1 }],
    ['ahead of the row', { attempt: 3, hop: 2 }, 1, { attempt: 3, hop: 3 }],
  ])('%s', (_, reminder, attempt, copy) => {
    const row = attempt === undefined ? undefined : { attempt };
    expect(nextCopy(reminder, row)).toEqual(copy);
    expect(postpone(DUE_AT, reminder, row)).toEqual({ kind: 'postpone', until: DUE_AT, copy });
  });
});

describe('use-by', () => {
  test('by the channel’s figure', () => {
    expect(useByOf(aReminder(), 3600)).toBe(DUE_AT + HOUR_MS);
  });

  test('by the producer’s own instant when it is earlier, never when it is later', () => {
    const earlier = aReminder({ useBy: instantOf(DUE_AT + 60_000) });
    expect(useByOf(earlier, 3600)).toBe(DUE_AT + 60_000);
    const later = aReminder({ useBy: instantOf(DUE_AT + 9 * HOUR_MS) });
    expect(useByOf(later, 3600)).toBe(DUE_AT + HOUR_MS);
  });
});
