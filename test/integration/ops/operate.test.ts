import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OPS_CLI, type OpsStand, openOpsStand, until } from '#test/support/ops-stand.ts';
import { runCommand } from '#test/support/run-command.ts';

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

function lines(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

describe('status, explain, pause, resume', () => {
  test('explain tells the life of a reminder by its fields and by its key', async () => {
    await stand.inProcess('publish', '--local', ...named('told'), '--yes', ...journal('told'));
    const told = await until(
      () => stand.json('explain', '--local', ...named('told')),
      ({ row }) => (row as { state?: string } | null)?.state === 'SENT',
    );
    expect(told).toMatchObject({
      exitCode: EXIT.ok,
      next: { does: 'ack' },
      row: { history: [{ state: 'CLAIMED' }, { state: 'SENT' }] },
    });
    expect(JSON.stringify(told)).not.toMatch(/told|claimToken/);
    const key = String(told['sendKey']);
    const { stdout, code } = await stand.ops('explain', '--local', '--key', key);
    expect(stdout).toContain('the provider accepted it [SENT ACCEPTED, attempt 0]');
    expect(stdout).toContain('acked quietly');
    expect(code).toBe(EXIT.ok);
    const never = await stand.json(
      'explain',
      '--local',
      ...named('nobody', '2026-07-27T09:00:00Z'),
    );
    expect(never).toMatchObject({ row: null, next: { does: 'postpone' } });
  });

  test('a pause stops consumption and shows, a resume lets it begin slowly', async () => {
    const before = effects();
    const paused = await stand.ops('pause', '--local', '--reason', 'DRILL', '--by', 'night-shift');
    expect(paused).toMatchObject({ code: EXIT.ok, stderr: '' });
    await stand.inProcess('publish', '--local', ...named('held'), '--yes', ...journal('held'));
    const status = await stand.ops('status', '--local');
    expect(status.code).toBe(EXIT.attention);
    expect(status.stdout).toMatch(/no, paused until somebody resumes it \(DRILL by night-shift/);
    expect(status.stdout).toContain('runbook: infra/RUNBOOK.md#breaker-open');
    expect(await stand.inProcess('explain', '--local', ...named('held'))).toMatchObject({
      stdout: expect.stringContaining('the consumer is paused (DRILL)'),
    });
    const blocked = await stand.inProcess('redrive', '--local', '--go', '--yes');
    expect(blocked.code).toBe(EXIT.conflict);
    expect(effects()).toBe(before);

    const refused = await stand.inProcess('resume', '--local');
    expect(refused.code).toBe(EXIT.refused);
    const resumed = await stand.ops('resume', '--local', '--concurrency', '2', '--yes');
    expect(resumed.stdout).toContain('at most 2 sends at once');
    await until(
      async () => effects(),
      (count) => count === before + 1,
    );
  });

  test('one channel can be stopped and opened', async () => {
    const stopped = await stand.json('pause', '--local', '--channel', 'sms');
    expect(stopped).toMatchObject({ channels: { sms: { by: 'operator', probeAt: null } } });
    const opened = await stand.json('resume', '--local', '--channel', 'sms', '--yes');
    expect(opened['channels']).toEqual({});
    const wrong = await stand.inProcess('pause', '--local', '--channel', 'fax');
    expect(wrong).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringContaining('push, email'),
    });
  });
});

