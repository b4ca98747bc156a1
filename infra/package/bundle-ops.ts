import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
/** The bundle uses what came with this release (URL.parse). */
const LEAST_NODE = 22;

/** Runs before anything of ours: an older Node would end in a stack trace. */
const BANNER = `#!/usr/bin/env node
import { createRequire as remindOnceRequire } from 'node:module';
const require = remindOnceRequire(import.meta.url);
if (Number(process.versions.node.split('.')[0]) < ${LEAST_NODE}) {
  process.stderr.write('error: remind-once needs Node ${LEAST_NODE} or newer; this is ' + process.versions.node + '\\n');
  process.exit(3);
}`;

/**
 * The operator's command line as one file without dependencies. An installed package needs it:
 * Node strips types everywhere but below node_modules.
 */
export async function bundleOps(outfile: string): Promise<void> {
  await build({
    absWorkingDir: REPOSITORY,
    entryPoints: ['functions/ops/cli.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: `node${LEAST_NODE}`,
    minify: true,
    legalComments: 'none',
    banner: { js: BANNER },
    logLevel: 'warning',
  });
}
