import type { EpochMs } from '#core/brand.ts';
import type { Clock } from '#ports';

/** Keeps calls at least an interval apart, and further apart while somebody asks for a pause. */
export class Pacer {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #nextAt: EpochMs = 0;

  constructor(clock: Clock, ratePerSecond: number) {
    this.#clock = clock;
    this.#intervalMs = 1000 / ratePerSecond;
  }

  /** The earliest instant of the next turn. */
  get nextAt(): EpochMs {
    return Math.max(this.#nextAt, this.#clock.now());
  }

  /** Resolves when it is the caller's turn. */
  async turn(): Promise<void> {
    const waitMs = this.#nextAt - this.#clock.now();
    if (waitMs > 0) await this.#clock.sleep(waitMs);
    this.#nextAt = this.nextAt + this.#intervalMs;
  }

  /** Nobody's turn comes before this. */
  pause(ms: number): void {
    this.#nextAt = Math.max(this.#nextAt, this.#clock.now() + ms);
  }
}
