import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export type AwsStandIn = {
  readonly url: string;
  /** What makes a process talk to the stand-in instead of AWS. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the server printed, for a failing test. */
  readonly log: () => string;
  readonly close: () => Promise<void>;
};

export const ACCOUNT = '123456789012';
export const REGION = 'eu-central-1';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const STARTED = /Running on http/;

/** moto's server on a free port of this machine, with the bridges beside this file. */
export async function startAwsStandIn(python: string): Promise<AwsStandIn> {
  const port = await freePort();
  const server = spawn(python, ['-m', 'cloudformation_bridge.serve', String(port)], {
    cwd: FOLDER,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const started = new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      printed += chunk.toString('utf8');
      if (STARTED.test(printed)) resolve();
    };
    server.stdout.on('data', listen);
    server.stderr.on('data', listen);
    server.on('exit', (code) => reject(new Error(`moto ended with ${code}:\n${printed}`)));
  });
  await started;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    environment: {
      AWS_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: 'testing',
      AWS_SECRET_ACCESS_KEY: 'testing',
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    log: () => printed,
    close: () => end(server),
  };
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
