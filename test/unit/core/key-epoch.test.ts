import { describe, expect, test } from 'vitest';
import { type Instant, instantOf, parseInstant } from '#core/instant.ts';
import { epochFaults, epochFor, type KeyEpoch, mayAddEpoch } from '#core/key-epoch.ts';

function at(text: string): Instant {
  const parsed = parseInstant(text);
  if (!parsed.ok) throw new Error(parsed.fault);
  return parsed.instant;
}

const epoch = (id: string, from: string | null): KeyEpoch => ({
  id,
  secret: `secret-of-epoch-${id}`,
  keyFields: [],
  from: from === null ? null : at(from),
});

const FIRST = epoch('first', null);
const AUGUST = epoch('august', '2026-08-01T00:00:00Z');
const OCTOBER = epoch('october', '2026-10-01T00:00:00.000000500Z');

describe('the reminder’s own instant selects its epoch', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 'first'],
    ['2026-07-31T23:59:59.999999999Z', 'first'],
    ['2026-08-01T00:00:00Z', 'august'],
    ['2026-08-01T02:00:00+02:00', 'august'],
    ['2026-08-01T01:59:59+02:00', 'first'],
    ['2026-10-01T00:00:00Z', 'august'],
    ['2026-10-01T00:00:00.000000499Z', 'august'],
    ['2026-10-01T00:00:00.0000005Z', 'october'],
    ['2026-10-01T00:00:00.000000501Z', 'october'],
    ['9999-12-31T23:59:59Z', 'october'],
  ])('%s: %s', (scheduledAt, id) => {
    for (const list of [
      [FIRST, AUGUST, OCTOBER],
      [OCTOBER, AUGUST, FIRST],
      [AUGUST, FIRST, OCTOBER],
    ]) {
      expect(epochFor(at(scheduledAt), list).id).toBe(id);
    }
  });

  test('before 1970 the nanoseconds still order', () => {
    const early = epoch('early', '1969-12-31T23:59:59.9999Z');
    expect(epochFor(at('1969-12-31T23:59:59.9998Z'), [FIRST, early]).id).toBe('first');
    expect(epochFor(at('1969-12-31T23:59:59.9999Z'), [FIRST, early]).id).toBe('early');
  });

  test('field report 42: a later epoch leaves the keys of earlier reminders alone', () => {
    const july = at('2026-07-26T09:00:00Z');
    expect(epochFor(july, [FIRST, AUGUST, OCTOBER])).toBe(epochFor(july, [FIRST]));
  });

  test.each([[[]], [[AUGUST]]])(
    'without an epoch there is no key, never an empty secret',
    (list) => {
      expect(() => epochFor(at('2026-07-26T09:00:00Z'), list)).toThrow(
        expect.objectContaining({ code: 'KEY_EPOCH_MISSING' }),
      );
    },
  );
});

describe('a list of epochs', () => {
  test('is fine with one first and distinct later ones', () => {
    expect(epochFaults([FIRST])).toEqual([]);
    expect(epochFaults([OCTOBER, FIRST, AUGUST])).toEqual([]);
  });

  test('needs exactly one first epoch', () => {
    expect(epochFaults([])).toHaveLength(1);
    expect(epochFaults([AUGUST])).toHaveLength(1);
    expect(epochFaults([FIRST, epoch('other', null)])).toHaveLength(1);
  });

  test('names every fault at once', () => {
    const twin = epoch('august', '2026-08-01T02:00:00+02:00');
    expect(epochFaults([AUGUST, twin])).toHaveLength(3);
  });
});

describe('an epoch may be added', () => {
  const now = Date.UTC(2026, 6, 26, 9);

  test('only when every cached list is refreshed before its first reminder', () => {
    expect(mayAddEpoch(instantOf(now + 300_000), now, 300)).toBe(false);
    expect(mayAddEpoch(instantOf(now + 300_001), now, 300)).toBe(true);
    expect(mayAddEpoch(instantOf(now - 1), now, 0)).toBe(false);
  });
});
