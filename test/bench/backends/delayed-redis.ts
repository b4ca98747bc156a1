import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A Redis of the bench's own behind a pipe that delays its answers as the queue's are. */
export type DelayedRedis = { readonly port: number; latencyMs: number; close(): Promise<void> };

const READY_WITHIN_TRIES = 100;

/** Whether this machine can run a Redis. */
export function redisIsHere(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

export async function startDelayedRedis(): Promise<DelayedRedis> {
  const redisPort = await freePort();
  const redis = spawn(
    'redis-server',
    ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  );
  await untilListening(redisPort, redis);
  const sockets = new Set<Socket>();
  const pipe = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: redisPort, host: '127.0.0.1', noDelay: true });
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      if (delayed.latencyMs === 0) client.write(chunk);
      else setTimeout(() => client.write(chunk), delayed.latencyMs);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  pipe.listen(0, '127.0.0.1');
  await once(pipe, 'listening');
  const delayed: DelayedRedis = {
    port: (pipe.address() as AddressInfo).port,
    latencyMs: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      pipe.close();
      redis.kill('SIGKILL');
      await once(redis, 'exit');
    },
  };
  return delayed;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(port: number, redis: ChildProcess): Promise<void> {
  for (let tries = 0; tries < READY_WITHIN_TRIES && redis.exitCode === null; tries += 1) {
    const socket = connect({ port, host: '127.0.0.1' });
    const up = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (up) return;
    await pause(50);
  }
  throw new Error(`redis-server does not listen on port ${port}; start it by hand to see why`);
}
