import { expect, test } from 'vitest';
import { createEnvironmentSecrets } from '#adapters/environment/environment-secrets.ts';

const secrets = createEnvironmentSecrets({
  PUSH_KEY: 'sk_live_planted',
  EMPTY: '',
  BLANK: ' ',
  UNSET: 'REPLACE_ME',
  ANGLED: '<your key>',
});

test.each(['env:PUSH_KEY', 'PUSH_KEY'])('%s names a variable', async (reference) => {
  expect(await secrets.get(reference)).toBe('sk_live_planted');
});

test.each(['env:ABSENT', 'EMPTY', 'env:BLANK', 'UNSET', 'ANGLED'])(
  '%s is missing, and the error says what to do',
  async (reference) => {
    const name = reference.replace('env:', '');
    await expect(secrets.get(reference)).rejects.toMatchObject({
      code: 'SECRET_MISSING',
      message: expect.stringContaining(`export ${name}=`),
    });
  },
);
