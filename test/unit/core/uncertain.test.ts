import { describe, expect, test } from 'vitest';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { BlindPolicy, SenderProfile } from '#core/send-result.ts';
import { uncertainPath } from '#core/uncertain.ts';
import { aDelivery, aRow, DAY_MS, DUE_AT, HOUR_MS, SETTINGS } from '#test/support/core-data.ts';

const NOW = DUE_AT + 60_000;
/** The first send started at DUE_AT; the provider remembers it for a day. */
const WINDOW_MS = DAY_MS;

function path(
  row: LedgerRecord,
  profile: Partial<SenderProfile> = {},
  now = NOW,
  delivery = aDelivery({}, profile),
) {
  return uncertainPath(row, delivery, now, SETTINGS);
}
const unknown = (change: Partial<LedgerRecord> = {}) => aRow('UNKNOWN', change);
const park = (reason: string) => ({ kind: 'park', reason });

describe('dedupes', () => {
  test('inside the window: the same key again', () => {
    expect(path(unknown())).toEqual({ kind: 'resend-same-key' });
  });

  describe('field report 29: the window is over', () => {
    const lastSafe = DUE_AT + WINDOW_MS - SETTINGS.leaseMs - SETTINGS.skewMs - 1;

    test('a send that this claim could still start must end inside it, on any worker’s clock', () => {
      const settings = { ...SETTINGS, useBySeconds: 90 * 86_400 };
      const at = (now: number) => uncertainPath(unknown(), aDelivery(), now, settings);
      expect(at(lastSafe)).toEqual({ kind: 'resend-same-key' });
      expect(at(lastSafe + 1)).toEqual(park('PARKED_WINDOW_OVER'));
    });

    test.each<[BlindPolicy, string]>([
      ['park', 'park'],
      ['resend', 'resend-by-policy'],
      ['assume-sent', 'assume-sent'],
    ])('the channel counts as blind: %s', (blindPolicy, kind) => {
      expect(path(unknown(), { blindPolicy }, DUE_AT + WINDOW_MS)).toMatchObject({ kind });
    });

    test('a channel that declares no window has none', () => {
      expect(path(unknown(), { windowSeconds: null })).toEqual(park('PARKED_WINDOW_OVER'));
    });

    test('a row that does not know its first send has none', () => {
      expect(path(unknown({ firstSendAt: null }))).toEqual(park('PARKED_WINDOW_OVER'));
    });
  });

  test('another body under the same key is never sent', () => {
    const other = aDelivery({}, {}, 'Other words');
    expect(path(unknown(), {}, NOW, other)).toEqual(park('PARKED_CONTENT_CONFLICT'));
  });

  test('never after the use-by time', () => {
    const week = { windowSeconds: 7 * 86_400 };
    expect(path(unknown(), week, DUE_AT + 2 * DAY_MS)).toEqual({ kind: 'resend-same-key' });
    expect(path(unknown(), week, DUE_AT + 2 * DAY_MS + 1)).toEqual(park('PARKED_USE_BY_PASSED'));
  });

  test('field report 56: six attempts and no seventh, a dead worker’s included', () => {
    for (const state of ['CLAIMED', 'UNKNOWN'] as const) {
      expect(path(aRow(state, { attempt: 4 }))).toEqual({ kind: 'resend-same-key' });
      expect(path(aRow(state, { attempt: 5 }))).toEqual(park('PARKED_ATTEMPTS_USED'));
    }
  });
});

describe('queryable', () => {
  const queryable = { providerClass: 'queryable' } as const;

  test('is asked, whatever the content, the use-by time or the age', () => {
    expect(path(unknown(), queryable)).toEqual({ kind: 'ask' });
    expect(path(unknown(), queryable, DUE_AT + 90 * DAY_MS)).toEqual({ kind: 'ask' });
    const other = aDelivery({}, queryable, 'Other words');
    expect(path(unknown(), queryable, NOW, other)).toEqual({ kind: 'ask' });
  });

  test('an unknown outcome may be asked about for one budget more', () => {
    expect(path(unknown({ attempt: 10 }), queryable)).toEqual({ kind: 'ask' });
    expect(path(unknown({ attempt: 11 }), queryable)).toEqual(park('PARKED_ATTEMPTS_USED'));
  });

  test('field report 54: a claim that its worker did not survive may not', () => {
    expect(path(aRow('CLAIMED', { attempt: 4 }), queryable)).toEqual({ kind: 'ask' });
    expect(path(aRow('CLAIMED', { attempt: 5 }), queryable)).toEqual(park('PARKED_ATTEMPTS_USED'));
  });
});

describe('blind', () => {
  const by = (blindPolicy: BlindPolicy) => ({ providerClass: 'blind', blindPolicy }) as const;

  test.each<[BlindPolicy, object]>([
    ['park', park('PARKED_BLIND')],
    ['resend', { kind: 'resend-by-policy' }],
    ['assume-sent', { kind: 'assume-sent' }],
  ])('%s', (policy, expected) => {
    expect(path(unknown(), by(policy))).toEqual(expected);
  });

  test('resend keeps to use-by, attempts and content', () => {
    expect(path(unknown(), by('resend'), DUE_AT + 3 * DAY_MS)).toEqual(
      park('PARKED_USE_BY_PASSED'),
    );
    expect(path(unknown({ attempt: 5 }), by('resend'))).toEqual(park('PARKED_ATTEMPTS_USED'));
    const other = aDelivery({}, by('resend'), 'Other words');
    expect(path(unknown(), by('resend'), NOW, other)).toEqual(park('PARKED_CONTENT_CONFLICT'));
  });
});

describe('a provider that is not the one of the row', () => {
  test.each(['dedupes', 'queryable', 'blind'] as const)('%s: by policy', (providerClass) => {
    const profile = { providerClass, provider: 'other-service' };
    expect(path(unknown(), profile)).toEqual(park('PARKED_PROVIDER_CHANGED'));
    expect(path(unknown(), { ...profile, blindPolicy: 'assume-sent' })).toEqual({
      kind: 'assume-sent',
    });
  });

  test('nor another channel, whose provider may go by the same name: it never saw our key', () => {
    const sms = aDelivery({ channel: 'sms' }, { providerClass: 'queryable' });
    expect(path(unknown(), {}, NOW, sms)).toEqual(park('PARKED_PROVIDER_CHANGED'));
  });
});

test('a refusal after an unknown outcome waits for a person, whatever the class', () => {
  const row = unknown({ reason: 'PARKED_REJECTED_AFTER_UNKNOWN', notBefore: null });
  for (const providerClass of ['dedupes', 'queryable', 'blind'] as const) {
    for (const blindPolicy of ['park', 'resend', 'assume-sent'] as const) {
      expect(path(row, { providerClass, blindPolicy }, NOW + HOUR_MS)).toEqual(
        park('PARKED_REJECTED_AFTER_UNKNOWN'),
      );
    }
  }
});
