/** Made-up credentials for the SDK's own chain; the result puts the environment back. */
export function plantAwsCredentials(): () => void {
  return plant({ AWS_ACCESS_KEY_ID: 'AKIDPLANTED', AWS_SECRET_ACCESS_KEY: 'planted-secret' });
}

/** Nobody to sign: no keys, no profile, no instance. The result puts the environment back. */
export function withoutAwsCredentials(): () => void {
  return plant({
    AWS_ACCESS_KEY_ID: undefined,
    AWS_SECRET_ACCESS_KEY: undefined,
    AWS_PROFILE: undefined,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  });
}

function plant(values: Readonly<Record<string, string | undefined>>): () => void {
  const before = { ...process.env };
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return () => {
    process.env = before;
  };
}
