import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { install } from '#infra/stacks/installation.ts';
import { type StageSettings, stageSettings } from '#infra/stages.ts';
import { findPythonTools } from '#test/support/python-tools.ts';
import { testApp } from '#test/support/synthesise.ts';

const run = promisify(execFile);
const tools = await findPythonTools();

/** Checks that are off, and why. */
const IGNORED = {
  W3005: 'the CDK names the role beside its policy where only the policy needs waiting for',
  W6001: "an operator reads one stack, so the service repeats the ledger's outputs",
};

type Lint = { readonly exitCode: number; readonly output: string };

async function lint(tool: string, files: readonly string[]): Promise<Lint> {
  const strict = ['--non-zero-exit-code', 'informational'];
  const ignored = ['--ignore-checks', ...Object.keys(IGNORED)];
  return run(tool, [...strict, ...ignored, '--', ...files]).then(
    ({ stdout }) => ({ exitCode: 0, output: stdout }),
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => ({
      exitCode: error.code,
      output: `${error.stdout}${error.stderr}`,
    }),
  );
}

async function templatesOf(settings: StageSettings): Promise<readonly string[]> {
  const app = testApp();
  install(app, settings);
  const { directory } = app.synth();
  const names = await readdir(directory);
  return names
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => join(directory, name));
}

if (tools.kind === 'missing') {
  describe('cfn-lint', () => {
    it(`is not run on this machine: ${tools.problem}`, () => {
      expect(process.env['CI'], `CI requires it. ${tools.problem}`).not.toBe('true');
    });
  });
} else {
  describe('cfn-lint', () => {
    it.each(['dev', 'prod'])('finds nothing in the templates of stage %s', async (stage) => {
      const templates = await templatesOf(stageSettings(stage));
      expect(templates).toHaveLength(2);
      expect(await lint(tools.bin('cfn-lint'), templates)).toEqual({ exitCode: 0, output: '' });
    });

    it('is really asked: a property that no resource has is found', async () => {
      const [template = ''] = await templatesOf(stageSettings('dev'));
      const text = await readFile(template, 'utf8');
      await writeFile(template, text.replace('"BillingMode"', '"BilingMode"'));
      expect((await lint(tools.bin('cfn-lint'), [template])).output).toContain('BilingMode');
    });
  });
}
