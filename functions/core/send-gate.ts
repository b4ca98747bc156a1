/**
 * How many sends a channel may have under way: additive increase, multiplicative decrease.
 * A provider that defers (429) or times out halves it; clean answers raise it again by one for
 * each full round.
 */
export type GateState = {
  readonly limit: number;
  readonly max: number;
  /** Clean answers since the limit last changed. */
  readonly clean: number;
  /** Sends started so far; the ordinal of the newest one. */
  readonly started: number;
  /** Sends up to this ordinal were under way at the last cut: their bad news is old news. */
  readonly cutAt: number;
};

export function openGate(max: number, start: number = max): GateState {
  return { limit: Math.max(1, Math.min(start, max)), max, clean: 0, started: 0, cutAt: 0 };
}

export function started(gate: GateState): GateState {
  return { ...gate, started: gate.started + 1 };
}

/** @param ordinal the value of `started` right after the send was started */
export function answered(gate: GateState, ordinal: number, overloaded: boolean): GateState {
  if (overloaded) return ordinal <= gate.cutAt ? gate : cut(gate);
  const clean = gate.clean + 1;
  if (clean < gate.limit || gate.limit >= gate.max) return { ...gate, clean };
  return { ...gate, limit: gate.limit + 1, clean: 0 };
}

function cut(gate: GateState): GateState {
  return {
    ...gate,
    limit: Math.max(1, Math.floor(gate.limit / 2)),
    clean: 0,
    cutAt: gate.started,
  };
}
