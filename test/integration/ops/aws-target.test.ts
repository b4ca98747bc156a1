import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OUTPUT } from '#config/outputs.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import {
  type FakeAccount,
  type FakeAws,
  stackOutputs,
  startFakeAws,
} from '#test/support/fake-aws.ts';
import { OPS_CLI, type OpsStand, openOpsStand } from '#test/support/ops-stand.ts';
import { runCommand } from '#test/support/run-command.ts';

const STACK = 'remind-once-prod-service';
const ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:';

let stand: OpsStand;
let aws: FakeAws;
let account: FakeAccount;
let wellAccount: FakeAccount;

beforeAll(async () => {
  // Nothing consumes: what the commands do stays to be seen. The wall clock, as in AWS.
  stand = await openOpsStand({
    every: { consumer: null, redrive: null, stats: null },
    offsetMs: 0,
  });
  const { env } = stand.running.connection;
  const outputs = stackOutputs('prod', env['LEDGER_TABLE'] ?? '');
  const channels = Object.entries(JSON.parse(env['CHANNELS'] ?? '{}') as Record<string, object>);
  const deployed = {
    ...env,
    STAGE: 'prod',
    INFRAI_API_KEY_SECRET: `${ARN}api-key-AbCdEf`,
    KEY_EPOCHS: JSON.stringify([{ id: 'first', secretRef: `${ARN}first-AbCdEf` }]),
    CHANNELS: JSON.stringify(
      Object.fromEntries(
        channels.map(([name, channel]) => [
          name,
          { ...channel, secretRef: `${ARN}channel-AbCdEf` },
        ]),
      ),
    ),
  };
  const names = [OUTPUT.consumerFunction, OUTPUT.redriveFunction, OUTPUT.statsFunction];
  wellAccount = {
    stacks: { [STACK]: outputs, foreign: { SomeOutput: 'x' } },
    functions: Object.fromEntries(names.map((key) => [outputs[key], deployed])),
    timeoutSeconds: 120,
    secrets: {
      [`${ARN}api-key-AbCdEf`]: 'ifr_local',
      [`${ARN}first-AbCdEf`]: 'a-secret-that-only-tests-know',
      [`${ARN}channel-AbCdEf`]: 'local-provider-token',
    },
    scheduleState: 'ENABLED',
    subscriptions: ['arn:aws:sns:eu-central-1:123456789012:alarms:1'],
    recovery: 'ENABLED',
    protection: true,
    metrics: { KeysClaimed: 1000, Publishes: 50, ConsumedWriteCapacityUnits: 2100, Duration: 9e5 },
    refuseWith: null,
    invokeStatus: 200,
    invoke: async (_name, event) => {
      const answer = await stand.running.invoke('redrive', event);
      return answer.kind === 'done' ? answer.result : { errorMessage: answer.message };
    },
  };
  account = { ...wellAccount };
  aws = await startFakeAws(stand.running.stage.dynamo.endpoint, account);
});
beforeEach(() => Object.assign(account, wellAccount));
afterAll(async () => {
  await aws.close();
  await stand.close();
});

const NO_FILES = {
  AWS_CONFIG_FILE: '/nonexistent',
  AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
  AWS_EC2_METADATA_DISABLED: 'true',
};

function ops(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runCommand(OPS_CLI, args, {
    ...NO_FILES,
    AWS_ENDPOINT_URL: aws.url,
    AWS_ENDPOINT_URL_DYNAMODB: aws.url,
    AWS_REGION: 'eu-central-1',
    ...env,
  });
}

