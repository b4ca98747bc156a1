import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '#functions/ops/exit-codes.ts';
import {
  type ProviderEmulator,
  startProviderEmulator,
} from '#infra/local/provider-emulator/provider-emulator.ts';
import {
  type QueueEmulator,
  startQueueEmulator,
} from '#infra/local/queue-emulator/queue-emulator.ts';
import type { StageSettings } from '#infra/stages.ts';
import { findPythonTools } from '#test/support/python-tools.ts';
import { runCommand } from '#test/support/run-command.ts';
import { ACCOUNT, type AwsStandIn, REGION, startAwsStandIn } from './aws-stand-in.ts';
import { cdk } from './cdk-command.ts';
import { DeployedInstallation, type Outputs } from './deployed-installation.ts';

const tools = await findPythonTools();
const SERVICE = 'remind-once-dev-service';

if (tools.kind === 'missing') {
  describe('the command line on a deployed stage', () => {
    it(`is not run on this machine: ${tools.problem}`, () => {
      expect(process.env['CI'], `CI requires it. ${tools.problem}`).not.toBe('true');
    });
  });
} else {
  describe('the command line on a deployed stage', () => {
    operating(tools.bin('python'));
  });
}

/** From the deployed stack alone: its outputs, its functions' settings, its secrets. */
function operating(python: string): void {
  let aws: AwsStandIn;
  let queue: QueueEmulator;
  let provider: ProviderEmulator;

  beforeAll(async () => {
    [aws, queue, provider] = await Promise.all([
      startAwsStandIn(python),
      startQueueEmulator({ queues: ['reminders-dev'] }),
      startProviderEmulator({ profiles: { push: { providerClass: 'dedupes' } } }),
    ]);
    for (const [name, value] of Object.entries(aws.environment)) process.env[name] = value;
    const settings: Partial<StageSettings> = {
      infraiBaseUrl: queue.url,
      // Its function URL leads nowhere on a stand-in.
      testSink: false,
      channels: {
        push: {
          provider: 'http',
          url: `${provider.url}/send/push`,
          class: 'dedupes',
          windowSeconds: 86_400,
          secretRef: 'create',
        },
      },
      alarms: { emails: ['on-call@example.com'] },
    };
    await done(cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`], aws.environment));
    const deploy = ['deploy', '--all', '--method=direct', '--require-approval', 'never'];
    await done(
      cdk([...deploy, '--app', 'node test/deploy/changed-app.ts'], {
        ...aws.environment,
        CHANGED_SETTINGS: JSON.stringify(settings),
      }),
    );
    const found = await new DeployedInstallation(aws.url).outputs(SERVICE);
    await putSecrets(found as Outputs);
  }, 300_000);
  afterAll(() => Promise.all([aws?.close(), queue?.close(), provider?.close()]));

  async function done(command: ReturnType<typeof cdk>): Promise<void> {
    const { exitCode, output } = await command;
    expect(exitCode, `${output}\n${aws.log().slice(-4000)}`).toBe(0);
  }

  async function putSecrets({ InfraiApiKeySecret, ChannelSecrets }: Outputs): Promise<void> {
    const client = new SecretsManagerClient({ endpoint: aws.url, region: REGION });
    const { push } = JSON.parse(ChannelSecrets) as { readonly push: string };
    for (const [SecretId, SecretString] of [
      [InfraiApiKeySecret, 'ifr_test'],
      [push, 'provider-token'],
    ]) {
      await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
    }
  }

  const ops = (...args: readonly string[]) =>
    runCommand('functions/ops/cli.ts', [...args, '--stage', 'dev'], aws.environment);

  it('doctor finds nothing wrong with what the stacks have made', async () => {
    const { stdout, stderr } = await ops('doctor', '--json');
    expect(stderr).toBe('');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; level: string }[] };
    expect(checks.filter(({ level }) => level === 'fail')).toEqual([]);
    const names = checks.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['table-recovery', 'schedule-consumer', 'alarm-subscriber']),
    );
  });

  it('status, pause and resume work on its table', async () => {
    expect((await ops('pause')).code).toBe(EXIT.ok);
    const paused = await ops('status', '--json');
    expect(JSON.parse(paused.stdout)).toMatchObject({ stage: 'dev', consuming: 'paused' });
    expect((await ops('resume', '--yes')).code).toBe(EXIT.ok);
  });
}
