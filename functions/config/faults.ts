import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { ConfigError, type ConfigFault } from '#core/errors.ts';

/**
 * zod/mini, in everything that a function loads, is a third of zod's size; its checks are the same,
 * but it has words for a fault only when it is given a language.
 */
z.config(en());

/** Collects every fault of a configuration before any of them is thrown. */
export class FaultCollector {
  readonly #faults: ConfigFault[] = [];

  add(setting: string, problem: string): void {
    this.#faults.push({ setting, problem });
  }

  /** The parsed value, or undefined with its faults noted under `name`. */
  check<Schema extends z.ZodMiniType>(
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
  checkJson<Schema extends z.ZodMiniType>(
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
export function figure(unit: string, min: number, max: number): z.ZodMiniNumber<number> {
  const allowed = `allowed: a number from ${min} to ${max} (${unit})`;
  const error = (issue: { readonly input?: unknown }) => `is ${shown(issue.input)}; ${allowed}`;
  return z.number({ error }).check(z.minimum(min, { error }), z.maximum(max, { error }));
}

/** A whole figure. */
export function count(unit: string, min: number, max: number): z.ZodMiniNumber<number> {
  const whole = z.refine(Number.isInteger, {
    error: (issue) => `is ${shown(issue.input)}; allowed: a whole number (${unit})`,
  });
  return figure(unit, min, max).check(whole);
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
