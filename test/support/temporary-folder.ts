import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/**
 * A temporary folder of its own for a whole run of tests, gone with it: synthesis alone leaves one
 * cloud assembly behind for each app that is built. Workers start with this environment.
 */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'remind-once-tests-'));
  process.env['TMPDIR'] = folder;
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
