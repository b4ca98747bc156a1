import type { Environment } from '#config/environment.ts';
import { isUnsetSecret } from '#config/secret-placeholder.ts';
import { RemindOnceError } from '#core/errors.ts';
import type { Secrets } from '#ports';

const PREFIX = 'env:';

/** Whether a secret reference names an environment variable. */
export function isEnvironmentReference(reference: string): boolean {
  return reference.startsWith(PREFIX);
}

/**
 * Secrets from environment variables, for the local stage and the command line.
 * A reference is `env:NAME`, or the variable's bare name.
 */
export function createEnvironmentSecrets(env: Environment): Secrets {
  return {
    async get(reference) {
      const name = isEnvironmentReference(reference) ? reference.slice(PREFIX.length) : reference;
      const value = env[name];
      if (value !== undefined && !isUnsetSecret(value)) return value;
      const seen = value === undefined ? 'is not set' : 'is empty or a placeholder';
      throw new RemindOnceError(
        'SECRET_MISSING',
        `the secret ${reference} is missing: the environment variable ${name} ${seen}; set it with: export ${name}=<value>`,
      );
    },
  };
}
