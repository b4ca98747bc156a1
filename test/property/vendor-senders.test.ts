import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { judgeSend } from '#adapters/providers/judge-outcome.ts';
import { PROVIDER_PROFILES } from '#adapters/providers/provider-profiles.ts';
import { readReceipt } from '#adapters/providers/receipt.ts';
import { parseReminder } from '#core/reminder.ts';
import type { Sender } from '#ports';
import { aReminder } from '#test/support/core-data.ts';
import { openVendorSender, VENDOR_STANDS } from '#test/support/vendor-stands.ts';

const profiles = Object.values(PROVIDER_PROFILES);
const KINDS = ['accepted', 'rejected', 'deferred', 'unknown', 'channel-stopped'];

/** Bodies that a provider, or something in between, may answer with: often nearly right. */
const code = fc.constantFrom(
  ...profiles.flatMap(({ codes }) => Object.keys(codes?.meanings ?? {})),
  '__proto__',
  'constructor',
);
const body = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record(
      {
        id: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
        ok: fc.boolean(),
        name: fc.oneof(code, fc.string()),
        code: fc.oneof(code, fc.integer()),
        sid: fc.string(),
        MessageId: fc.string(),
        __type: code,
        data: fc.oneof(fc.constant(null), fc.dictionary(fc.string(), fc.string())),
        error: fc.oneof(
          fc.string(),
          fc.record({ code, status: code, details: fc.array(fc.record({ errorCode: code })) }),
        ),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
);

describe.each(profiles)('$provider, on answers of any kind', (profile) => {
  test('proves only what its table says, and acceptance by a 2xx with a receipt alone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 599 }),
        body,
        fc.dictionary(
          fc.constantFrom('retry-after', 'date', 'x-amzn-errortype'),
          fc.oneof(code, fc.string()),
        ),
        (status, text, headers) => {
          const result = judgeSend({ kind: 'answer', status, headers, text }, profile, 0);
          expect(KINDS).toContain(result.kind);
          if (result.kind === 'accepted') {
            expect(status >= 200 && status < 300).toBe(true);
            expect(result.receipt).toMatch(/^[!-~]{1,200}$/);
          }
          const answer = { kind: 'answer', status, headers, text } as const;
          const proof = readReceipt(answer, profile.receipt).kind === 'receipt';
          const refused = /"ok":false/.test(text);
          if (status >= 200 && status < 300 && proof && !refused) {
            expect(result.kind).toBe('accepted');
          }
          if (status >= 500 && result.kind !== 'unknown') {
            // Only a code that the table lists may say more than a 5xx does.
            expect('code' in result && result.code).toMatch(/^HTTP_5\d\d_[A-Z0-9_]+$/);
          }
          if ('retryAfterSeconds' in result) {
            expect(result.retryAfterSeconds).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });
});

describe.each(VENDOR_STANDS)('content of $provider', (stand) => {
  let sender: Sender;
  beforeAll(async () => {
    sender = await openVendorSender(stand, 'https://api.example.com', {
      http: { call: () => Promise.reject(new Error('unused')), close: () => {} },
      secrets: { get: async () => 'unused' },
      clock: { now: () => 0, sleep: async () => {} },
    });
  });

  test('is a pure function of the reminder, whatever its data, attempt and hop', () => {
    const data = fc.dictionary(
      fc.oneof(fc.constant('plan'), fc.string()),
      fc.jsonValue({ maxDepth: 4 }),
    );
    fc.assert(
      fc.property(data, fc.nat(1000), fc.nat(1000), (values, attempt, hop) => {
        const payload = {
          user_id: 'u',
          reminder_id: 'r',
          scheduled_at: '2026-07-26T09:00:00Z',
          data: values,
        };
        const parsed = parseReminder(payload, 'push');
        if (!parsed.ok) return;
        const { reminder } = parsed;
        const content = sender.content(reminder);
        expect(sender.content({ ...reminder, attempt, hop })).toBe(content);
        expect(sender.content(structuredClone(reminder))).toBe(content);
        expect(() => JSON.parse(content)).not.toThrow();
      }),
    );
  });

  test('tells two reminders apart', () => {
    const content = sender.content(aReminder({ data: { plan: 'Pro' } }));
    const other = aReminder({
      data: { plan: 'Team' },
      scheduledAt: { ...aReminder().scheduledAt, canonical: '2026-07-26T09:00:01Z' },
    });
    expect(sender.content(other)).not.toBe(content);
  });
});
