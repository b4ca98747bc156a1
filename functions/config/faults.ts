import * as z from 'zod';
import { ConfigError, type ConfigFault } from '#core/errors.ts';

/** Collects every fault of a configuration before any of them is thrown. */
export class FaultCollector {
  readonly #faults: ConfigFault[] = [];

  add(setting: string, problem: string): void {
    this.#faults.push({ setting, problem });
  }

  /** The parsed value, or undefined with its faults noted under `name`. */
  check<Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    value: unknown,
  ): z.output<Schema> | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      this.add([name, ...issue.path.map(String)].join('.'), issue.message);
    }
    return undefined;
  }

  /** As `check`, for a value that travels as JSON text; an absent or blank text means `{}`. */
  checkJson<Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    text: string | undefined,
    absent: unknown = {},
  ): z.output<Schema> | undefined {
    if (text === undefined || text.trim() === '') return this.check(name, schema, absent);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.add(name, 'is not JSON; write it as a JSON object or list');
      return undefined;
    }
    return this.check(name, schema, value);
  }

  throwIfAny(): void {
    if (this.#faults.length > 0) throw new ConfigError(this.#faults);
  }

  get faults(): readonly ConfigFault[] {
    return this.#faults;
  }
}

/** A figure with its unit and bounds in the message: value seen, value allowed. */
export function figure(unit: string, min: number, max: number): z.ZodNumber {
  const allowed = `allowed: a number from ${min} to ${max} (${unit})`;
  return z
    .number({ error: (issue) => `is ${shown(issue.input)}; ${allowed}` })
    .min(min, { error: (issue) => `is ${shown(issue.input)}; ${allowed}` })
    .max(max, { error: (issue) => `is ${shown(issue.input)}; ${allowed}` });
}

/** A whole figure. */
export function count(unit: string, min: number, max: number): z.ZodNumber {
  return figure(unit, min, max).refine(Number.isInteger, {
    error: (issue) => `is ${shown(issue.input)}; allowed: a whole number (${unit})`,
  });
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
