import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '#functions/ops/exit-codes.ts';

const CLI = fileURLToPath(new URL('../../../functions/ops/cli.ts', import.meta.url));
let folder: string;

/** Stands in for the proofs: minutes of work are not this test's business, handing them on is. */
const STAND_IN = `
const { writeFileSync } = await import('node:fs');
const args = process.argv.slice(2);
process.stdout.write('proving ' + args.join(' ') + '\\n');
if (args.includes('nosuch')) process.exit(1);
const report = args[args.indexOf('--report') + 1];
writeFileSync(report, '# proof');
const violations = args.includes('7') ? 2 : 0;
writeFileSync(report.replace(/md$/, 'json'), JSON.stringify({ format: 'proof/1', violations }));
process.exit(violations > 0 ? 1 : 0);
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remind-once-prove-'));
  mkdirSync(join(folder, 'test/proof'), { recursive: true });
  writeFileSync(join(folder, 'test/proof/prove.ts'), STAND_IN);
});
afterAll(() => rmSync(folder, { recursive: true }));

function prove(...args: readonly string[]) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'prove', ...args], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

test('hands the flags on, shows what the proofs say, and keeps their report', async () => {
  const { code, stdout } = await prove('--short', '--seed', '3', '--part', 'a', 'b');
  expect(stdout).toBe('proving --seed 3 --short --part a b --report reports/proof.md\n');
  expect(code).toBe(EXIT.ok);
  expect(readFileSync(join(folder, 'reports/proof.md'), 'utf8')).toBe('# proof');
});

test('a violation is exit code 1, and --json holds the verdict alone', async () => {
  const { code, stdout, stderr } = await prove('--seed', '7', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 1, proof: { violations: 2 } });
  expect(stderr).toContain('proving');
  expect(code).toBe(EXIT.attention);
});

test('proofs that did not run are not taken for an older verdict', async () => {
  const { code, stderr } = await prove('--part', 'nosuch');
  expect(stderr).toBe('error: the proofs wrote no report (exit code 1); they say why above\n');
  expect(code).toBe(EXIT.usage);
  expect(existsSync(join(folder, 'reports/proof.json'))).toBe(false);
});
