import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { PrivateCopy } from './private-copy.ts';

/** A broken loop may never end; a suite that long is a suite that noticed. */
const LIMIT_MS = 90_000;

export type SuitesRun =
  | { readonly kind: 'green'; readonly tests: number }
  | { readonly kind: 'red'; readonly test: string; readonly file: string }
  /** They ended without a verdict, or did not end. */
  | { readonly kind: 'no-verdict'; readonly problem: string };

const report = z.object({
  numPassedTests: z.number(),
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** Runs test files in a copy of the tree, in a process of its own. */
export async function runSuites(copy: PrivateCopy, suites: readonly string[]): Promise<SuitesRun> {
  const reportPath = join(copy.directory, 'report.json');
  const child = spawn(process.execPath, [...copy.command(suites, reportPath)], {
    cwd: copy.directory,
    env: { ...environment(), NO_COLOR: '1' },
    stdio: 'ignore',
    detached: true,
  });
  const limit = AbortSignal.timeout(LIMIT_MS);
  const hung = once(limit, 'abort').then(() => 'hung' as const);
  const ended = once(child, 'exit').then(() => 'ended' as const);
  if ((await Promise.race([ended, hung])) === 'hung') {
    // Its workers belong to its group.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    return { kind: 'no-verdict', problem: `no end within ${LIMIT_MS / 1000} s` };
  }
  return readReport(reportPath, copy.directory);
}

function readReport(path: string, directory: string): SuitesRun {
  const parsed = report.safeParse(readJson(path));
  if (!parsed.success) return { kind: 'no-verdict', problem: 'the suites wrote no report' };
  const { testResults, numPassedTests, success } = parsed.data;
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    const file = name.replace(`${directory}/`, '');
    if (failed !== undefined) return { kind: 'red', test: failed.fullName, file };
  }
  const broken = testResults.find(({ status }) => status === 'failed');
  if (broken !== undefined || !success) {
    const said = broken?.message?.split('\n')[0] ?? 'a suite failed outside its tests';
    return { kind: 'no-verdict', problem: said };
  }
  return { kind: 'green', tests: numPassedTests };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Without what an outer vitest tells its own workers. */
function environment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^VITEST|^TEST$/.test(name));
  return Object.fromEntries(entries);
}
