/** Where a secret comes from. Its value is never in settings, templates or environments. */
export type SecretSource =
  /** Made by the ledger stack and kept for ever; empty until somebody puts a value. */
  | 'create'
  /** One that exists, by its complete ARN. */
  | { readonly arn: string }
  /** One that exists in this account and region, by its name. */
  | { readonly name: string };

/** Settings as a function reads them, with a source wherever the function takes a `secretRef`. */
export type WithSources<Settings> = Settings extends readonly unknown[] | Date
  ? Settings
  : Settings extends object
    ? {
        [Key in keyof Settings]: Key extends `${string}ecretRef`
          ? SecretSource | Extract<Settings[Key], undefined>
          : WithSources<Settings[Key]>;
      }
    : Settings;

/** One secret that a channel needs. */
export type NamedSource = { readonly name: string; readonly source: SecretSource };

const IS_SECRET = /^(secretRef|\w+SecretRef)$/;
/** A channel's body is the team's own text, whatever its keys are called. */
const FREE_TEXT = 'body';

/**
 * Every secret of a channel by a stable name: `push` for its own, `push.signing`,
 * `push.signing.previousSecretRef`, `push.recipient` for those further inside.
 */
export function channelSources(channel: string, settings: object): readonly NamedSource[] {
  const found: NamedSource[] = [];
  withReferences(channel, settings, (name, source) => {
    found.push({ name, source });
    return '';
  });
  return found;
}

/** The channel's settings with a reference in the place of each source. */
export function withReferences(
  channel: string,
  settings: object,
  reference: (name: string, source: SecretSource) => string,
): Record<string, unknown> {
  const replace = (path: string, node: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(node).map(([key, value]: [string, unknown]) => {
        if (IS_SECRET.test(key) && value !== undefined) {
          const name = key === 'secretRef' ? path : `${path}.${key}`;
          return [key, reference(name, value as SecretSource)];
        }
        const nested = isObject(value) && !(path === channel && key === FREE_TEXT);
        return [key, nested ? replace(`${path}.${key}`, value) : value];
      }),
    );
  return replace(channel, settings);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
