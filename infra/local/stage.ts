import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { createInfraiQueue } from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import type { BlindPolicy, ProviderClass } from '#core/send-result.ts';
import type { Queue } from '#ports';
import { startDynalite } from './dynamodb/dynalite.ts';
import { startDynamoDbLocal } from './dynamodb/dynamodb-local.ts';
import type { EmbeddedDynamo, EngineName } from './dynamodb/embedded-dynamo.ts';
import {
  LOCAL_CHANNELS,
  LOCAL_QUEUE,
  LOCAL_TABLE,
  type LocalEnvironment,
  localEnvironment,
} from './local-settings.ts';
import {
  type ProviderEmulator,
  startProviderEmulator,
} from './provider-emulator/provider-emulator.ts';
import { type QueueEmulator, startQueueEmulator } from './queue-emulator/queue-emulator.ts';

/** A real queue instead of the emulated one. */
export type LiveQueue = { readonly url: string; readonly apiKey: string; readonly name: string };

export type StageOptions = {
  readonly engine: EngineName;
  readonly seed: number;
  readonly providerClass: ProviderClass;
  readonly blindPolicy: BlindPolicy;
  readonly useBySeconds: number;
  readonly concurrency: number;
  readonly live: LiveQueue | null;
  /** Where the consumers' log lines go. */
  readonly logPath: string;
};

/** A running stage: emulators, engine and the environment that the real handlers are given. */
export type Stage = {
  readonly queue: QueueEmulator | null;
  readonly provider: ProviderEmulator;
  readonly dynamo: EmbeddedDynamo;
  /** The queue by the product's own adapter, for publishing and stats. */
  readonly client: Queue;
  readonly env: LocalEnvironment;
  readonly log: WriteStream;
  close(): Promise<void>;
};

export async function openStage(options: StageOptions): Promise<Stage> {
  const { seed, live, providerClass } = options;
  const profiles = Object.fromEntries(LOCAL_CHANNELS.map((name) => [name, { providerClass }]));
  const [dynamo, provider, queue] = await Promise.all([
    options.engine === 'dynalite' ? startDynalite() : startDynamoDbLocal(),
    startProviderEmulator({ seed, profiles }),
    live === null ? startLocalQueue(seed) : null,
  ]);
  await dynamo.createLedgerTable(LOCAL_TABLE);
  const target = live ?? { url: queue?.url ?? '', apiKey: 'ifr_local', name: LOCAL_QUEUE };
  const env = localEnvironment({
    infraiUrl: target.url,
    infraiApiKey: target.apiKey,
    queueName: target.name,
    providerUrl: provider.url,
    providerClass,
    blindPolicy: options.blindPolicy,
    seed,
    useBySeconds: options.useBySeconds,
    concurrency: options.concurrency,
    dynamoEnvironment: dynamo.environment,
  });
  const http = createHttpClient({ maxSockets: 16 });
  mkdirSync(dirname(options.logPath), { recursive: true });
  const log = createWriteStream(options.logPath);
  return {
    queue,
    provider,
    dynamo,
    client: openClient(target, http),
    env,
    log,
    async close() {
      http.close();
      await Promise.all([queue?.close(), provider.close(), dynamo.close()]);
      await new Promise<void>((resolve) => log.end(resolve));
    },
  };
}

function startLocalQueue(seed: number): Promise<QueueEmulator> {
  // Seen of the live service: about six seconds between deliveries; a minute's show has less time.
  const behaviour = { redeliveryDelayMs: 2000, redeliveryJitterMs: 500 };
  return startQueueEmulator({ seed, queues: [LOCAL_QUEUE], behaviour });
}

function openClient(target: LiveQueue, http: ReturnType<typeof createHttpClient>): Queue {
  const transport = createInfraiTransport({
    baseUrl: target.url,
    apiKey: target.apiKey,
    http,
    clock: systemClock,
    random: systemRandom,
  });
  return createInfraiQueue({ transport, name: target.name, telemetry: { count: () => {} } });
}
