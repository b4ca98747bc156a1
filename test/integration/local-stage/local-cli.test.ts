import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startQueueEmulator } from '#infra/local/queue-emulator/queue-emulator.ts';
import type { RunFigures } from '#infra/local/run-figures.ts';
import { runCommand } from '#test/support/run-command.ts';

const CLI = 'infra/local/cli.ts';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-stage-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function writeLines(name: string, lines: readonly (object | string)[]): string {
  const path = join(folder, name);
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, `${text.join('\n')}\n`);
  return path;
}

async function run(name: string, args: readonly string[], env = {}) {
  const report = join(folder, `${name}.json`);
  const log = join(folder, `${name}.log`);
  const result = await runCommand(CLI, [...args, '--report', report, '--log', log], env);
  return {
    ...result,
    figures: () => JSON.parse(readFileSync(report, 'utf8')) as RunFigures,
    log: () => readFileSync(log, 'utf8'),
  };
}

const reminder = (user: string, at: string, more: object = {}) => ({
  user_id: user,
  reminder_id: 'trial-ends',
  scheduled_at: at,
  channel: 'email',
  ...more,
});

// Children that run for real seconds: a busy machine may need several times as long.
describe('npm run local', { timeout: 150_000 }, () => {
  test('a file with duplicates, other spellings and bad lines gives its figures', async () => {
    const file = writeLines('own.ndjson', [
      reminder('planted-user-1', '2024-01-31T09:00:00Z', { email: 'planted@example.test' }),
      reminder('planted-user-1', '2024-01-31T10:00:00+01:00'),
      '{"user_id": "planted-user-2", ',
      reminder('planted-user-2', '2025-03-01T09:00:00Z'),
      reminder('planted-user-2', '2025-03-01T09:00:01Z'),
      reminder('', '2025-03-01T09:00:00Z'),
    ]);
    const { code, stdout, figures, log } = await run('own', ['--file', file, '--faults', 'calm']);
    expect(stdout).toContain('line 3 is no valid reminder: NOT_JSON');
    expect(stdout).toContain('line 6 is no valid reminder: USER_ID_BLANK');
    expect(code).toBe(0);
    expect(figures()).toMatchObject({
      reportVersion: 1,
      lines: 6,
      validReminders: 4,
      invalidLines: [
        { line: 3, reason: 'NOT_JSON' },
        { line: 6, reason: 'USER_ID_BLANK' },
      ],
      published: 4,
      uniqueKeys: 3,
      providerEffects: 3,
      keysWithTwoEffects: 0,
      lost: 0,
      deadLettered: 0,
      ledgerStates: { SENT: 3, NO_ROW: 0 },
      verdict: 'ok',
    });
    expect(log()).toContain('"message":"delivery"');
    expect(log() + stdout).not.toMatch(/planted/);
  });

  test('ended consumers and published duplicates still make one effect per key', async () => {
    const args = ['--count', '40', '--duplicates', '2', '--faults', 'crashes', '--seed', '7'];
    const { code, figures } = await run('crashes', args);
    expect(figures()).toMatchObject({
      published: 120,
      uniqueKeys: 40,
      providerEffects: 40,
      lost: 0,
    });
    expect(figures().crashedConsumers).toBeGreaterThan(0);
    expect(code).toBe(0);
  });

  test('a policy that may send twice is caught: exit code 1', async () => {
    const args = ['--count', '30', '--class', 'blind', '--blind-policy', 'resend', '--seed', '3'];
    const { code, figures, stdout } = await run('resend', args);
    expect(figures().verdict).toBe('two-effects');
    expect(figures().keysWithTwoEffects).toBeGreaterThan(0);
    expect(stdout).toContain('VIOLATION');
    expect(code).toBe(1);
  });

  test('--live runs against a queue that somebody else started', async () => {
    const queue = await startQueueEmulator({ queues: ['theirs'], apiKeys: ['ifr_test'] });
    try {
      const env = { INFRAI_API_KEY: 'ifr_test', INFRAI_BASE_URL: queue.url };
      const args = ['--live', '--queue', 'theirs', '--count', '5', '--faults', 'calm'];
      const { code, figures } = await run('live', args, env);
      expect(figures()).toMatchObject({ queue: 'live', uniqueKeys: 5, providerEffects: 5 });
      expect(queue.model.counters.acked).toBe(5);
      expect(code).toBe(0);
    } finally {
      await queue.close();
    }
  });

  test.each([
    [['--faults', 'storm'], '--faults'],
    [['--count', '0'], 'whole number from 1'],
    [['--nonsense'], 'unknown option'],
    [['--file', 'no-such-file.ndjson'], 'no-such-file.ndjson could not be read (ENOENT)'],
    [['--file', 'a', '--count', '1'], 'exclude each other'],
  ])('%j is refused with one clear line and exit code 2', async (args, text) => {
    const { code, stderr } = await runCommand(CLI, args, { INFRAI_API_KEY: '' });
    expect(stderr).toContain(text);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  test('--live without a key is refused', async () => {
    const { code, stderr } = await runCommand(CLI, ['--live'], { INFRAI_API_KEY: '' });
    expect(stderr).toContain('INFRAI_API_KEY');
    expect(code).toBe(2);
  });
});
