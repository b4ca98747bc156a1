import { describe, expect, it, test } from 'vitest';
import { RecentOccurrences } from '#app/recent-occurrences.ts';
import { instantOf } from '#core/instant.ts';
import { aReminder, DAY_MS, DUE_AT, FIRST_EPOCH, HOUR_MS } from '#test/support/core-data.ts';
import { aPayload, World } from '#test/support/world.ts';

const MINUTE_MS = 60_000;
const at = (ms: number, change: Parameters<typeof aReminder>[0] = {}) =>
  aReminder({ scheduledAt: instantOf(DUE_AT + ms), ...change });

describe('field report 72: two occurrences of one reminder, an hour apart', () => {
  it.each([
    ['the later one comes after it', 0, HOUR_MS],
    ['the earlier one comes after it', HOUR_MS, 0],
    ['half an hour, as on Lord Howe Island', 0, HOUR_MS / 2],
  ])('are noticed: %s', (_what, first, second) => {
    const recent = new RecentOccurrences();
    expect(recent.note(at(first), FIRST_EPOCH)).toBe(false);
    expect(recent.note(at(second), FIRST_EPOCH)).toBe(true);
  });

  it.each([
    ['farther apart', at(HOUR_MS + 1)],
    ['one of long ago that comes late', at(-HOUR_MS - 1)],
    ['of another user', at(HOUR_MS, { userId: 'u_2' })],
    ['of another reminder', at(HOUR_MS, { reminderId: 'r_2' })],
  ])('are not: %s', (_what, other) => {
    const recent = new RecentOccurrences();
    recent.note(at(0), FIRST_EPOCH);
    expect(recent.note(other, FIRST_EPOCH)).toBe(false);
  });

  it('nor two orders, where the key tells orders apart', () => {
    const epoch = { ...FIRST_EPOCH, keyFields: ['order_id' as const] };
    for (const [told, close] of [
      [epoch, false],
      [FIRST_EPOCH, true],
    ] as const) {
      const recent = new RecentOccurrences();
      recent.note(at(0, { orderId: 'o_1' }), told);
      expect(recent.note(at(HOUR_MS, { orderId: 'o_2' }), told)).toBe(close);
    }
  });
});

describe('what an environment keeps in mind', () => {
  const KEPT = 20_000;
  const full = () => {
    const recent = new RecentOccurrences();
    for (let n = 0; n < KEPT; n += 1) recent.note(at(0, { userId: `u_${n}` }), FIRST_EPOCH);
    return recent;
  };

  it('does not grow: while it is full of the last hour, newcomers are not watched', () => {
    const recent = full();
    recent.note(at(MINUTE_MS, { userId: 'u_new' }), FIRST_EPOCH);
    expect(recent.size).toBe(KEPT);
    expect(recent.note(at(HOUR_MS, { userId: 'u_new' }), FIRST_EPOCH)).toBe(false);
    expect(recent.note(at(HOUR_MS, { userId: 'u_0' }), FIRST_EPOCH)).toBe(true);
    expect(recent.size).toBe(KEPT);
  });

  it('gives way to newcomers once an hour is over', () => {
    const recent = full();
    recent.note(at(HOUR_MS + MINUTE_MS, { userId: 'u_new' }), FIRST_EPOCH);
    expect(recent.size).toBe(KEPT);
    expect(recent.note(at(2 * HOUR_MS, { userId: 'u_new' }), FIRST_EPOCH)).toBe(true);
  });

  it('is no id', () => {
    const recent = new RecentOccurrences();
    recent.note(at(0), FIRST_EPOCH);
    expect([...recent.series()].join()).toMatch(/^s1_[0-9a-f]{32}$/);
  });
});

test('a reminder that is tried again is not close to itself', async () => {
  const world = new World({ behaviourOf: (_, call) => (call < 2 ? { kind: 'defer' } : undefined) });
  world.publish();
  await world.untilQuiet(world.deps({ occurrences: new RecentOccurrences() }));
  expect(world.row()).toMatchObject({ state: 'SENT', attempt: 2 });
  expect(world.reports.filter((report) => report.closeOccurrence)).toEqual([]);
});

test('field report 72: each sent occurrence is told once, whatever the queue repeats', async () => {
  const world = new World();
  const deps = world.deps({ occurrences: new RecentOccurrences() });
  const later = aPayload({ scheduled_at: new Date(DUE_AT + HOUR_MS).toISOString() });
  const next = aPayload({ scheduled_at: new Date(DUE_AT + DAY_MS).toISOString() });
  for (const payload of [aPayload(), later, later, aPayload(), next, next]) world.publish(payload);
  await world.untilQuiet(deps);
  const close = world.reports.filter((report) => report.closeOccurrence);
  expect(close.map(({ outcome }) => outcome)).toEqual(['sent']);
  expect(world.provider.model.effects.total).toBe(3);
});
