import { readFileSync, writeFileSync } from 'node:fs';
import { PROVIDER_PROFILES } from '#adapters/providers/provider-profiles.ts';
import { withProviderTables } from './provider-table.ts';

/** Writes the providers' part of the README from their profiles. */
const path = new URL('../../README.md', import.meta.url);
const readme = readFileSync(path, 'utf8');
writeFileSync(path, withProviderTables(readme, Object.values(PROVIDER_PROFILES)));
