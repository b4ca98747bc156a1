/**
 * Exceptions are bugs and broken infrastructure; expected outcomes are values.
 * The message says what went wrong, the value seen, the value allowed and the next step,
 * and never holds a payload or a secret.
 */
export class RemindOnceError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    // Spelt out: minified bundles rename classes, and errors are recognised by name.
    this.name = 'RemindOnceError';
    this.code = code;
  }
}

/** One fault of a configuration: where, what was seen, what is allowed. */
export type ConfigFault = { readonly setting: string; readonly problem: string };

/** Every fault of a configuration at once, so that one deploy is enough to mend them all. */
export class ConfigError extends RemindOnceError {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map((fault) => `  ${fault.setting}: ${fault.problem}`);
    const noun = faults.length === 1 ? 'setting is' : 'settings are';
    super('CONFIG_INVALID', `${faults.length} ${noun} wrong:\n${lines.join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** The `code` or `name` of anything thrown. By name, because bundles can hold a class twice. */
export function errorName(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'NON_ERROR_THROWN';
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code)) return code;
  return typeof name === 'string' && /^\w{1,64}$/.test(name) ? name : 'Error';
}
