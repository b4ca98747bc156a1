import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answered, openGate, started } from '#core/send-gate.ts';

test('whatever the answers and their order, the limit stays between one and its most', () => {
  const steps = fc.array(
    fc.record({
      act: fc.constantFrom('start', 'answer'),
      overloaded: fc.boolean(),
      pick: fc.nat(99),
    }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 }), steps, (max, taken) => {
      let gate = openGate(max);
      const underWay: number[] = [];
      for (const { act, overloaded, pick } of taken) {
        if (act === 'start' && underWay.length < gate.limit) {
          gate = started(gate);
          underWay.push(gate.started);
        } else if (underWay.length > 0) {
          const [ordinal = 0] = underWay.splice(pick % underWay.length, 1);
          const before = gate.limit;
          gate = answered(gate, ordinal, overloaded);
          expect(gate.limit - before).toBeLessThanOrEqual(overloaded ? 0 : 1);
        }
        expect(gate.limit).toBeGreaterThanOrEqual(1);
        expect(gate.limit).toBeLessThanOrEqual(max);
      }
    }),
  );
});
