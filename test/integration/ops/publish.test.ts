import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { LOCAL_QUEUE } from '#infra/local/local-settings.ts';
import { OPS_CLI, type OpsStand, openOpsStand, until } from '#test/support/ops-stand.ts';

let stand: OpsStand;
beforeAll(async () => {
  stand = await openOpsStand();
});
afterAll(() => stand.close());

const AT = '2026-07-26T09:00:00Z';
const named = (user: string, at = AT) => [
  ...['--user', user, '--reminder', 'trial-ends', '--at', at],
];
const journal = (name: string) => ['--journal', join(stand.folder, name)];
const effects = () => stand.running.stage.provider.effects.total;
const published = () => stand.running.stage.queue?.model.counters.published ?? 0;

function lines(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

describe('publish', () => {
  const FILE = [
    { user_id: 'planted-1', reminder_id: 'trial-ends', scheduled_at: AT, data: { title: 'Hi' } },
    { user_id: 'planted-1', reminder_id: 'trial-ends', scheduled_at: '2026-07-26T11:00:00+02:00' },
    '{"user_id": ',
    { user_id: '', reminder_id: 'trial-ends', scheduled_at: AT },
    { user_id: 'planted-2', reminder_id: 'trial-ends', scheduled_at: AT, channel: 'fax' },
    { user_id: 'planted-2', reminder_id: 'trial-ends', scheduled_at: '2026-01-01T00:00:00Z' },
    { user_id: 'planted-2', reminder_id: 'trial-ends', scheduled_at: AT, attempt: 1 },
    { user_id: 'planted-2', reminder_id: 'trial-ends', scheduled_at: AT },
  ];
  const ndjson = () =>
    stand.file(
      'some.ndjson',
      FILE.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n'),
    );

  test('without --yes and without a person nothing is published', async () => {
    const before = published();
    const args = ['publish', '--local', '--file', ndjson(), ...journal('refused')];
    const { code, stderr, stdout } = await stand.ops(...args);
    expect(code).toBe(EXIT.refused);
    expect(stderr).toContain('2 new × $0.00002 = $0.000040');
    expect(lines(stderr).at(-1)).toMatch(/^error: .*Nothing was done.*--yes/);
    expect(stdout).toBe('');
    expect(published()).toBe(before);
  });

  test('says what was refused, and on repeat what was published before', async () => {
    const args = ['publish', '--local', '--file', ndjson(), '--yes', ...journal('twice')];
    const first = await stand.json(...args);
    expect(first).toMatchObject({
      exitCode: EXIT.attention,
      target: 'local',
      lines: 8,
      refused: [
        { line: 3, reason: 'NOT_JSON' },
        { line: 4, reason: 'USER_ID_BLANK' },
        { line: 5, reason: 'CHANNEL_NOT_CONFIGURED' },
        { line: 6, reason: 'USE_BY_PASSED' },
        { line: 7, reason: 'ATTEMPT_AND_HOP_ARE_NOT_YOURS' },
      ],
      repeatedInFile: 1,
      toPublish: 2,
      publication: { published: 2, failed: [], notTried: 0 },
    });
    const second = await stand.inProcess(...args);
    expect(second.stdout).toContain('2 were published before');
    expect(second.stdout).toContain('Nothing new');
    expect(second.stdout + second.stderr).not.toContain('planted');
    await until(
      async () => effects(),
      (count) => count === 2,
    );
  });

  test('on another machine the ledger says what was sent, and --again is absorbed', async () => {
    const args = ['publish', '--local', ...named('elsewhere'), '--yes'];
    expect((await stand.ops(...args, ...journal('here'))).code).toBe(EXIT.ok);
    const before = await until(
      async () => effects(),
      (count) => count === 3,
    );
    const there = await stand.json(...args, ...journal('there'));
    expect(there).toMatchObject({ alreadyInLedger: { SENT: 1 }, toPublish: 0 });
    const again = await stand.json(...args, '--again', 'drill-1', ...journal('there'));
    expect(again).toMatchObject({ publication: { published: 1 } });
    const absorbed = async () => stand.running.state().figures.duplicatesAbsorbed;
    await until(absorbed, (count) => count === 1);
    expect(effects()).toBe(before);
  });

  test('reads CSV, waits for the instant, and keeps to the rate', async () => {
    const file = stand.file(
      'some.csv',
      'user_id,reminder_id,scheduled_at,channel,data.title,version\n' +
        'c1,digest,2026-08-20T09:00:00Z,email,"Hello, you",3\n' +
        'c2,digest,2026-07-26T12:00:00Z,,,\n' +
        'c3,digest,2026-07-26T12:00:00Z,,,\n',
    );
    const startedAt = performance.now();
    const { code, stdout } = await stand.inProcess(
      ...['publish', '--local', '--file', file, '--yes', '--rate', '4', ...journal('csv')],
    );
    expect(stdout).toContain('3 of 3 published');
    expect(code).toBe(EXIT.ok);
    expect(performance.now() - startedAt).toBeGreaterThan(480);
    const queue = stand.running.stage.queue;
    const waiting = queue?.model.messages(LOCAL_QUEUE, queue.clock.now()) ?? [];
    expect(waiting.map(({ payload }) => payload)).toContainEqual({
      ...{ user_id: 'c1', reminder_id: 'digest', scheduled_at: '2026-08-20T09:00:00Z' },
      ...{ channel: 'email', version: 3, data: { title: 'Hello, you' } },
    });
    const { delayed } = (await stand.json('status', '--local'))['queue'] as { delayed: number };
    expect(delayed).toBe(3);
  });

  test('stops early when the queue takes nothing, and goes on where it stopped', async () => {
    const users = Array.from({ length: 30 }, (_, index) => ({
      ...{ user_id: `w${index}`, reminder_id: 'digest', scheduled_at: AT },
    }));
    const file = stand.file('many.ndjson', users.map((one) => JSON.stringify(one)).join('\n'));
    const args = ['publish', '--local', '--file', file, '--yes', '--rate', '1000'];
    const queue = stand.running.stage.queue;
    queue?.faults.script('queue.publish', 'pass', 10);
    queue?.faults.rule('queue.publish', 1, { kind: 'insufficient-credit' });
    const stopped = await stand.json(...args, ...journal('resumed'));
    queue?.faults.clear();
    expect(stopped['exitCode']).toBe(EXIT.backend);
    const { publication } = stopped as { publication: { published: number; notTried: number } };
    expect(publication.published).toBe(10);
    expect(publication.notTried).toBeGreaterThan(5);
    const resumed = await stand.json(...args, ...journal('resumed'));
    expect(resumed).toMatchObject({ exitCode: EXIT.ok, alreadyPublished: 10, toPublish: 20 });
  });

  test('Ctrl-C keeps what was taken, and the same command goes on', async () => {
    const users = Array.from({ length: 12 }, (_, index) => ({
      ...{ user_id: `i${index}`, reminder_id: 'digest', scheduled_at: AT },
    }));
    const file = stand.file('broken.ndjson', users.map((one) => JSON.stringify(one)).join('\n'));
    const args = ['publish', '--local', '--file', file, '--yes', ...journal('broken')];
    const before = published();
    const child = spawn(process.execPath, [OPS_CLI, ...args, '--rate', '3', '--json'], {
      env: { ...process.env, ...stand.connectionWith({}) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    await until(
      async () => published(),
      (count) => count > before + 1,
    );
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(EXIT.interrupted);
    const { publication } = JSON.parse(stdout) as { publication: { published: number } };
    expect(publication.published).toBeLessThan(12);
    const rest = await stand.json(...args);
    expect(rest).toMatchObject({ exitCode: EXIT.ok, alreadyPublished: publication.published });
  });

  test('--dry-run prices and publishes nothing', async () => {
    const before = published();
    const args = ['publish', '--local', ...named('dry'), '--dry-run', ...journal('dry')];
    const { code, stdout } = await stand.inProcess(...args);
    expect(stdout).toContain('1 new × $0.00002');
    expect(stdout).toContain('Dry run');
    expect([code, published()]).toEqual([EXIT.ok, before]);
    expect(readdirSync(join(stand.folder, 'dry'))).toEqual([]);
  });
});
