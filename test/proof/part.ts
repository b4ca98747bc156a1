/** How much of a proof is run: `short` in every test run, `full` by `npm run prove`. */
export type Scale = 'short' | 'full';

export type PartOptions = {
  readonly seed: number;
  readonly scale: Scale;
  /** One line of progress. */
  readonly log: (line: string) => void;
};

/** Something that must never be, with what is needed to see it again. */
export type Violation = {
  /** Scenario, boundary, seed: enough to run this case alone. */
  readonly where: string;
  readonly what: string;
  /** What happened, step by step; the shortest that was found. */
  readonly story: readonly string[];
};

export type PartReport = {
  readonly name: string;
  readonly seed: number;
  /** What was run and what came of it, by name; names are stable. */
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  /** What the figures do not say: lists of boundaries, limits of the proof. */
  readonly notes: readonly string[];
  readonly seconds: number;
};

/** One proof. It counts what it ran, and returns violations instead of throwing at the first. */
export type Part = {
  readonly name: string;
  /** What it shows, in one sentence. */
  readonly shows: string;
  /** Its work is in processes of its own: it runs beside the others, on whichever core is free. */
  readonly aside?: true;
  /** It takes every core and reports its pace by the wall: it runs before the others. */
  readonly alone?: true;
  run(options: PartOptions): Promise<PartReport>;
};

/** Collects a part's counts and violations; keeps the first of these and counts the rest. */
export class Findings {
  readonly #name: string;
  readonly #options: PartOptions;
  readonly #startedAt = performance.now();
  readonly #counts = new Map<string, number>();
  readonly #violations: Violation[] = [];
  readonly #notes: string[] = [];

  constructor(name: string, options: PartOptions) {
    this.#name = name;
    this.#options = options;
  }

  count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  violation(violation: Violation): void {
    this.count('violations');
    if (this.#violations.length < 20) this.#violations.push(violation);
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  report(): PartReport {
    return {
      name: this.#name,
      seed: this.#options.seed,
      counts: Object.fromEntries(this.#counts),
      violations: this.#violations,
      notes: this.#notes,
      seconds: Math.round((performance.now() - this.#startedAt) / 100) / 10,
    };
  }
}
