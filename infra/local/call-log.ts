/** The last calls that reached an emulator, oldest first, bounded so that long runs stay flat. */
export class CallLog<Call extends { readonly route: string }> {
  readonly #limit: number;
  #calls: Call[] = [];
  readonly #counts = new Map<string, number>();

  constructor(limit = 1_000) {
    this.#limit = limit;
  }

  add(call: Call): void {
    this.#calls.push(call);
    // Trimmed in halves: shifting one by one would cost the whole array a call.
    if (this.#calls.length > 2 * this.#limit) this.#calls = this.#calls.slice(-this.#limit);
    this.#counts.set(call.route, this.count(call.route) + 1);
  }

  /** All calls of a route since the start or the last clear, also those no longer listed. */
  count(route: string): number {
    return this.#counts.get(route) ?? 0;
  }

  list(route?: string): readonly Call[] {
    const last = this.#calls.slice(-this.#limit);
    return route === undefined ? last : last.filter((call) => call.route === route);
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  clear(): void {
    this.#calls = [];
    this.#counts.clear();
  }
}
