import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOCAL_CONNECTION_VARIABLE } from '#config/local-connection.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { type OpsStand, openOpsStand } from '#test/support/ops-stand.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let folder: string;
let executable: string;
let stand: OpsStand;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remind-once-installed-'));
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT });
  const [{ filename }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('['))) as [
    { filename: string },
  ];
  // As npm installs it, but without any of its dependencies: the executable needs none.
  const installed = join(folder, 'node_modules', 'remind-once');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  executable = join(installed, 'dist', 'remind-once.mjs');
  stand = await openOpsStand({ every: { consumer: null, redrive: null, stats: null } });
}, 120_000);
afterAll(async () => {
  await stand.close();
  rmSync(folder, { recursive: true, force: true });
});

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

async function installed(args: readonly string[], connection: string): Promise<Ended> {
  const env = { ...process.env, NO_COLOR: '1', [LOCAL_CONNECTION_VARIABLE]: connection };
  try {
    const { stdout, stderr } = await run(process.execPath, [executable, ...args], {
      cwd: folder,
      env,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as Ended;
  }
}

test('the installed executable works on a stage, without a repository around it', async () => {
  const connection = join(stand.folder, 'stage.json');
  const doctor = await installed(['doctor', '--local'], connection);
  expect(doctor.stdout).toContain('0 failed');
  const redrive = await installed(['redrive', '--local', '--json'], connection);
  expect(JSON.parse(redrive.stdout)).toMatchObject({ exitCode: EXIT.ok });
  const nowhere = await installed(['status', '--local'], '/nonexistent');
  expect(nowhere).toMatchObject({
    code: EXIT.target,
    stderr: expect.stringContaining('npm run stage'),
  });
  const proofs = await installed(['prove'], connection);
  expect(proofs).toMatchObject({
    code: EXIT.target,
    stderr: expect.stringMatching(/^error: there is no test\/proof\/prove.ts here/),
  });
}, 60_000);
