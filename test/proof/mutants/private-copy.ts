import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutant.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
/** All that the suites read, node_modules apart. */
const COPIED = ['functions', 'infra', 'test', 'package.json', 'tsconfig.json'] as const;
const CONFIG = 'mutants.config.ts';

/**
 * One worker and no isolation: two mutants run side by side on two cores, and a file costs no
 * process of its own. The baseline shows that the suites are green in this form too.
 */
const CONFIG_TEXT = `import { defineConfig } from 'vitest/config';
export default defineConfig({
  cacheDir: '.vite',
  test: { include: ['test/**/*.test.ts'], pool: 'forks', maxWorkers: 1, isolate: false, testTimeout: 20_000, hookTimeout: 30_000 },
});
`;

/** A copy of the working tree that may be broken: the tree itself is never touched. */
export class PrivateCopy {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static make(): PrivateCopy {
    const directory = mkdtempSync(join(tmpdir(), 'remind-once-mutants-'));
    for (const name of COPIED) {
      cpSync(join(REPOSITORY, name), join(directory, name), { recursive: true });
    }
    symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, CONFIG), CONFIG_TEXT);
    return new PrivateCopy(directory);
  }

  /** Breaks the copy; the returned function mends it again. */
  apply({ file, find, replace }: Mutant): () => void {
    const path = join(this.directory, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.split(find).join(replace));
    return () => writeFileSync(path, text);
  }

  /** Arguments of a Node process that runs these suites until the first failure. */
  command(suites: readonly string[], reportPath: string): readonly string[] {
    const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs');
    const reporter = ['--reporter', 'json', '--outputFile', reportPath];
    return [vitest, 'run', '--config', CONFIG, '--bail', '1', ...reporter, ...suites];
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Why the patch does not apply to the working tree; undefined when it does. */
export function patchFault({ file, find, replace }: Mutant): string | undefined {
  const text = readFileSync(join(REPOSITORY, file), 'utf8');
  const places = text.split(find).length - 1;
  if (places !== 1) return `its patch fits ${places} places of ${file}; it has to fit one`;
  return find === replace ? 'it changes nothing' : undefined;
}
