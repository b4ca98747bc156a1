import { describe, expect, test } from 'vitest';
import type { ClaimToken } from '#core/brand.ts';
import { instantOf } from '#core/instant.ts';
import type { DeadLetterSeen } from '#core/plan-redrive.ts';
import { matchesFilter } from '#core/redrive-filter.ts';
import { type RedriveFilter, readRedriveEvent } from '#core/redrive-request.ts';
import { aDelivery, aRow, DUE_AT, FIRST_EPOCH } from '#test/support/core-data.ts';

function problemsOf(event: unknown): string {
  const read = readRedriveEvent(event);
  if (read.kind !== 'invalid') throw new Error(`was taken as ${read.kind}`);
  return read.problems.join('\n');
}

describe('a scheduled run', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    [
      'a schedule without input of its own',
      { version: '0', source: 'aws.scheduler', 'detail-type': 'Scheduled Event', detail: '{}' },
    ],
    ['a rule', { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} }],
  ])('%s', (_name, event) => {
    expect(readRedriveEvent(event)).toEqual({ kind: 'scheduled' });
  });
});

describe('a request', () => {
  test('says its mode; everything else has a default', () => {
    expect(readRedriveEvent({ mode: 'plan' })).toEqual({
      kind: 'requested',
      request: { mode: 'plan', force: false, filter: {} },
    });
  });

  test('may choose every field', () => {
    const filter = {
      sendKey: `k1_${'a'.repeat(64)}`,
      reminderId: 4471,
      userId: 'cafe\u0301',
      channel: 'push',
      state: 'EXHAUSTED',
      reason: 'HTTP_503',
      olderThan: '2026-07-26T11:00:00+02:00',
    };
    const event = { mode: 'redrive', max: 5, ratePerSecond: 0.5, canary: 0, force: true, filter };
    expect(readRedriveEvent(event)).toEqual({
      kind: 'requested',
      request: {
        ...event,
        filter: {
          ...filter,
          reminderId: '4471',
          userId: 'caf\u00e9',
          olderThan: instantOf(DUE_AT),
        },
      },
    });
  });

  test('refuses unknown fields by name: a misspelt filter must not redrive everything', () => {
    expect(problemsOf({ mode: 'redrive', fitler: { reminderId: 'r' } })).toBe(
      'unknown field "fitler"; allowed: mode, max, ratePerSecond, canary, force, filter',
    );
    expect(problemsOf({ mode: 'redrive', filter: { reminder_id: 'r' } })).toMatch(
      /^filter: unknown field "reminder_id"; allowed: sendKey, reminderId,/,
    );
  });

  test('names every fault at once, and never a value', () => {
    const problems = problemsOf({
      mode: 'go',
      max: 0,
      ratePerSecond: 1000,
      canary: 1.5,
      force: 'yes',
      filter: { userId: '   ', state: 'LOST', olderThan: 'planted-secret', reminderId: {} },
    });
    expect(problems.split('\n').map((line) => line.split(':')[0])).toEqual([
      'mode',
      'max',
      'ratePerSecond',
      'canary',
      'force',
      'filter.reminderId',
      'filter.userId',
      'filter.state',
      'filter.olderThan',
    ]);
    expect(problems).not.toContain('planted-secret');
    expect(problems).toContain('max: allowed: a whole number from 1 to 10000');
  });

  test('needs a mode: a request that forgot it is no schedule', () => {
    expect(problemsOf({ max: 5 })).toBe('mode: allowed: plan, redrive');
  });

  test.each([['redrive'], [7], [true], [[]], [[{ mode: 'plan' }]]])('%j is none', (event) => {
    expect(problemsOf(event)).toContain('allowed: an object, or nothing for a scheduled run');
  });

  test.each([
    [{ source: 'aws.scheduler' }],
    [{ source: 'me', 'detail-type': 'Scheduled Event' }],
    [{ __proto__: null, constructor: 1 }],
  ])('%j is none', (event) => {
    expect(problemsOf(event)).toContain('unknown field');
  });
});

describe('the filter', () => {
  const delivery = aDelivery();
  const seen: DeadLetterSeen = {
    kind: 'valid',
    delivery,
    row: { kind: 'row', row: aRow('EXHAUSTED', { claimToken: 't' as ClaimToken }) },
  };
  const invalid: DeadLetterSeen = { kind: 'invalid', reason: 'USER_ID_BLANK' };
  const matches = (filter: RedriveFilter, letter: DeadLetterSeen = seen) =>
    matchesFilter(filter, letter, [FIRST_EPOCH]);

  test.each<[string, RedriveFilter, RedriveFilter]>([
    ['send key', { sendKey: delivery.identity.sendKey }, { sendKey: 'k1_0' }],
    ['reminder', { reminderId: 'r_trial_end' }, { reminderId: 'r_trial' }],
    ['user, by keyed reference', { userId: 'u_4471' }, { userId: 'u_4472' }],
    ['channel', { channel: 'push' }, { channel: 'sms' }],
    ['state', { state: 'EXHAUSTED' }, { state: 'DEFERRED' }],
    ['reason', { reason: 'TEST_EXHAUSTED' }, { reason: 'TEST_' }],
    ['age', { olderThan: instantOf(DUE_AT + 1) }, { olderThan: instantOf(DUE_AT) }],
  ])('by %s', (_name, meant, other) => {
    expect(matches(meant)).toBe(true);
    expect(matches(other)).toBe(false);
    expect(matches({ ...meant, state: 'SENT' })).toBe(false);
    expect(matches(other, invalid)).toBe(false);
  });

  test('an empty one means everything', () => {
    expect(matches({})).toBe(true);
    expect(matches({}, invalid)).toBe(true);
  });

  test('finds what has no row and what has no key', () => {
    expect(matches({ state: 'NONE' }, { ...seen, row: { kind: 'absent' } })).toBe(true);
    expect(matches({ state: 'INVALID', reason: 'USER_ID_BLANK' }, invalid)).toBe(true);
    expect(matches({ state: 'INVALID' })).toBe(false);
    expect(matches({ state: 'NONE' }, { ...seen, row: { kind: 'failed', code: 'X' } })).toBe(false);
  });
});
