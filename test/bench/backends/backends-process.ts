import { type DelayedRedis, redisIsHere, startDelayedRedis } from './delayed-redis.ts';
import { startLeanServer } from './lean-http-server.ts';
import { ProviderBackend } from './provider-backend.ts';
import { QueueBackend, type QueueLoad } from './queue-backend.ts';
import { TableBackend, type TableCounts } from './table-backend.ts';

/** Added to each backend's answers, milliseconds. */
export type Latencies = {
  readonly queueMs: number;
  readonly ledgerMs: number;
  readonly providerMs: number;
};

export type BackendsMessage =
  | { readonly kind: 'prepare'; readonly load: QueueLoad; readonly latencies: Latencies }
  | { readonly kind: 'collect' };

export type BackendUrls = {
  readonly queue: string;
  readonly provider: string;
  readonly table: string;
  /** Null where there is no redis-server. */
  readonly redisPort: number | null;
};

/** What the backends saw of one drain. */
export type BackendFigures = {
  readonly consumes: number;
  readonly delivered: number;
  readonly acked: number;
  readonly sends: number;
  readonly uniqueSends: number;
  readonly steadyPerSecond: number;
  readonly table: TableCounts;
  readonly bytesToBackends: number;
  readonly bytesFromBackends: number;
};

export type BackendsReply =
  | { readonly kind: 'listening'; readonly urls: BackendUrls }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'figures'; readonly figures: BackendFigures };

/** The middle of a drain: sends between these shares make the steady rate. */
const STEADY = { from: 0.4, to: 0.9 } as const;

const queue = new QueueBackend();
const provider = new ProviderBackend();
const table = new TableBackend();
const servers = {
  queue: await startLeanServer((request) => queue.handle(request)),
  provider: await startLeanServer((request) => provider.handle(request)),
  table: await startLeanServer((request) => table.handle(request)),
};
const redis: DelayedRedis | null = redisIsHere() ? await startDelayedRedis() : null;

function prepare(load: QueueLoad, latencies: Latencies): void {
  queue.fill(load);
  provider.reset();
  table.reset();
  servers.queue.latencyMs = latencies.queueMs;
  servers.table.latencyMs = latencies.ledgerMs;
  servers.provider.latencyMs = latencies.providerMs;
  if (redis !== null) redis.latencyMs = latencies.queueMs;
  for (const { traffic } of Object.values(servers)) {
    Object.assign(traffic, { requests: 0, bytesIn: 0, bytesOut: 0, connections: 0 });
  }
}

function figures(): BackendFigures {
  const traffic = Object.values(servers).map((server) => server.traffic);
  return {
    ...queue.counts,
    sends: provider.sends,
    uniqueSends: provider.uniqueKeys,
    steadyPerSecond: provider.steadyPerSecond(STEADY.from, STEADY.to),
    table: { ...table.counts },
    bytesToBackends: traffic.reduce((sum, { bytesIn }) => sum + bytesIn, 0),
    bytesFromBackends: traffic.reduce((sum, { bytesOut }) => sum + bytesOut, 0),
  };
}

function reply(message: BackendsReply): void {
  process.send?.(message);
}

process.on('message', (message: BackendsMessage) => {
  if (message.kind === 'prepare') {
    prepare(message.load, message.latencies);
    reply({ kind: 'prepared' });
  } else {
    reply({ kind: 'figures', figures: figures() });
  }
});
// The bench has ended, one way or the other: its backends must not outlive it.
process.on('disconnect', async () => {
  await redis?.close();
  process.exit();
});

reply({
  kind: 'listening',
  urls: {
    queue: servers.queue.url,
    provider: servers.provider.url,
    table: servers.table.url,
    redisPort: redis?.port ?? null,
  },
});
