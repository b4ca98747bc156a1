import { createDynamoClient, LEDGER_TIMING } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoControlStore } from '#adapters/dynamodb/dynamo-control-store.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { createHttpClient, type HttpClient } from '#adapters/http/http-call.ts';
import { createInfraiDeadLetters, createInfraiQueue } from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport, type InfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import type { SharedConfig } from '#config/shared-config.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import type {
  Clock,
  ControlStore,
  DeadLetters,
  Ledger,
  Queue,
  Random,
  Secrets,
  Sender,
  Telemetry,
} from '#ports';
import { loadKeyEpochs } from '#wiring/load-key-epochs.ts';
import { openSenders } from '#wiring/open-senders.ts';

/** The surroundings that a handler or a command is wired with. */
export type Surroundings = {
  readonly clock: Clock;
  readonly random: Random;
  readonly secrets: Secrets;
  readonly telemetry: Telemetry;
};

/**
 * Bound on one call to the control documents: they are read before a run and written after it,
 * within the margin that the platform grants, and a run must not be cut off by an unwell table.
 */
const CONTROL_CALL_MS = 1500;

export type BackendLimits = {
  /** Calls under way at once, to each backend. */
  readonly concurrency: number;
  readonly queueCallMs: number;
  readonly ledgerCallMs: number;
};

export type QueueSide = {
  readonly http: HttpClient;
  readonly transport: InfraiTransport;
  readonly queue: Queue;
  readonly deadLetters: DeadLetters;
};

export type LedgerSide = { readonly ledger: Ledger; readonly controls: ControlStore };

export type Backends = QueueSide &
  LedgerSide & {
    readonly senders: ReadonlyMap<string, Sender>;
    readonly epochs: readonly KeyEpoch[];
  };

/** Opens what the consumer and the other functions share. A key that is missing ends it here. */
export async function openBackends(
  config: SharedConfig,
  limits: BackendLimits,
  surroundings: Surroundings,
): Promise<Backends> {
  const [queueSide, epochs] = await Promise.all([
    openQueueSide(config, limits, surroundings),
    loadKeyEpochs(config.keyEpochs, surroundings.secrets),
  ]);
  const { secrets, clock } = surroundings;
  return {
    ...queueSide,
    ...openLedgerSide(config, limits, surroundings),
    epochs,
    senders: await openSenders(config.channels, { http: queueSide.http, secrets, clock }),
  };
}

/** The queue alone, for functions that neither send nor make keys: one secret is read. */
export async function openQueueSide(
  config: SharedConfig,
  limits: Pick<BackendLimits, 'concurrency' | 'queueCallMs'>,
  { clock, random, secrets, telemetry }: Surroundings,
): Promise<QueueSide> {
  const apiKey = () => secrets.get(config.infraiApiKeyRef);
  // Asked here for its fault alone: a missing key should end the start, not each call.
  await apiKey();
  const http = createHttpClient({ maxSockets: limits.concurrency });
  const transport = createInfraiTransport({
    baseUrl: config.infraiBaseUrl,
    apiKey,
    http,
    clock,
    random,
    callBudgetMs: limits.queueCallMs,
  });
  const options = { transport, name: config.queueName, telemetry, ...config.dialect };
  return {
    http,
    transport,
    queue: createInfraiQueue(options),
    deadLetters: createInfraiDeadLetters({ ...options, random }),
  };
}

/** The ledger and the control documents beside it, on one client. */
export function openLedgerSide(
  config: Pick<SharedConfig, 'ledgerTable'>,
  limits: Pick<BackendLimits, 'concurrency' | 'ledgerCallMs'>,
  { random }: Pick<Surroundings, 'random'>,
): LedgerSide {
  const { concurrency, ledgerCallMs } = limits;
  const documents = createDynamoClient({
    concurrency,
    timing: { ...LEDGER_TIMING, callBudgetMs: ledgerCallMs },
  });
  const table = { documents, tableName: config.ledgerTable };
  return {
    ledger: new DynamoLedger({ ...table, callBudgetMs: ledgerCallMs }),
    controls: new DynamoControlStore({
      ...table,
      callBudgetMs: Math.min(ledgerCallMs, CONTROL_CALL_MS),
      random,
    }),
  };
}
