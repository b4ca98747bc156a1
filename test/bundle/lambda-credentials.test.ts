import { afterEach, expect, it, vi } from 'vitest';
import { defaultProvider } from '#adapters/aws/lambda-credentials.ts';

afterEach(() => void vi.unstubAllEnvs());

it('hands on the credentials that Lambda puts into the environment', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'token');
  expect(await defaultProvider()()).toEqual({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'secret',
    sessionToken: 'token',
  });
});

it('says which variable is missing', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  await expect(defaultProvider()()).rejects.toThrow(/AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY/);
});
