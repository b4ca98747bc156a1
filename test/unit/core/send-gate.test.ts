import { describe, expect, test } from 'vitest';
import { answered, type GateState, openGate, started } from '#core/send-gate.ts';

/** One send after another, each started and answered before the next. */
function oneByOne(gate: GateState, answers: readonly boolean[]): GateState {
  return answers.reduce((state, overloaded) => {
    const next = started(state);
    return answered(next, next.started, overloaded);
  }, gate);
}

const clean = (count: number) => new Array<boolean>(count).fill(false);

describe('a gate', () => {
  test('opens at its most unless told to start lower', () => {
    expect(openGate(32).limit).toBe(32);
    expect(openGate(32, 4).limit).toBe(4);
    expect(openGate(32, 99).limit).toBe(32);
    expect(openGate(32, 0).limit).toBe(1);
  });

  test('halves on overload, down to one and no lower', () => {
    let gate = openGate(32);
    const limits = [];
    for (let round = 0; round < 7; round += 1) {
      gate = oneByOne(gate, [true]);
      limits.push(gate.limit);
    }
    expect(limits).toEqual([16, 8, 4, 2, 1, 1, 1]);
  });

  test('counts bad news of sends that were under way at the cut only once', () => {
    let gate = openGate(8);
    for (let send = 0; send < 8; send += 1) gate = started(gate);
    for (let ordinal = 1; ordinal <= 8; ordinal += 1) gate = answered(gate, ordinal, true);
    expect(gate.limit).toBe(4);
    gate = started(gate);
    expect(answered(gate, gate.started, true).limit).toBe(2);
  });

  test('rises by one for each full round of clean answers, up to its most', () => {
    const low = openGate(4, 1);
    expect(oneByOne(low, clean(1)).limit).toBe(2);
    expect(oneByOne(low, clean(1 + 1)).limit).toBe(2);
    expect(oneByOne(low, clean(1 + 2)).limit).toBe(3);
    expect(oneByOne(low, clean(1 + 2 + 3)).limit).toBe(4);
    expect(oneByOne(low, clean(100)).limit).toBe(4);
  });

  test('starts its round anew after a cut', () => {
    const gate = oneByOne(openGate(8, 4), [...clean(3), true]);
    expect(gate.limit).toBe(2);
    expect(oneByOne(gate, clean(1)).limit).toBe(2);
    expect(oneByOne(gate, clean(2)).limit).toBe(3);
  });
});
