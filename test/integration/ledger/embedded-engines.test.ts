import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { closeDynamoClient, createDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import { startDynamoDbLocal } from '#infra/local/dynamodb/dynamodb-local.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { findJava } from '#infra/local/dynamodb/java.ts';
import { aClaimedRow } from '#test/support/ledger-rows.ts';
import { PATIENT } from './suite/open-ledger.ts';

const java = await findJava();
const engines: [string, () => Promise<EmbeddedDynamo>][] = [['dynalite', startDynalite]];
if (java.kind === 'found') engines.push(['dynamodb-local', startDynamoDbLocal]);

describe.each(engines)('embedded engine %s', (name, start) => {
  it('makes the table that infra makes, is reached by environment alone, and ends', async () => {
    const engine = await start();
    onTestFinished(() => engine.close());
    expect(engine.engine).toBe(name);
    await engine.createLedgerTable('ledger-environment');

    const { Table } = await engine
      .client()
      .send(new DescribeTableCommand({ TableName: 'ledger-environment' }));
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'unresolved',
          KeySchema: [
            { AttributeName: 'unresolvedShard', KeyType: 'HASH' },
            { AttributeName: 'unresolvedSince', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    });
    const { TimeToLiveDescription } = await engine
      .client()
      .send(new DescribeTimeToLiveCommand({ TableName: 'ledger-environment' }));
    expect(TimeToLiveDescription?.TimeToLiveStatus).toBe(
      engine.gaps.noTimeToLive ? 'DISABLED' : 'ENABLED',
    );

    for (const [variable, value] of Object.entries(engine.environment)) {
      vi.stubEnv(variable, value);
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    const documents = createDynamoClient({ concurrency: 2, timing: PATIENT });
    onTestFinished(() => closeDynamoClient(documents));
    const ledger = new DynamoLedger({
      documents,
      tableName: 'ledger-environment',
      callBudgetMs: 10_000,
    });
    expect(await ledger.claim(aClaimedRow())).toEqual({ kind: 'claimed' });

    await engine.close();
    expect(await connects(engine.endpoint)).toBe(false);
  });
});

describe('dynalite', () => {
  it('outlives callers that hang up in the middle of a request', async () => {
    const engine = await startDynalite();
    onTestFinished(() => engine.close());
    await engine.createLedgerTable('ledger-hang-up');
    const { port } = new URL(engine.endpoint);
    for (let caller = 0; caller < 20; caller += 1) {
      await hangUpAfter(Number(port), HALF_A_REQUEST);
      await hangUpAfter(Number(port), A_WHOLE_REQUEST);
    }
    const ledger = new DynamoLedger({
      documents: engine.client(),
      tableName: 'ledger-hang-up',
      callBudgetMs: 10_000,
    });
    expect(await ledger.claim(aClaimedRow())).toEqual({ kind: 'claimed' });
  });
});

describe('looking for Java', () => {
  it.each([
    ['a release that is too old', 'openjdk version "11.0.20" 2023-07-18', 'is release 11'],
    ['a banner without a release', 'hello', 'is release unknown'],
  ])('refuses %s and says so', async (_title, banner, said) => {
    const home = await fakeJava(`echo '${banner}' >&2`);
    const found = await findJava({ ...process.env, JAVA_HOME: home });
    expect(found.kind).toBe('missing');
    if (found.kind === 'missing') {
      expect(found.problem).toContain(said);
      expect(found.problem).toContain('needs Java 17');
      expect(found.problem).toContain('dynalite');
    }
  });

  it('takes JAVA_HOME first', async () => {
    const home = await fakeJava(`echo 'openjdk version "21.0.2" 2024-01-16' >&2`);
    expect(await findJava({ ...process.env, JAVA_HOME: home })).toEqual({
      kind: 'found',
      command: join(home, 'bin', 'java'),
      release: 21,
    });
  });

  it('without one, says what was tried and what to do', async () => {
    const emptyFolder = await temporaryFolder();
    const { JAVA_HOME: _home, ...environment } = process.env;
    const found = await findJava({ ...environment, PATH: emptyFolder });
    expect(found).toMatchObject({ kind: 'missing' });
    vi.stubEnv('JAVA_HOME', emptyFolder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(startDynamoDbLocal()).rejects.toMatchObject({ code: 'JAVA_MISSING' });
  });

  it('an engine that does not start is given up with its last words', async () => {
    const home = await fakeJava(
      `[ "$1" = -version ] && echo 'openjdk version "17"' || { echo 'no such heap'; exit 3; }`,
    );
    vi.stubEnv('JAVA_HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(startDynamoDbLocal()).rejects.toMatchObject({
      code: 'LOCAL_DYNAMODB_NOT_STARTED',
      message: expect.stringContaining('no such heap') as string,
    });
  });

  it('is required where CI is true', () => {
    const required = process.env['CI'] === 'true';
    expect(java.kind === 'found' || !required, 'CI needs Java 17: both engines count').toBe(true);
  });
});

const HALF_A_REQUEST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{"Table';
const A_WHOLE_REQUEST = [
  'POST / HTTP/1.1',
  'host: x',
  'content-type: application/x-amz-json-1.0',
  'x-amz-target: DynamoDB_20120810.ListTables',
  'x-amz-date: 20260726T090000Z',
  'authorization: AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=f',
  'content-length: 2',
  '',
  '{}',
].join('\r\n');

function hangUpAfter(port: number, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text, () => socket.resetAndDestroy());
    });
    socket.on('close', () => resolve());
    socket.on('error', () => {});
  });
}

function connects(endpoint: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(endpoint).port), '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-engines-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder for JAVA_HOME whose `java` runs `script`. */
async function fakeJava(script: string): Promise<string> {
  const home = await temporaryFolder();
  await mkdir(join(home, 'bin'));
  const java = join(home, 'bin', 'java');
  await writeFile(java, `#!/bin/sh\n${script}\n`);
  await chmod(java, 0o755);
  return home;
}
