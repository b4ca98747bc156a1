/** At most `limit` sends at the provider at once, first come first served. */
export class SendLimit {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  async run<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((start) => this.#waiting.push(start));
    try {
      return await send();
    } finally {
      const start = this.#waiting.shift();
      if (start === undefined) this.#free += 1;
      else start();
    }
  }
}
