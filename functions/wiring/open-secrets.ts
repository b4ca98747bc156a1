import { createSecretsManager } from '#adapters/aws/secrets-manager.ts';
import {
  createEnvironmentSecrets,
  isEnvironmentReference,
} from '#adapters/environment/environment-secrets.ts';
import type { Environment } from '#config/environment.ts';
import type { Secrets } from '#ports';

/** Each secret from where its reference points: `env:NAME`, or a Secrets Manager ARN. */
export function openSecrets(env: Environment): Secrets {
  const environment = createEnvironmentSecrets(env);
  const manager = createSecretsManager();
  return {
    get: (reference) => (isEnvironmentReference(reference) ? environment : manager).get(reference),
  };
}
