import { RemindOnceError } from '#core/errors.ts';

type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/**
 * Stands in for `@aws-sdk/credential-provider-node` in the deployed bundles (infra sets the alias).
 * Lambda hands a function its role's credentials by environment and renews them with the sandbox;
 * the SDK's chain of profiles, single sign-on, web identity and instance metadata could never be
 * asked there, but is a fifth of the bundle and so of every cold start.
 */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => {
    const accessKeyId = process.env['AWS_ACCESS_KEY_ID'];
    const secretAccessKey = process.env['AWS_SECRET_ACCESS_KEY'];
    const sessionToken = process.env['AWS_SESSION_TOKEN'];
    if (!accessKeyId || !secretAccessKey) {
      throw new RemindOnceError(
        'AWS_CREDENTIALS_MISSING',
        'AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set; Lambda sets both, elsewhere set them by hand',
      );
    }
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  };
}

/** Credentials of a Lambda sandbox do not expire while it lives. */
export function credentialsWillNeedRefresh(): boolean {
  return false;
}

export function credentialsTreatedAsExpired(): boolean {
  return false;
}
