import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { unusedProviderSdks } from '#config/provider-sdks.ts';
import { STAGES } from '#infra/stages.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

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
    target: 'node24',
    minify,
    mainFields: ['module', 'main'],
    external: [...unusedProviderSdks(STAGES['prod']?.channels ?? {})],
    legalComments: 'none',
    alias: {
      '@aws-sdk/credential-provider-node': `${REPOSITORY}functions/adapters/aws/lambda-credentials.ts`,
    },
    banner: {
      js: "import{createRequire as remindOnceRequire}from'node:module';const require=remindOnceRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}
