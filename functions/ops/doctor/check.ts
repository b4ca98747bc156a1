export type CheckLevel = 'ok' | 'warn' | 'fail' | 'skip';

/** One thing that was looked at before a configuration is trusted. */
export type Check = {
  /** Stable name, kebab-case. */
  readonly name: string;
  readonly level: CheckLevel;
  /** What was seen. */
  readonly what: string;
  /** What goes wrong when it is not so. */
  readonly why: string;
  /** What to do; empty when there is nothing to do. */
  readonly mend: string;
};

export type Seen = Pick<Check, 'level' | 'what'> & { readonly mend?: string };

export function check(name: string, why: string, seen: Seen): Check {
  return { name, why, level: seen.level, what: seen.what, mend: seen.mend ?? '' };
}
