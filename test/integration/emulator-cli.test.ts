import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { InfraiClient } from '#test/support/infrai-client.ts';
import { runCommand } from '#test/support/run-command.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const QUEUE_CLI = 'infra/local/queue-emulator/cli.ts';
const PROVIDER_CLI = 'infra/local/provider-emulator/cli.ts';

/** A started emulator of its own process: its URL once it said so, and its end. */
async function startCli(entry: string, args: readonly string[]) {
  const child = spawn(process.execPath, [entry, '--port', '0', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
  const started = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.includes('Ctrl-C ends it.')) resolve();
    });
  });
  await Promise.race([started, ended]);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0];
  if (url === undefined) throw new Error(`no URL: ${stdout}${stderr}`);
  return {
    url,
    stdout,
    ended,
    end: (signal: NodeJS.Signals) => child.kill(signal),
    stopReading: () => child.stdout.destroy(),
  };
}

describe('the emulators from the command line', () => {
  it('npm run emulator: says where it is and how to use it, serves, and ends on SIGINT', async () => {
    const cli = await startCli(QUEUE_CLI, ['--queue', 'digests', 'renewals', '--api-key', 'k']);
    try {
      expect(cli.stdout).toContain(`INFRAI_BASE_URL=${cli.url}`);
      expect((await new InfraiClient(cli.url, 'wrong').get('/v1/queue/list')).status).toBe(401);
      const client = new InfraiClient(cli.url, 'k');
      const id = await client.publish('renewals', { n: 1 });
      expect(await client.consume('renewals')).toMatchObject([{ message_id: id }]);
    } finally {
      cli.end('SIGINT');
    }
    expect(await cli.ended).toEqual({ code: 0, stderr: '' });
  });

  it('takes behaviours and faults as flags', async () => {
    const faults = JSON.stringify({
      script: [{ route: 'queue.publish', fault: { kind: 'server-error', status: 500 } }],
    });
    const cli = await startCli(QUEUE_CLI, [
      ...['--visibility', 'ignored', '--redelivery-ms', '1500', '--key-conflict', 'refused'],
      ...['--consume-wrapper', 'array', '--balance', '7', '--faults', faults],
    ]);
    try {
      const state = await (await fetch(`${cli.url}/_emulator/state`)).json();
      expect(state).toMatchObject({
        balanceUsd: 7,
        behaviour: { visibility: 'ignored', redeliveryDelayMs: 1500, keyConflict: 'refused' },
        style: { consumeWrapper: 'array' },
        faults: { scriptedLeft: 1 },
        queues: { reminders: {} },
      });
    } finally {
      cli.end('SIGTERM');
    }
    expect((await cli.ended).code).toBe(0);
  });

  it('npm run provider: serves sends, vendors and the directory, and ends on SIGTERM', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'faults-'));
    const file = join(folder, 'faults.json');
    writeFileSync(file, '{"script":[{"route":"blind","fault":{"kind":"defer"}}]}');
    const cli = await startCli(PROVIDER_CLI, ['--faults', `@${file}`]);
    try {
      const headers = { authorization: 'Bearer any', 'idempotency-key': 'k1' };
      const send = (path: string) => fetch(cli.url + path, { method: 'POST', headers, body: '{}' });
      expect((await send('/send')).status).toBe(200);
      expect((await send('/send/blind')).status).toBe(429);
      expect((await send('/emails')).status).toBe(422);
      expect(cli.stdout).toContain('resend');
      const effects = await (await fetch(`${cli.url}/_emulator/effects`)).json();
      expect(effects).toMatchObject({ counts: { k1: 1 } });
    } finally {
      cli.end('SIGTERM');
      await rm(folder, { recursive: true });
    }
    expect(await cli.ended).toEqual({ code: 0, stderr: '' });
  });

  it('ends cleanly when nobody reads its output any more', async () => {
    const cli = await startCli(QUEUE_CLI, []);
    cli.stopReading();
    cli.end('SIGTERM');
    expect(await cli.ended).toEqual({ code: 0, stderr: '' });
  });

  it.each([
    [QUEUE_CLI, ['--port', 'http'], 'a whole number from 0 to 65535 is allowed'],
    [QUEUE_CLI, ['--visibility', 'sometimes'], 'Allowed choices are honoured, ignored'],
    [QUEUE_CLI, ['--faults', 'stormy'], 'calm, duplicates, rate-limited, flaky, outage'],
    [QUEUE_CLI, ['--faults', '@/nowhere.json'], '/nowhere.json cannot be read'],
    [QUEUE_CLI, ['--colour'], "unknown option '--colour'"],
    [QUEUE_CLI, ['extra'], 'too many arguments'],
    [PROVIDER_CLI, ['--faults', '{"rules":1}'], 'rules'],
  ])('%s %j ends with one line and 2', async (entry, args, text) => {
    const { code, stdout, stderr } = await runCommand(entry, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('says in one line that a port is taken, with 1', async () => {
    const cli = await startCli(QUEUE_CLI, []);
    try {
      const port = new URL(cli.url).port;
      const { code, stderr } = await runCommand(PROVIDER_CLI, ['--port', port]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^provider: .*EADDRINUSE.*\n$/);
    } finally {
      cli.end('SIGTERM');
      await cli.ended;
    }
  });
});
