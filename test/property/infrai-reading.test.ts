import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readConsumeData } from '#adapters/infrai/consume-answer.ts';
import { readEnvelope } from '#adapters/infrai/envelope.ts';

const PLANTED = 'ifr_planted';
const SAFE_CODE = /^([A-Z][A-Z0-9_]{1,63}|HTTP_\d{3})$/;

const odd = fc.jsonValue();
const message = fc.record(
  {
    message_id: fc.oneof(fc.string(), fc.integer(), odd),
    id: fc.oneof(fc.string(), odd),
    payload: odd,
    body: fc.oneof(fc.json(), fc.string(), odd),
    receipt_handle: odd,
    delivery_count: odd,
  },
  { requiredKeys: [] },
);
const entries = fc.array(fc.oneof(message, odd));
const wrapped = fc.oneof(
  entries,
  entries.map((items) => ({ items })),
  entries.map((messages) => ({ messages })),
);

test('field report 57: no pull is so odd that it throws, or that an entry goes uncounted', () => {
  fc.assert(
    fc.property(wrapped, fc.constantFrom('message_id', 'receipt_handle'), (data, ackField) => {
      const reading = readConsumeData(data, ackField);
      const all = Array.isArray(data) ? data : Object.values(data)[0];
      expect((reading?.messages.length ?? 0) + (reading?.unreadable ?? 0)).toBe(all?.length);
      for (const { messageId, ackHandle, deliveryCount } of reading?.messages ?? []) {
        expect(messageId.trim()).not.toBe('');
        expect(ackHandle.trim()).not.toBe('');
        expect(deliveryCount === null || Number.isSafeInteger(deliveryCount)).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('field report 74: whatever an answer says, only a code of ours or a plain code comes out', () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ ok: fc.boolean(), data: odd, error: fc.oneof(odd, fc.record({ code: odd })) })
      .map((envelope) => JSON.stringify(envelope)),
    fc.string().map((around) => JSON.stringify({ ok: false, error: `${around}${PLANTED}` })),
    fc.string().map((around) => JSON.stringify({ error: { code: `${PLANTED}${around}` } })),
  );
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), text, (status, body) => {
      const reading = readEnvelope({ kind: 'answer', status, headers: {}, text: body });
      if (reading.kind === 'ok') expect(Math.floor(status / 100)).toBe(2);
      else expect(reading.code).toMatch(SAFE_CODE);
    }),
    { numRuns: 2_000 },
  );
});
