import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '#adapters/providers/canonical-json.ts';
import { judgeSend } from '#adapters/providers/judge-outcome.ts';
import { meaningOf } from '#adapters/providers/provider-profile.ts';

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

test('field report 44: canonical JSON depends on the value alone, and means what JSON means', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.json().map((text) => JSON.parse(text)),
  );
  fc.assert(
    fc.property(value, (any) => {
      expect(canonicalJson(reversed(any))).toBe(canonicalJson(any));
      expect(JSON.parse(canonicalJson(any))).toEqual(JSON.parse(JSON.stringify(any)));
    }),
    { numRuns: 1_000 },
  );
  expect(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":2},"A":[]}'))).toBe(
    '{"A":[],"__proto__":{"a":2,"b":1}}',
  );
});

test('without a table of its own no provider turns a broken or odd answer into proof', () => {
  for (let status = 100; status < 600; status += 1) {
    const meaning = meaningOf(status, {});
    if (status < 200 || (status >= 300 && status < 400) || status >= 500) {
      expect([status, meaning]).toEqual([status, 'unknown']);
    }
    if (status >= 200 && status < 300) expect(meaning).toBe('accepted');
    if (status >= 400 && status < 500) expect(meaning).not.toBe('accepted');
  }
});

test('field report 74: nothing that a provider writes reaches a result but its receipt', () => {
  const profile = {
    statuses: {},
    receipt: { place: 'body', path: 'receipt.id', required: true },
  } as const;
  const body = fc.oneof(fc.string(), fc.json());
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), body, fc.string(), (status, text, header) => {
      const headers = { 'retry-after': header, 'x-error': text };
      const result = judgeSend({ kind: 'answer', status, headers, text }, profile, 0);
      if (result.kind === 'accepted') return;
      const word = 'code' in result ? result.code : result.cause;
      expect(word === `HTTP_${status}` || word === 'NO_RECEIPT').toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
