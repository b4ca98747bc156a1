import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretsManager } from '#adapters/aws/secrets-manager.ts';
import { closeDynamoClient, createDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { type StageSettings, stageSettings } from '#infra/stages.ts';
import { aClaimedRow, finished } from '#test/support/ledger-rows.ts';
import { findPythonTools } from '#test/support/python-tools.ts';
import { ACCOUNT, type AwsStandIn, REGION, startAwsStandIn } from './aws-stand-in.ts';
import { type CdkResult, cdk } from './cdk-command.ts';
import { DeployedInstallation, type Outputs } from './deployed-installation.ts';
import { NOT_PLAYED } from './not-played.ts';

const tools = await findPythonTools();
const LEDGER = 'remind-once-dev-ledger';
const SERVICE = 'remind-once-dev-service';
const CHANGED_APP = ['--app', 'node test/deploy/changed-app.ts'];

if (tools.kind === 'missing') {
  describe('a deployment to an AWS API', () => {
    it(`is not run on this machine: ${tools.problem}`, () => {
      expect(process.env['CI'], `CI requires it. ${tools.problem}`).not.toBe('true');
    });
  });
} else {
  describe('a deployment to an AWS API', () => {
    deployment(tools.bin('python'));
  });
}

function channelSecret({ ChannelSecrets }: Outputs): string {
  return (JSON.parse(ChannelSecrets) as { readonly push: string }).push;
}

function keyEpochSecret({ KeyEpochSecrets }: Outputs): string {
  return (JSON.parse(KeyEpochSecrets) as { readonly first: string }).first;
}

function deployment(python: string): void {
  let aws: AwsStandIn;
  let installation: DeployedInstallation;
  let outputs: Outputs;

  beforeAll(async () => {
    aws = await startAwsStandIn(python);
    installation = new DeployedInstallation(aws.url);
    for (const [name, value] of Object.entries(aws.environment)) process.env[name] = value;
  });
  afterAll(async () => {
    await aws?.close();
    const lines = NOT_PLAYED.map(({ what, why }) => `  ${what}: ${why}`);
    process.stdout.write(`Not shown by this suite:\n${lines.join('\n')}\n`);
  });

  const command = (...arguments_: readonly string[]) => cdk(arguments_, aws.environment);
  const deploy = (...more: readonly string[]) =>
    command('deploy', '--all', '--method=direct', '--require-approval', 'never', ...more);

  const deployChanged = (changes: Partial<StageSettings>) =>
    cdk(['deploy', '--all', '--method=direct', '--require-approval', 'never', ...CHANGED_APP], {
      ...aws.environment,
      CHANGED_SETTINGS: JSON.stringify(changes),
    });

  /** Fails with what the tool and the server printed. */
  function expectDone({ exitCode, output }: CdkResult): void {
    expect(exitCode, `${output}\n${aws.log().slice(-4000)}`).toBe(0);
  }

  it('bootstraps an empty account', async () => {
    expectDone(await command('bootstrap', `aws://${ACCOUNT}/${REGION}`));
  });

  it('deploys both stacks with one command', async () => {
    expectDone(await deploy());
    const found = await installation.outputs(SERVICE);
    expect(found).toBeDefined();
    outputs = found as Outputs;
    expect(outputs.RemindOnce).toBe('remind-once/1 dev remind-once');
  });

  it('has a protected table with TTL, recovery and the index', async () => {
    expect(await installation.table(outputs.LedgerTable)).toMatchObject({
      DeletionProtectionEnabled: true,
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      GlobalSecondaryIndexes: [{ IndexName: 'unresolved' }],
      timeToLive: { TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' },
      recovery: { PointInTimeRecoveryStatus: 'ENABLED' },
    });
  });

  it('has three functions with no repeat of a failed tick and no secret in their variables', async () => {
    const expected = { ConsumerFunction: 2, RedriveFunction: 1, StatsFunction: 1 } as const;
    for (const [key, concurrency] of Object.entries(expected)) {
      const lambda = await installation.lambda(outputs[key as 'ConsumerFunction']);
      expect(lambda).toMatchObject({
        retries: 0,
        concurrency,
        configuration: { Runtime: 'nodejs24.x' },
      });
      const variables = lambda.configuration.Environment?.Variables ?? {};
      expect(variables['INFRAI_API_KEY_SECRET']).toBe(outputs.InfraiApiKeySecret);
      expect(variables['LEDGER_TABLE']).toBe(outputs.LedgerTable);
      expect(variables['CHANNELS']).toContain(channelSecret(outputs));
    }
  });

  it('has schedules that may invoke their function and keep no tick', async () => {
    const expected = {
      ConsumerSchedule: ['rate(1 minute)', 'ConsumerFunction'],
      RedriveSchedule: ['rate(15 minutes)', 'RedriveFunction'],
      StatsSchedule: ['rate(1 minute)', 'StatsFunction'],
    } as const;
    for (const [key, [rate, lambda]] of Object.entries(expected)) {
      const schedule = await installation.schedule(outputs[key as 'ConsumerSchedule']);
      expect(schedule).toMatchObject({ ScheduleExpression: rate, State: 'ENABLED' });
      expect(schedule.Target?.Arn).toContain(outputs[lambda]);
      expect(schedule.Target?.RetryPolicy?.MaximumRetryAttempts).toBe(0);
    }
  });

  it('has alarms that speak to the topic', async () => {
    const alarms = await installation.alarms();
    expect(alarms.length).toBeGreaterThan(20);
    for (const { AlarmActions, OKActions, AlarmName } of alarms) {
      expect(AlarmActions, AlarmName).toEqual([outputs.AlarmTopic]);
      expect(OKActions, AlarmName).toEqual([outputs.AlarmTopic]);
    }
  });

  it('has a send key of 64 letters and digits, and says which secret still has no value', async () => {
    const secrets = createSecretsManager();
    expect(await secrets.get(keyEpochSecret(outputs))).toMatch(/^[A-Za-z0-9]{64}$/);
    await expect(secrets.get(outputs.InfraiApiKeySecret)).rejects.toThrow(
      /is missing: .*put-secret-value/,
    );
    await new SecretsManagerClient({ endpoint: aws.url, region: REGION }).send(
      new PutSecretValueCommand({
        SecretId: outputs.InfraiApiKeySecret,
        SecretString: 'ifr_test',
      }),
    );
    expect(await secrets.get(outputs.InfraiApiKeySecret)).toBe('ifr_test');
  });

  it('has a table that the ledger adapter works with', async () => {
    const documents = createDynamoClient({ concurrency: 2 });
    const tableName = outputs.LedgerTable;
    const ledger = new DynamoLedger({ documents, tableName, callBudgetMs: 10_000 });
    const row = aClaimedRow();
    expect(await ledger.claim(row)).toEqual({ kind: 'claimed' });
    expect(await ledger.claim(aClaimedRow({ sendKey: row.sendKey }))).toMatchObject({
      kind: 'exists',
    });
    const parked = finished(row, 'UNKNOWN');
    expect(await ledger.replace(parked, row)).toEqual({ kind: 'replaced' });
    expect(await ledger.unresolved({ limit: 5 })).toMatchObject({
      rows: [{ sendKey: row.sendKey }],
    });
    closeDynamoClient(documents);
  });

  it('changes nothing when the same settings are deployed again', async () => {
    const before = await installation.fingerprint(outputs);
    const again = await deploy();
    expectDone(again);
    expect(again.output.match(/\(no changes\)/g)).toHaveLength(2);
    expect(await installation.fingerprint(outputs)).toEqual(before);
  });

  it('changes what a changed setting is about, and nothing else', async () => {
    const before = await installation.fingerprint(outputs);
    expectDone(await deployChanged({ drain: { concurrency: 8 }, every: { redrive: 30 } }));
    const after = await installation.fingerprint(outputs);
    expect(Object.keys(after).filter((part) => after[part] !== before[part])).toEqual([
      'ConsumerFunction',
      'RedriveSchedule',
      'alarm RedriveErrors',
    ]);
    expect(after['ConsumerFunction']).toContain('\\"concurrency\\":8');
    expect(after['RedriveSchedule']).toContain('rate(30 minutes)');
  });

  it('refuses a wrong setting before it asks AWS for anything', async () => {
    const calls = aws.log().length;
    const refused = await deployChanged({ delivery: { ttlDays: 1 }, queueName: '' });
    expect(refused.exitCode).not.toBe(0);
    expect(refused.output).toMatch(
      /queueName[\s\S]*delivery\.ttlDays|delivery\.ttlDays[\s\S]*queueName/,
    );
    // The tool asks once whose account it is, before it starts the app.
    expect(
      aws
        .log()
        .slice(calls)
        .match(/"(POST|PUT)/g) ?? [],
    ).toHaveLength(1);
  });

  it('adds a key epoch without touching the first', async () => {
    const first = keyEpochSecret(outputs);
    const keyEpochs = [{ id: 'first' }, { id: 'second', from: '2030-01-01T00:00:00Z' }];
    expectDone(await deployChanged({ keyEpochs }));
    const rotated = (await installation.outputs(SERVICE)) as Outputs;
    const secrets = JSON.parse(rotated.KeyEpochSecrets) as Record<string, string>;
    expect(secrets['first']).toBe(first);
    expect(secrets['second']).toMatch(/^arn:aws:secretsmanager:/);
  });

  it('takes a channel out with one deployment and keeps its secret', async () => {
    const mail = {
      provider: 'http',
      url: 'https://mail.example.com',
      secretRef: 'create',
    } as const;
    expectDone(await deployChanged({ channels: { ...stageSettings('dev').channels, mail } }));
    const before = (await installation.outputs(SERVICE)) as Outputs;
    const secret = (JSON.parse(before.ChannelSecrets) as { readonly mail: string }).mail;
    expectDone(await deploy());
    const after = (await installation.outputs(SERVICE)) as Outputs;
    expect(JSON.parse(after.ChannelSecrets)).not.toHaveProperty('mail');
    expect((await installation.secrets()).map(({ ARN }) => ARN)).toContain(secret);
  });

  it('adopts a table in the place of its own with one deployment, as after a restore', async () => {
    expectDone(
      await deployChanged({
        adoptTable: outputs.LedgerTable,
        keyEpochs: [{ id: 'first', secretRef: { arn: keyEpochSecret(outputs) } }],
      }),
    );
    const adopted = (await installation.outputs(SERVICE)) as Outputs;
    expect(adopted.LedgerTable).toBe(outputs.LedgerTable);
    expect(await installation.table(outputs.LedgerTable)).toMatchObject({ ItemCount: 1 });
    const consumer = await installation.lambda(adopted.ConsumerFunction);
    expect(consumer.configuration.Environment?.Variables?.['KEY_EPOCHS']).toContain(
      keyEpochSecret(outputs),
    );
  });

  it('refuses to remove the ledger stack, and removes the service alone', async () => {
    expectDone(await command('destroy', SERVICE, '--force'));
    expect(await installation.outputs(SERVICE)).toBeUndefined();
    const refused = await command('destroy', LEDGER, '--force');
    expect(refused.output).toMatch(/[Tt]ermination ?[Pp]rotection/);
    expect(await installation.outputs(LEDGER)).toBeDefined();
  });

  it('field report 87: the ledger outlives even its stack, and a new one adopts it', async () => {
    await installation.unprotect(LEDGER);
    expectDone(await command('destroy', LEDGER, '--force'));
    expect(await installation.outputs(LEDGER)).toBeUndefined();
    expect(await installation.table(outputs.LedgerTable)).toMatchObject({
      TableStatus: 'ACTIVE',
      ItemCount: 1,
    });
    const kept = (await installation.secrets()).map(({ ARN }) => ARN);
    expect(kept).toEqual(
      expect.arrayContaining([keyEpochSecret(outputs), outputs.InfraiApiKeySecret]),
    );
    expectDone(
      await deployChanged({
        adoptTable: outputs.LedgerTable,
        keyEpochs: [{ id: 'first', secretRef: { arn: keyEpochSecret(outputs) } }],
        apiKeySecret: { arn: outputs.InfraiApiKeySecret },
      }),
    );
    const adopted = (await installation.outputs(SERVICE)) as Outputs;
    expect(adopted.LedgerTable).toBe(outputs.LedgerTable);
    expect(keyEpochSecret(adopted)).toBe(keyEpochSecret(outputs));
  });
}
