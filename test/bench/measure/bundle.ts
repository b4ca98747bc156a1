import { build } from 'esbuild';
import { unusedProviderSdks } from '#config/provider-sdks.ts';
import {
  BANNER,
  REPLACED_MODULES,
  REPOSITORY,
  TARGET,
  UNREACHED_MODULES,
} from '#infra/constructs/bundling.ts';
import { STAGES } from '#infra/stages.ts';

/**
 * Bundles a module of the repository as the deployed functions are bundled (infra's settings for
 * esbuild), for the channels of stage prod.
 */
export async function bundle(entry: string, outfile: string, minify = true): Promise<void> {
  await build({
    absWorkingDir: REPOSITORY,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: TARGET,
    minify,
    mainFields: ['module', 'main'],
    external: [...UNREACHED_MODULES, ...unusedProviderSdks(STAGES['prod']?.channels ?? {})],
    legalComments: 'none',
    alias: { ...REPLACED_MODULES },
    banner: { js: BANNER },
    logLevel: 'warning',
  });
}
