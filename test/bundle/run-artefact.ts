import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Artefact } from './artefacts.ts';
import type { ArtefactRun } from './invoke-artefact.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('./invoke-artefact.ts', import.meta.url));

export type PrintedRun = ArtefactRun & { readonly printed: string };

/** Runs an artefact with exactly the given environment: nothing of this process reaches it. */
export async function runArtefact(
  artefact: Artefact,
  environment: Readonly<Record<string, string>>,
  mode: 'invoke' | 'load-only' = 'invoke',
): Promise<PrintedRun> {
  const { stdout } = await run(process.execPath, [SCRIPT, artefact.file, mode], {
    env: { ...environment, NODE_NO_WARNINGS: '1' },
    cwd: artefact.folder,
    timeout: 90_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  const line = /^artefact (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`the artefact printed no result:\n${stdout}`);
  return { ...(JSON.parse(line) as ArtefactRun), printed: stdout };
}