async function doctor(): Promise<Record<string, { level: string; what: string; mend: string }>> {
  const { stdout } = await ops(['doctor', '--stage', 'prod', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
  return Object.fromEntries(checks.map((check) => [check.name, check])) as never;
}

describe('a stage that is deployed in AWS', () => {
  test('is found by its stack; a passing doctor has looked at all of it', async () => {
    const checks = await doctor();
    const bad = Object.entries(checks).filter(([, { level }]) => level === 'fail');
    expect(bad).toEqual([]);
    expect(checks).toMatchObject({
      'table-ttl': { level: 'ok' },
      'table-recovery': { level: 'ok' },
      'table-protection': { level: 'ok' },
      'schedule-redrive': { level: 'ok' },
      'alarm-subscriber': { level: 'ok' },
      'function-time': { level: 'ok' },
      secrets: { level: 'ok' },
    });
  });

  test('doctor names each thing that somebody changed by hand', async () => {
    Object.assign(account, {
      scheduleState: 'DISABLED',
      subscriptions: ['PendingConfirmation'],
      recovery: 'DISABLED',
      protection: false,
      timeoutSeconds: 10,
      secrets: { ...wellAccount.secrets, [`${ARN}channel-AbCdEf`]: 'REPLACE_ME' },
    });
    const checks = await doctor();
    for (const name of [
      ...['schedule-consumer', 'alarm-subscriber', 'table-recovery', 'table-protection'],
      ...['function-time', 'secrets'],
    ]) {
      expect(checks[name]).toMatchObject({ level: 'fail', mend: expect.stringMatching(/./) });
    }
    expect(checks['alarm-subscriber']?.what).toContain('1 wait for their confirmation mail');
  });

  test('status, explain, pause and publish use the functions’ own settings', async () => {
    const named = ['--user', 'planted', '--reminder', 'digest', '--at', '2030-01-01T00:00:00Z'];
    const published = await ops([
      ...['publish', '--stage', 'prod', ...named, '--yes', '--journal', stand.folder],
    ]);
    expect(published).toMatchObject({ code: EXIT.ok, stdout: '1 of 1 published\n' });
    const paused = await ops(['pause', '--stage', 'prod']);
    expect(paused.code).toBe(EXIT.ok);
    const status = await ops(['status', '--stage', 'prod', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      ...{ target: 'aws', stage: 'prod', consuming: 'paused', exitCode: EXIT.attention },
      queue: { delayed: 1 },
    });
    await ops(['resume', '--stage', 'prod', '--yes']);
  });

  test('redrive is invoked once, where the function lives', async () => {
    const before = aws.calls.length;
    const { code, stdout } = await ops(['redrive', '--stage', 'prod', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ report: { mode: 'plan', trigger: 'requested' } });
    expect(code).toBe(EXIT.ok);
    const invocations = aws.calls.slice(before).filter((call) => call.includes('invocations'));
    expect(invocations).toHaveLength(1);
    Object.assign(account, { invoke: async () => ({ errorMessage: 'no such luck' }) });
    const failed = await ops(['redrive', '--stage', 'prod']);
    expect(failed.stderr).toContain('the redrive function failed: no such luck');
    expect(failed.code).toBe(EXIT.backend);
  });

  test('a redrive whose answer is lost is not invoked a second time', async () => {
    account.invokeStatus = 503;
    const before = aws.calls.length;
    const { code, stderr } = await ops(['redrive', '--stage', 'prod', '--go', '--yes']);
    expect(stderr).toContain('AWS did not answer lambda:InvokeFunction');
    expect(code).toBe(EXIT.backend);
    const invocations = aws.calls.slice(before).filter((call) => call.includes('invocations'));
    expect(invocations).toHaveLength(1);
  });

  test('cost reads the day from CloudWatch', async () => {
    const { stdout } = await ops(['cost', '--stage', 'prod', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      usage: { source: 'CloudWatch, the last 24 hours', keysClaimed: 1000, writeUnits: 2100 },
      ratios: { republishes: 0.05, writes: 2.1 },
    });
  });
});

describe('what cannot be worked on ends in one clear line, and nothing is done', () => {
  const nobody = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };

  test.each([
    [['--stage', 'test'], {}, null, /no stack remind-once-test-service .*--stage/],
    [['--stage', 'prod', '--stack', 'foreign'], {}, null, /is not the installation of stage prod/],
    [['--stage', 'prod'], nobody, null, /no AWS credentials were found; log in/],
    [['--stage', 'prod'], { AWS_REGION: '' }, null, /no AWS region is set; give --region/],
    [['--stage', 'prod'], {}, 'AccessDenied', /AWS does not allow cloudformation:DescribeStacks/],
    [['--stage', 'prod'], {}, 'ExpiredToken', /AWS refused the credentials \(ExpiredToken\)/],
  ] as const)('pause %j %j', async (args, env, refuseWith, text) => {
    account.refuseWith = refuseWith;
    const { code, stdout, stderr } = await ops(['pause', ...args], env);
    expect(stderr).toMatch(text);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([EXIT.target, '']);
  });

  test('an older installation without an output is told to deploy again', async () => {
    const { [OUTPUT.alarmTopic]: _gone, ...outputs } = wellAccount.stacks[STACK] ?? {};
    account.stacks = { [STACK]: outputs };
    const { code, stderr } = await ops(['status', '--stage', 'prod']);
    expect(stderr).toContain('lacks the outputs AlarmTopic; deploy it again');
    expect(code).toBe(EXIT.target);
  });
});
