import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const REQUIREMENTS = join(REPOSITORY, 'test/deploy/requirements.txt');
const INSTALL_TIMEOUT_MS = 300_000;

export type PythonTools =
  | { readonly kind: 'found'; readonly bin: (tool: string) => string }
  | { readonly kind: 'missing'; readonly problem: string };

/**
 * moto and cfn-lint in a virtual environment of this repository, made when it is first needed and
 * made anew when the pinned versions change. Missing without Python or without a package index.
 */
export async function findPythonTools(): Promise<PythonTools> {
  const requirements = await readFile(REQUIREMENTS);
  const version = createHash('sha256').update(requirements).digest('hex').slice(0, 12);
  const folder = join(REPOSITORY, '.venv', version);
  const complete = join(folder, 'complete');
  const bin = (tool: string) => join(folder, 'bin', tool);
  if (await exists(complete)) return { kind: 'found', bin };
  try {
    await rm(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder]);
    const install = ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS];
    await run(bin('python'), install, { timeout: INSTALL_TIMEOUT_MS });
    await writeFile(complete, version);
    return { kind: 'found', bin };
  } catch (error) {
    return { kind: 'missing', problem: whyMissing(error) };
  }
}

function whyMissing(error: unknown): string {
  const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: unknown };
  const next = 'Install Python 3.11 with venv, and let pip reach a package index.';
  if (code === 'ENOENT') return `No python3 was found. ${next}`;
  const lastLine = typeof stderr === 'string' ? stderr.trim().split('\n').at(-1) : undefined;
  return `The Python packages of test/deploy/requirements.txt could not be installed: ${lastLine ?? String(code)}. ${next}`;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
