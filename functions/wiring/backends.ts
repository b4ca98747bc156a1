import { createDynamoClient, LEDGER_TIMING } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { createHttpClient, type HttpClient } from '#adapters/http/http-call.ts';
import { createInfraiQueue } from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport, type InfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import { createHttpSender } from '#adapters/providers/http-sender.ts';
import type { ChannelConfig } from '#config/channels.ts';
import type { SharedConfig } from '#config/shared-config.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import type { Clock, Ledger, Queue, Random, Secrets, Sender, Telemetry } from '#ports';
import { loadKeyEpochs } from '#wiring/load-key-epochs.ts';

/** The surroundings that a handler or a command is wired with. */
export type Surroundings = {
  readonly clock: Clock;
  readonly random: Random;
  readonly secrets: Secrets;
  readonly telemetry: Telemetry;
};

export type BackendLimits = {
  /** Calls under way at once, to each backend. */
  readonly concurrency: number;
  readonly queueCallMs: number;
  readonly ledgerCallMs: number;
};

export type Backends = {
  readonly http: HttpClient;
  readonly transport: InfraiTransport;
  readonly queue: Queue;
  readonly ledger: Ledger;
  readonly senders: ReadonlyMap<string, Sender>;
  readonly epochs: readonly KeyEpoch[];
};

/** Opens what the consumer and the other functions share. Secrets are read here, once. */
export async function openBackends(
  config: SharedConfig,
  limits: BackendLimits,
  surroundings: Surroundings,
): Promise<Backends> {
  const { clock, random, secrets, telemetry } = surroundings;
  const [apiKey, epochs] = await Promise.all([
    secrets.get(config.infraiApiKeyRef),
    loadKeyEpochs(config.keyEpochs, secrets),
  ]);
  const http = createHttpClient({ maxSockets: limits.concurrency });
  const transport = createInfraiTransport({
    baseUrl: config.infraiBaseUrl,
    apiKey,
    http,
    clock,
    random,
    callBudgetMs: limits.queueCallMs,
  });
  const queue = createInfraiQueue({
    transport,
    name: config.queueName,
    telemetry,
    ...config.dialect,
  });
  const documents = createDynamoClient({
    concurrency: limits.concurrency,
    timing: { ...LEDGER_TIMING, callBudgetMs: limits.ledgerCallMs },
  });
  const ledger = new DynamoLedger({
    documents,
    tableName: config.ledgerTable,
    callBudgetMs: limits.ledgerCallMs,
  });
  return {
    http,
    transport,
    queue,
    ledger,
    epochs,
    senders: openSenders(config, http, surroundings),
  };
}

function openSenders(
  config: SharedConfig,
  http: HttpClient,
  { secrets, clock }: Surroundings,
): ReadonlyMap<string, Sender> {
  const entries = Object.entries(config.channels).map(
    ([name, channel]) => [name, openSender(channel, { http, secrets, clock })] as const,
  );
  return new Map(entries);
}

function openSender(
  channel: ChannelConfig,
  dependencies: Parameters<typeof createHttpSender>[1],
): Sender {
  switch (channel.provider) {
    case 'http':
      return createHttpSender(channel, dependencies);
  }
}
