import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInstant } from '#core/instant.ts';

/** Whole seconds and nanoseconds, so that the oracle needs no floating point. */
const moment = fc.record({
  seconds: fc.integer({ min: -62_135_596_800, max: 253_402_300_799 - 86_400 }),
  nanos: fc.oneof(
    fc.constant(0),
    fc.nat(999).map((ms) => ms * 1_000_000),
    fc.nat(999_999_999),
  ),
});
type Moment = { readonly seconds: number; readonly nanos: number };

const spelling = fc.record({
  offsetMinutes: fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 }),
  zulu: fc.constantFrom('Z', 'z', '+00:00', '-00:00'),
  t: fc.constantFrom('T', 't'),
  zeros: fc.nat(6),
});

/** One of the many RFC 3339 texts of a moment, written by other means than the parser reads. */
function spell(
  { seconds, nanos }: Moment,
  how: typeof spelling extends fc.Arbitrary<infer S> ? S : never,
) {
  const zulu = how.offsetMinutes === 0;
  const wall = new Date((seconds + how.offsetMinutes * 60) * 1000).toISOString();
  if (!/^\d{4}-/.test(wall)) return undefined;
  const digits = String(nanos).padStart(9, '0').replace(/0+$/, '') + '0'.repeat(how.zeros);
  const size = Math.abs(how.offsetMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  const sign = how.offsetMinutes < 0 ? '-' : '+';
  const offset = zulu ? how.zulu : `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  const fraction = digits === '' ? '' : `.${digits}`;
  return `${wall.slice(0, 10)}${how.t}${wall.slice(11, 19)}${fraction}${offset}`;
}

function canonical(text: string): string {
  const parsed = parseInstant(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.fault}`);
  return parsed.instant.canonical;
}

test('every spelling of a moment reads as that moment', () => {
  fc.assert(
    fc.property(moment, spelling, spelling, (when, one, other) => {
      const [a, b] = [spell(when, one), spell(when, other)];
      fc.pre(a !== undefined && b !== undefined);
      expect(canonical(a)).toBe(canonical(b));
      const parsed = parseInstant(a);
      expect(parsed.ok && parsed.instant.epochMs).toBe(
        when.seconds * 1000 + Math.floor(when.nanos / 1_000_000),
      );
    }),
    { numRuns: 2000 },
  );
});

test('different moments never read alike, however near', () => {
  const near = fc.tuple(moment, fc.constantFrom(1, 2, 1000, 1_000_000));
  fc.assert(
    fc.property(near, spelling, spelling, ([when, nanos], one, other) => {
      fc.pre(when.nanos + nanos < 1_000_000_000);
      const a = spell(when, one);
      const b = spell({ ...when, nanos: when.nanos + nanos }, other);
      fc.pre(a !== undefined && b !== undefined);
      expect(canonical(a)).not.toBe(canonical(b));
    }),
    { numRuns: 2000 },
  );
});

test('the canonical text reads as itself', () => {
  fc.assert(
    fc.property(moment, spelling, (when, how) => {
      const text = spell(when, how);
      fc.pre(text !== undefined);
      expect(canonical(canonical(text))).toBe(canonical(text));
    }),
  );
});

test('whatever comes, it is an instant or a named fault, never an exception', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789-:.+TZtz ') });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), digits), (value) => {
      const parsed = parseInstant(value);
      if (parsed.ok) expect(Number.isSafeInteger(parsed.instant.epochMs)).toBe(true);
      else expect(parsed.fault).toMatch(/^[A-Z0-9_]+$/);
    }),
    { numRuns: 2000 },
  );
});
