import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { awsPlace } from '#adapters/aws/aws-endpoint.ts';
import { type AwsJsonClient, createAwsJsonClient } from '#adapters/aws/aws-json-client.ts';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { isUnsetSecret } from '#config/secret-placeholder.ts';
import { RemindOnceError } from '#core/errors.ts';
import type { Secrets } from '#ports';

export type SecretsManagerOptions = {
  /**
   * How long a value is kept, and so how long after a rotation the old one is used. There is no
   * fallback to an older value when the store fails: a key epoch's start relies on this bound.
   */
  readonly maxAgeSeconds?: number;
  /** One request to the store; a hanging store must not eat the run budget. */
  readonly requestTimeoutMs?: number;
  /** Default: the region's, or AWS_ENDPOINT_URL_SECRETS_MANAGER. */
  readonly endpoint?: string;
};

const MAX_AGE_SECONDS = 300;
const REQUEST_TIMEOUT_MS = 3_000;

/** As the AWS SDKs do; reading twice does no harm. */
const MAX_ATTEMPTS = 3;
const MAX_SOCKETS = 8;

/**
 * Secrets of AWS Secrets Manager by ARN or name, cached. The client is made with the first secret
 * that is asked for, so that a process that needs none needs no AWS settings either.
 *
 * Throws SECRET_MISSING when there is no such secret or it was never set, SECRET_UNREADABLE when
 * the store refused or did not answer: by the name of its error, nothing else of it.
 */
export function createSecretsManager(options: SecretsManagerOptions = {}): Secrets {
  const maxAgeMs = (options.maxAgeSeconds ?? MAX_AGE_SECONDS) * 1000;
  // By the wall: a frozen sandbox stops every other clock.
  const kept = new Map<string, { readonly text: string; readonly readAt: number }>();
  const underWay = new Map<string, Promise<string>>();
  let client: AwsJsonClient | undefined;

  async function read(reference: string): Promise<string> {
    client ??= openClient(options);
    const answer = await client.call('GetSecretValue', { SecretId: reference });
    if (answer.kind !== 'answer') {
      throw readFailure(reference, answer.kind === 'refused' ? answer.name : answer.code);
    }
    const text = textOf(answer.output);
    // Not kept: the operator's very next step is to set it.
    if (isUnsetSecret(text)) {
      throw missing(reference, 'it is empty or a placeholder', setCommand(reference));
    }
    kept.set(reference, { text, readAt: Date.now() });
    return text;
  }

  return {
    /** Sends that start together share one request: the store throttles long before a provider. */
    get(reference) {
      const known = kept.get(reference);
      if (known !== undefined && Date.now() - known.readAt < maxAgeMs) {
        return Promise.resolve(known.text);
      }
      const shared = underWay.get(reference);
      if (shared !== undefined) return shared;
      const reading = read(reference).finally(() => underWay.delete(reference));
      underWay.set(reference, reading);
      return reading;
    },
  };
}

function openClient(options: SecretsManagerOptions): AwsJsonClient {
  return createAwsJsonClient({
    ...awsPlace('secretsmanager', 'SECRETS_MANAGER', options),
    service: 'secretsmanager',
    targetPrefix: 'secretsmanager',
    jsonVersion: '1.1',
    http: createHttpClient({ maxSockets: MAX_SOCKETS }),
    credentials: defaultProvider(),
    maxAttempts: MAX_ATTEMPTS,
    attemptTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
  });
}

function textOf(output: Readonly<Record<string, unknown>>): string {
  const { SecretString: text, SecretBinary: binary } = output;
  if (typeof text === 'string') return text;
  return typeof binary === 'string' ? Buffer.from(binary, 'base64').toString('utf8') : '';
}

function readFailure(reference: string, name: string): RemindOnceError {
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
