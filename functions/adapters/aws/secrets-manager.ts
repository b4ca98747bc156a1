import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import { isUnsetSecret } from '#config/secret-placeholder.ts';
import { errorName, RemindOnceError } from '#core/errors.ts';
import type { Secrets } from '#ports';

export type SecretsManagerOptions = {
  /**
   * How long a value is kept, and so how long after a rotation the old one is used. There is no
   * fallback to an older value when the store fails: a key epoch's start relies on this bound.
   */
  readonly maxAgeSeconds?: number;
  /** One request to the store; a hanging store must not eat the run budget. */
  readonly requestTimeoutMs?: number;
  /** Default: the SDK's own, which also reads AWS_ENDPOINT_URL_SECRETS_MANAGER. */
  readonly endpoint?: string;
};

const MAX_AGE_SECONDS = 300;
const REQUEST_TIMEOUT_MS = 3_000;

/**
 * Secrets of AWS Secrets Manager by ARN or name, cached. The SDK's client is imported, not loaded
 * when it is first asked: a bundle keeps all of a package, and of what that shares with others,
 * that is loaded at run time. The client itself is made with the first secret.
 *
 * Throws SECRET_MISSING when there is no such secret or it was never set, SECRET_UNREADABLE when
 * the store refused or did not answer. Neither carries the SDK's error: only its name.
 */
export function createSecretsManager(options: SecretsManagerOptions = {}): Secrets {
  const maxAge = options.maxAgeSeconds ?? MAX_AGE_SECONDS;
  const underWay = new Map<string, Promise<string>>();
  let provider: SecretsProvider | undefined;

  async function read(reference: string): Promise<string> {
    provider ??= openProvider(options);
    const value = await provider.get(reference, { maxAge }).catch((error: unknown) => {
      throw readFailure(reference, error);
    });
    const text = typeof value === 'string' ? value : new TextDecoder().decode(value);
    if (!isUnsetSecret(text)) return text;
    // Not kept: the operator's very next step is to set it.
    provider.clearCache();
    throw missing(reference, 'it is empty or a placeholder', setCommand(reference));
  }

  return {
    /** Sends that start together share one request: the store throttles long before a provider. */
    get(reference) {
      const shared = underWay.get(reference);
      if (shared !== undefined) return shared;
      const reading = read(reference).finally(() => underWay.delete(reference));
      underWay.set(reference, reading);
      return reading;
    },
  };
}

function openProvider(options: SecretsManagerOptions): SecretsProvider {
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  return new SecretsProvider({
    clientConfig: {
      ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
      requestHandler: { connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true },
    },
  });
}

/** Powertools wraps the SDK's error; both are known by name only. */
function readFailure(reference: string, error: unknown): RemindOnceError {
  const name = errorName((error as { cause?: unknown } | null)?.cause ?? error);
  if (name === 'ResourceNotFoundException') {
    const next = `deploy the stack that creates it, or: ${setCommand(reference)}`;
    return missing(reference, 'Secrets Manager knows no such secret or no value of it', next);
  }
  return new RemindOnceError(
    'SECRET_UNREADABLE',
    `the secret ${reference} could not be read: Secrets Manager answered ${name}; allow secretsmanager:GetSecretValue on it, or try again when the service is well`,
  );
}

function missing(reference: string, seen: string, next: string): RemindOnceError {
  return new RemindOnceError(
    'SECRET_MISSING',
    `the secret ${reference} is missing: ${seen}; set it with: ${next}`,
  );
}

function setCommand(reference: string): string {
  return `aws secretsmanager put-secret-value --secret-id '${reference}' --secret-string file:///dev/stdin`;
}