describe('doctor and cost', () => {
  test('a stage that is well passes, and says what only AWS could tell', async () => {
    const { code, stdout } = await stand.ops('doctor', '--local');
    expect(stdout).toMatch(/0 failed, \d+ warnings, \d+ ok, 5 skipped/);
    expect(stdout).toContain('WARN schedule-redrive');
    expect(code).toBe(EXIT.ok);
  });

  test('each thing that is wrong is one failed check with its reason and its remedy', async () => {
    const channels = JSON.parse(stand.running.connection.env['CHANNELS'] ?? '{}');
    const connection = stand.connectionWith({
      QUEUE_NAME: 'nowhere',
      STATS: JSON.stringify({ balanceUsd: 5000 }),
      CHANNELS: JSON.stringify({
        push: { ...channels.push, url: 'http://127.0.0.1:1/send', blindPolicy: 'resend' },
      }),
      INFRAI_DIALECT: JSON.stringify({ ackField: 'receipt_handle', payloadField: 'body' }),
    });
    const { code, stdout } = await runCommand(OPS_CLI, ['doctor', '--local', '--json'], connection);
    const { checks } = JSON.parse(stdout) as {
      checks: { name: string; level: string; why: string; mend: string }[];
    };
    const failed = checks.filter(({ level }) => level === 'fail');
    expect(failed.map(({ name }) => name)).toEqual(['balance', 'queue', 'provider-push']);
    for (const { why, mend } of failed) expect([why, mend]).not.toContain('');
    const warned = checks.filter(({ level }) => level === 'warn').map(({ name }) => name);
    expect(warned).toContain('channel-settings');
    expect(code).toBe(EXIT.attention);
  });

  test('settings that no function would accept are named, and nothing else is tried', async () => {
    const connection = stand.connectionWith({ CHANNELS: '{}', DELIVERY: '{"leaseSeconds":1}' });
    const { code, stdout } = await runCommand(OPS_CLI, ['doctor', '--local'], connection);
    expect(stdout).toMatch(/FAIL configuration-consumer .*CHANNELS/);
    expect(stdout).toContain('were not made');
    expect(code).toBe(EXIT.attention);
  });

  test('cost adds up by its own arithmetic', async () => {
    const { usage, spent, million } = (await stand.json('cost', '--local')) as {
      usage: { keysClaimed: number };
      spent: { what: string; usd: number }[];
      million: { usd: number }[];
    };
    expect(spent[0]?.usd).toBeCloseTo(usage.keysClaimed * 0.00002);
    expect(million[0]?.usd).toBe(20);
  });
});

describe('a target that is none', () => {
  const nothing = { REMIND_ONCE_LOCAL_STAGE: '/nonexistent/stage.json' };

  test.each([
    [nothing, 'no local stage runs', EXIT.target],
    [{ REMIND_ONCE_LOCAL_STAGE: 'package.json' }, 'is not the connection file', EXIT.target],
  ])('%j is one clear line', async (env, text, exit) => {
    const { code, stderr, stdout } = await runCommand(OPS_CLI, ['status', '--local'], env);
    expect(stderr).toContain(text);
    expect(lines(stderr)).toHaveLength(1);
    expect([code, stdout]).toEqual([exit, '']);
  });

  test('a stage that has ended is not taken for a running one', async () => {
    const path = stand.file(
      'gone.json',
      JSON.stringify({ ...stand.running.connection, controlUrl: 'http://127.0.0.1:1' }),
    );
    const env = { REMIND_ONCE_LOCAL_STAGE: path };
    const { code, stderr } = await runCommand(OPS_CLI, ['pause', '--local'], env);
    expect(stderr).toMatch(/^error: no local stage runs: .* does not answer; start one/);
    expect(code).toBe(EXIT.target);
  });

  test('a table that is no ledger of ours is refused, and nothing is written to it', async () => {
    const client = new DynamoDBClient({});
    await client.send(
      new CreateTableCommand({
        TableName: 'somebody-elses',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      }),
    );
    const connection = stand.connectionWith({ LEDGER_TABLE: 'somebody-elses' });
    for (const args of [
      ['pause'],
      ['unknowns'],
      ['redrive', '--go', '--yes'],
      ['publish', ...named('foreign'), '--yes', ...journal('foreign')],
    ]) {
      const { code, stderr } = await runCommand(OPS_CLI, [...args, '--local'], connection);
      expect(stderr).toContain('is not a ledger of Remind Once');
      expect(lines(stderr)).toHaveLength(1);
      expect(code).toBe(EXIT.target);
    }
    const missing = stand.connectionWith({ LEDGER_TABLE: 'nowhere' });
    const { code, stderr } = await runCommand(OPS_CLI, ['status', '--local'], missing);
    expect(stderr).toContain('table nowhere does not exist');
    expect([code, existsSync(join(stand.folder, 'foreign'))]).toEqual([EXIT.target, false]);
  });
});
