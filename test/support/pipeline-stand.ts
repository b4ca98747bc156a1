import { randomUUID } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import { closeDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoControlStore } from '#adapters/dynamodb/dynamo-control-store.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import type { StatsCheck } from '#app/check-stats.ts';
import type { DrainResult } from '#app/drain-queue.ts';
import type { ProviderClass } from '#core/send-result.ts';
import { createConsumer } from '#functions/consumer/consumer.ts';
import { createStatsAlarm } from '#functions/stats-alarm/stats-alarm.ts';
import { type EmbeddedDynamo, localDynamoClient } from '#infra/local/dynamodb/embedded-dynamo.ts';
import {
  type ProviderEmulator,
  startProviderEmulator,
} from '#infra/local/provider-emulator/provider-emulator.ts';
import {
  type QueueEmulator,
  startQueueEmulator,
} from '#infra/local/queue-emulator/queue-emulator.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import type { ControlStore, Ledger } from '#ports';
import { FaultyProxy } from '#test/support/faulty-proxy.ts';
import { HandClock } from '#test/support/hand-clock.ts';

export const CHANNELS = ['push', 'email'] as const;
/** What a deployed function is granted; far above every bound of these tests. */
const REMAINING_MS = 890_000;

export type StandOptions = {
  readonly providerClass?: ProviderClass;
  readonly concurrency?: number;
  readonly stats?: Readonly<Record<string, number>>;
  /** Where the clock of emulators and handlers begins. */
  readonly startAt?: number;
};

/** The real handlers between real sockets: emulators, an embedded engine behind a proxy. */
export type PipelineStand = {
  readonly clock: HandClock;
  readonly queue: QueueEmulator;
  readonly provider: ProviderEmulator;
  /** Between the handlers and the table. */
  readonly table: FaultyProxy;
  /** Between the handlers and the queue's service. */
  readonly service: FaultyProxy;
  readonly queueName: string;
  readonly env: Readonly<Record<string, string>>;
  /** Past the proxy. */
  readonly ledger: Ledger;
  readonly controls: ControlStore;
  /** Log lines and metric lines so far, parsed. */
  readonly lines: readonly Record<string, unknown>[];
  /** A warm environment of the consumer; `fresh` makes another one. */
  consume(): Promise<DrainResult>;
  fresh(): () => Promise<DrainResult>;
  check(): Promise<StatsCheck>;
  /** Publishes reminders that are due now; returns their ids. */
  publish(count: number, change?: Readonly<Record<string, unknown>>): readonly string[];
  logged(event: string): readonly Record<string, unknown>[];
  /** The last published value of a metric, or undefined. */
  metric(name: string): unknown;
};

export async function openPipelineStand(
  engine: EmbeddedDynamo,
  options: StandOptions = {},
): Promise<PipelineStand> {
  const clock = new HandClock(options.startAt);
  const queueName = `reminders-${randomUUID()}`;
  const tableName = `ledger-${randomUUID()}`;
  const providerClass = options.providerClass ?? 'dedupes';
  const [queue, provider, table] = await Promise.all([
    startQueueEmulator({ clock, queues: [queueName] }),
    startProviderEmulator({
      clock,
      profiles: Object.fromEntries(CHANNELS.map((name) => [name, { providerClass }])),
    }),
    FaultyProxy.start(engine.endpoint),
    engine.createLedgerTable(tableName),
  ]);
  const service = await FaultyProxy.start(queue.url);
  const direct = localDynamoClient(engine.endpoint);
  onTestFinished(async () => {
    closeDynamoClient(direct);
    await Promise.all([queue.close(), provider.close(), table.close(), service.close()]);
  });
  const env = {
    STAGE: 'test',
    QUEUE_NAME: queueName,
    INFRAI_BASE_URL: service.endpoint,
    INFRAI_API_KEY_SECRET: 'env:INFRAI_API_KEY',
    INFRAI_API_KEY: 'ifr_test',
    LEDGER_TABLE: tableName,
    KEY_EPOCHS: JSON.stringify([{ id: 'first', secretRef: 'env:SEND_KEY_SECRET' }]),
    SEND_KEY_SECRET: 'a-secret-that-only-tests-know',
    PROVIDER_TOKEN: 'a-token-that-only-tests-know',
    CHANNELS: JSON.stringify(channelsAt(provider.url, providerClass)),
    DEFAULT_CHANNEL: 'push',
    DRAIN: JSON.stringify({ concurrency: options.concurrency ?? 8 }),
    STATS: JSON.stringify(options.stats ?? {}),
  };
  // The SDK reads its endpoint and credentials from the process, as on Lambda.
  Object.assign(process.env, engine.environment, { AWS_ENDPOINT_URL_DYNAMODB: table.endpoint });
  const lines = captureLines();
  const random = seededRandom(7);
  const fresh = () => {
    const handler = createConsumer(env, clock, random);
    return () => handler({}, invocation());
  };
  const stats = createStatsAlarm(env, clock, random);
  let reminders = 0;
  return {
    clock,
    queue,
    provider,
    table,
    service,
    queueName,
    env,
    ledger: new DynamoLedger({ documents: direct, tableName, callBudgetMs: 10_000 }),
    controls: new DynamoControlStore({
      documents: direct,
      tableName,
      callBudgetMs: 10_000,
      random,
    }),
    lines,
    consume: fresh(),
    fresh,
    check: () => stats({}, invocation()),
    publish(count, change = {}) {
      return Array.from({ length: count }, () => {
        reminders += 1;
        const reminder = {
          user_id: `u_${reminders}`,
          reminder_id: `r_${reminders}`,
          scheduled_at: new Date(clock.now()).toISOString(),
          ...change,
        };
        queue.model.publish({ queue: queueName, payload: reminder }, clock.now());
        return reminder.reminder_id;
      });
    },
    logged: (event) => lines.filter((line) => line['message'] === event),
    metric: (name) => lines.findLast((line) => name in line)?.[name],
  };
}

function channelsAt(url: string, providerClass: ProviderClass) {
  const channels = CHANNELS.map((name) => [
    name,
    {
      provider: 'http',
      url: `${url}/send/${name}`,
      class: providerClass,
      ...(providerClass === 'dedupes' && { windowSeconds: 86_400 }),
      ...(providerClass === 'queryable' && {
        queryUrl: `${url}/messages/${name}?key={key}`,
        queryReceiptPath: 'items.0.id',
      }),
      secretRef: 'env:PROVIDER_TOKEN',
    },
  ]);
  return Object.fromEntries(channels) as Record<string, unknown>;
}

function invocation() {
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => REMAINING_MS };
}

/** Takes what the handlers print, so that tests can read it as CloudWatch would. */
function captureLines(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const capture = (chunk: unknown): boolean => {
    for (const text of String(chunk).split('\n')) {
      if (text.startsWith('{')) lines.push(JSON.parse(text) as Record<string, unknown>);
    }
    return true;
  };
  const outputs = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(capture),
  );
  onTestFinished(() => {
    for (const output of outputs) output.mockRestore();
  });
  return lines;
}
