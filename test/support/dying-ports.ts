/** Where a process ends: around the n-th call to any port, before it takes effect or after. */
export type Death = { readonly atCall: number; readonly side: 'before' | 'after' };

/**
 * The same ports, of a process that ends at `death`: from then on no call ever comes back, as for
 * a killed process, and no call takes effect. Pass null to count the calls of a whole run.
 */
export class DyingProcess {
  readonly #death: Death | null;
  readonly #dead = Promise.withResolvers<void>();
  calls = 0;

  constructor(death: Death | null) {
    this.#death = death;
  }

  /** Resolves when the process has ended. */
  get dead(): Promise<void> {
    return this.#dead.promise;
  }

  wrap<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => this.#call(() => member.apply(target, args));
      },
    });
  }

  async #call(perform: () => Promise<unknown>): Promise<unknown> {
    this.calls += 1;
    const { atCall, side } = this.#death ?? { atCall: Number.POSITIVE_INFINITY, side: 'before' };
    if (this.calls > atCall || (this.calls === atCall && side === 'before')) return this.#end();
    const answer = await perform();
    return this.calls === atCall ? this.#end() : answer;
  }

  #end(): Promise<never> {
    this.#dead.resolve();
    return new Promise(() => {});
  }
}
