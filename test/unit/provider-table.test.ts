import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROVIDER_PROFILES } from '#adapters/providers/provider-profiles.ts';
import { providerTables, withProviderTables } from '#infra/docs/provider-table.ts';

const profiles = Object.values(PROVIDER_PROFILES);

test('the README says what the profiles say (npm run docs:providers brings it up to date)', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(withProviderTables(readme, profiles)).toBe(readme);
});

test('a changed profile changes the table', () => {
  const changed = { ...PROVIDER_PROFILES.resend, statuses: { 418: 'deferred' } } as const;
  expect(providerTables([changed])).toContain('418');
  expect(providerTables([changed])).not.toBe(providerTables([PROVIDER_PROFILES.resend]));
});

test('a README without the markers is refused, not overwritten', () => {
  expect(() => withProviderTables('# Remind Once', profiles)).toThrow(/providers:start/);
});
