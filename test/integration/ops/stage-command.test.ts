import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { LOCAL_CONNECTION_VARIABLE } from '#config/local-connection.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OPS_CLI } from '#test/support/ops-stand.ts';
import { runCommand } from '#test/support/run-command.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const STAGE_CLI = 'infra/local/stage-cli.ts';
const folder = mkdtempSync(join(tmpdir(), 'remind-once-stage-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('npm run stage: ticks all three functions until it is told to end, then leaves nothing', async () => {
  const connection = join(folder, 'stage.json');
  const log = join(folder, 'stage.log');
  const args = [
    ...['--connection', connection, '--log', log, '--now', '2026-07-26T09:00:00Z'],
    ...['--consumer-seconds', '0.3', '--redrive-seconds', '0.5', '--stats-seconds', '0.5'],
  ];
  const stage = spawn(process.execPath, [STAGE_CLI, ...args], { cwd: ROOT });
  let said = '';
  stage.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const closed = once(stage, 'close');
  try {
    while (!said.includes('End it with Ctrl-C')) await once(stage.stdout, 'data');
    expect(statSync(connection).mode & 0o077).toBe(0);
    const env = { [LOCAL_CONNECTION_VARIABLE]: connection };
    const named = ['--user', 'u_1', '--reminder', 'digest', '--at', '2026-07-26T08:00:00Z'];
    const published = await runCommand(
      OPS_CLI,
      ['publish', '--local', ...named, '--yes', '--journal', folder],
      env,
    );
    expect(published).toMatchObject({ code: EXIT.ok, stdout: '1 of 1 published\n' });
    while (!said.includes('consumer: 1 deliveries: 1 sent')) await once(stage.stdout, 'data');
    const cost = await runCommand(OPS_CLI, ['cost', '--local', '--json'], env);
    const { usage } = JSON.parse(cost.stdout) as { usage: { invocations: object } };
    for (const count of Object.values(usage.invocations)) expect(count).toBeGreaterThan(0);
  } finally {
    stage.kill('SIGTERM');
  }
  expect(await closed).toEqual([0, null]);
  expect(existsSync(connection)).toBe(false);
}, 60_000);

test.each([
  [['--faults', 'storm'], '--faults'],
  [['--now', 'noon'], 'RFC 3339'],
  [['--consumers', 'many'], 'allowed: a number'],
])('npm run stage %j is refused with one clear line', async (args, text) => {
  const { code, stderr } = await runCommand(STAGE_CLI, args);
  expect(stderr).toContain(text);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(code).toBe(2);
});
