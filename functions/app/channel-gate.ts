import { answered, type GateState, openGate, started } from '#core/send-gate.ts';

/** Admits sends to one channel, at most `limit` at once, first come first served. */
export class ChannelGate {
  #state: GateState;
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number, start: number = max) {
    this.#state = openGate(max, start);
  }

  get limit(): number {
    return this.#state.limit;
  }

  /** Resolves with the send's ordinal once it may start. Every admission needs one `leave`. */
  async enter(): Promise<number> {
    if (this.#underWay < this.#state.limit) this.#underWay += 1;
    else await new Promise<void>((admit) => this.#waiting.push(admit));
    this.#state = started(this.#state);
    return this.#state.started;
  }

  /** @param overloaded null when no call was made, so that nothing was learnt */
  leave(ordinal: number, overloaded: boolean | null): void {
    this.#underWay -= 1;
    if (overloaded !== null) this.#state = answered(this.#state, ordinal, overloaded);
    this.#admit();
  }

  /** Takes the place on the waiter's behalf, so that no newcomer slips in before it wakes. */
  #admit(): void {
    while (this.#underWay < this.#state.limit) {
      const admit = this.#waiting.shift();
      if (admit === undefined) return;
      this.#underWay += 1;
      admit();
    }
  }
}
