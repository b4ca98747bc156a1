import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type CdkResult = { readonly exitCode: number; readonly output: string };

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const CDK = join(
  dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')),
  'bin/cdk',
);

/**
 * Runs the CDK command line that the repository pins, as an operator would, on the interpreter of
 * this process.
 */
export async function cdk(
  arguments_: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CdkResult> {
  const folder = await mkdtemp(join(tmpdir(), 'remind-once-deploy-'));
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const command = spawn(
    process.execPath,
    [CDK, ...arguments_, '--output', join(folder, 'out'), '--no-color', '--no-notices'],
    {
      cwd: REPOSITORY,
      env: {
        ...process.env,
        ...environment,
        PATH: path,
        // The tool keeps caches and settings there.
        CDK_HOME: folder,
        CDK_DISABLE_CLI_TELEMETRY: 'true',
        CI: 'true',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  command.stdout.on('data', keep);
  command.stderr.on('data', keep);
  const [exitCode] = (await once(command, 'exit')) as [number | null];
  return { exitCode: exitCode ?? 1, output };
}
