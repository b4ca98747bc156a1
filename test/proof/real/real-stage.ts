import { closeDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoControlStore } from '#adapters/dynamodb/dynamo-control-store.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { systemRandom } from '#adapters/system/random.ts';
import type { BlindPolicy, ProviderClass } from '#core/send-result.ts';
import { createLedgerTableOn } from '#infra/local/dynamodb/create-ledger-table.ts';
import { localDynamoClient, localEnvironment } from '#infra/local/dynamodb/embedded-dynamo.ts';
import {
  type ProviderEmulator,
  startProviderEmulator,
} from '#infra/local/provider-emulator/provider-emulator.ts';
import {
  type QueueEmulator,
  startQueueEmulator,
} from '#infra/local/queue-emulator/queue-emulator.ts';
import type { ControlStore, Ledger } from '#ports';
import { FaultyProxy } from '#test/support/faulty-proxy.ts';
import { EngineProcess } from './engine-process.ts';

export const REAL_QUEUE = 'reminders';
const TABLE = 'real-ends';

/** A channel per provider class: all three promises are tried in one run. */
export const REAL_CHANNELS = {
  push: { providerClass: 'dedupes', blindPolicy: 'park' },
  email: { providerClass: 'queryable', blindPolicy: 'park' },
  sms: { providerClass: 'blind', blindPolicy: 'park' },
} as const satisfies Record<
  string,
  { readonly providerClass: ProviderClass; readonly blindPolicy: BlindPolicy }
>;

/** What nobody may find anywhere but at the service that it was made for. */
export const REAL_SECRETS = {
  INFRAI_API_KEY: 'ifr_planted_9f3c1e77d2',
  SEND_KEY_SECRET: 'planted-send-key-secret-5b1d',
  PROVIDER_TOKEN: 'planted-provider-token-77aa',
} as const;

/** Nested times of a lane, seconds. */
export type Timing = {
  readonly commitSeconds: number;
  readonly leaseSeconds: number;
  readonly visibilityTimeoutSeconds: number;
};

/**
 * The deployed settings with seconds where production has minutes. The provider's commit time
 * leaves room for an emulator that is starved of its core for a second.
 */
const FOR_KILLS: Timing = { commitSeconds: 1.5, leaseSeconds: 3, visibilityTimeoutSeconds: 4 };
/** Where no worker ends and no request is held up. */
export const FOR_CALM: Timing = {
  commitSeconds: 0.3,
  leaseSeconds: 1.5,
  visibilityTimeoutSeconds: 2,
};

/** The sockets of one worker: three proxies that are nobody else's. */
export type Lane = {
  readonly queue: FaultyProxy;
  readonly provider: FaultyProxy;
  readonly ledger: FaultyProxy;
  /** All of a function's environment in this lane. */
  readonly env: Readonly<Record<string, string>>;
};

/** Emulators here, the engine in a process of its own, and lanes in front of them. */
export type RealStage = {
  readonly queue: QueueEmulator;
  readonly provider: ProviderEmulator;
  readonly engine: EngineProcess;
  /** Past the proxies. */
  readonly ledger: Ledger;
  readonly controls: ControlStore;
  /** Every item of the table, as it is stored. */
  scan(): Promise<readonly Record<string, unknown>[]>;
  openLane(timing?: Timing): Promise<Lane>;
  close(): Promise<void>;
};

export async function openRealStage(seed: number): Promise<RealStage> {
  const profiles = Object.fromEntries(
    Object.entries(REAL_CHANNELS).map(([name, { providerClass }]) => [name, { providerClass }]),
  );
  const [engine, queue, provider] = await Promise.all([
    EngineProcess.start(),
    startQueueEmulator({ seed, queues: [REAL_QUEUE] }),
    startProviderEmulator({ seed, profiles }),
  ]);
  const documents = localDynamoClient(engine.endpoint);
  await createLedgerTableOn(documents, TABLE, false);
  const table = { documents, tableName: TABLE, callBudgetMs: 10_000 };
  const lanes: Lane[] = [];
  return {
    queue,
    provider,
    engine,
    ledger: new DynamoLedger(table),
    controls: new DynamoControlStore({ ...table, random: systemRandom }),
    async scan() {
      const { ScanCommand } = await import('@aws-sdk/lib-dynamodb');
      const items: Record<string, unknown>[] = [];
      let from: Record<string, unknown> | undefined;
      do {
        const page = await documents.send(
          new ScanCommand({ TableName: TABLE, ...(from && { ExclusiveStartKey: from }) }),
        );
        items.push(...(page.Items ?? []));
        from = page.LastEvaluatedKey;
      } while (from !== undefined);
      return items;
    },
    async openLane(timing = FOR_KILLS) {
      const [toQueue, toProvider, toLedger] = await Promise.all([
        FaultyProxy.start(queue.url),
        FaultyProxy.start(provider.url),
        FaultyProxy.start(engine.endpoint),
      ]);
      const [queueUrl, providerUrl] = [toQueue.endpoint, toProvider.endpoint];
      const env = environment(queueUrl, providerUrl, toLedger.endpoint, timing);
      const lane = { queue: toQueue, provider: toProvider, ledger: toLedger, env };
      lanes.push(lane);
      return lane;
    },
    async close() {
      closeDynamoClient(documents);
      await Promise.all(
        lanes.flatMap((lane) => [lane.queue.close(), lane.provider.close(), lane.ledger.close()]),
      );
      await Promise.all([queue.close(), provider.close(), engine.close()]);
    },
  };
}

function environment(queueUrl: string, providerUrl: string, ledgerUrl: string, timing: Timing) {
  return {
    STAGE: 'proof',
    QUEUE_NAME: REAL_QUEUE,
    INFRAI_BASE_URL: queueUrl,
    INFRAI_API_KEY_SECRET: 'env:INFRAI_API_KEY',
    LEDGER_TABLE: TABLE,
    KEY_EPOCHS: JSON.stringify([{ id: 'first', secretRef: 'env:SEND_KEY_SECRET' }]),
    ...REAL_SECRETS,
    CHANNELS: JSON.stringify(channelsAt(providerUrl, timing)),
    DEFAULT_CHANNEL: 'push',
    DELIVERY: JSON.stringify({
      ladderSeconds: [1, 1, 2, 2, 2],
      leaseSeconds: timing.leaseSeconds,
      skewSeconds: 0.2,
      settleSeconds: 1,
      holdJitterSeconds: 0.3,
      channelStoppedSeconds: 1,
    }),
    DRAIN: JSON.stringify({
      concurrency: 4,
      runBudgetSeconds: 30,
      visibilityTimeoutSeconds: timing.visibilityTimeoutSeconds,
      ledgerCallMs: 1500,
      recordBudgetMs: 3000,
      queueCallMs: 2000,
    }),
    REDRIVE: JSON.stringify({
      ratePerSecond: 100,
      canarySize: 0,
      canaryWaitSeconds: 1,
      runBudgetSeconds: 40,
      runLeaseSeconds: 60,
      deadLetterLeaseSeconds: 5,
      ledgerCallMs: 2500,
      queueCallMs: 2500,
    }),
    STATS: '',
    ...localEnvironment(ledgerUrl),
  };
}

function channelsAt(url: string, { commitSeconds }: Timing) {
  const channels = Object.entries(REAL_CHANNELS).map(([name, { providerClass, blindPolicy }]) => [
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
      blindPolicy,
      secretRef: 'env:PROVIDER_TOKEN',
      sendTimeoutMs: 800,
      commitSeconds,
    },
  ]);
  return Object.fromEntries(channels) as Record<string, unknown>;
}
