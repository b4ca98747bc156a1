import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { createInfraiQueue } from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { type DrainResult, drainQueue } from '#app/drain-queue.ts';
import { identifyDelivery } from '#app/identify-delivery.ts';
import { channelsSchema } from '#config/channels.ts';
import type { EpochMs } from '#core/brand.ts';
import type { Delivery } from '#core/delivery.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import { startProviderEmulator } from '#infra/local/provider-emulator/provider-emulator.ts';
import { VENDOR_SURFACES } from '#infra/local/provider-emulator/vendors/vendor-surfaces.ts';
import { startQueueEmulator } from '#infra/local/queue-emulator/queue-emulator.ts';
import type { Clock, Ledger, Sender, SendRequest } from '#ports';
import { DUE_AT, FIRST_EPOCH, SETTINGS } from '#test/support/core-data.ts';
import { plantAwsCredentials } from '#test/support/planted-aws-credentials.ts';
import { SERVICE_ACCOUNT } from '#test/support/vendor-stands.ts';
import { openSenders } from '#wiring/open-senders.ts';

export const QUEUE = 'reminders';
const DLQ = `${QUEUE}.dlq`;
/** Ours, not the providers': long enough for a busy machine, short enough for a test that hangs. */
const SEND_TIMEOUT_MS = 500;

export type UnknownStandOptions = {
  /** Channels as a deployment writes them, their addresses in the provider emulator. */
  readonly channels: (url: string) => Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly settings?: Partial<DeliverySettings>;
  /** While a secret is being read: where a worker may be frozen. */
  readonly onSecretRead?: (clock: EmulatorClock) => void;
};

/** How a worker of this stand fares; it goes on to the end unless something is said. */
export type WorkerFate = {
  /** Ends between the provider's answer and the record: nothing of the outcome is written. */
  readonly endsBeforeRecord?: boolean;
};

/** The consumer's parts over an emulated queue, emulated vendors and a DynamoDB engine; time by hand. */
export async function openUnknownStand(engine: EmbeddedDynamo, options: UnknownStandOptions) {
  const clock = EmulatorClock.frozenAt(DUE_AT);
  const tableName = `unknown-${randomUUID()}`;
  await engine.createLedgerTable(tableName);
  const [queue, provider] = await Promise.all([
    startQueueEmulator({ clock, queues: [QUEUE] }),
    startProviderEmulator({
      clock,
      surfaces: VENDOR_SURFACES,
      profiles: { generic: { providerClass: 'dedupes' } },
    }),
  ]);
  const http = createHttpClient({ maxSockets: 16 });
  const putBack = plantAwsCredentials();
  onTestFinished(async () => {
    putBack();
    http.close();
    await Promise.all([queue.close(), provider.close()]);
  });
  const driven: Clock = {
    now: () => clock.now(),
    sleep: async (ms) => clock.advance(Math.max(1, Math.ceil(ms))),
  };
  const random = { fraction: () => 0, token: randomUUID };
  const ledger = new DynamoLedger({ documents: engine.client(), tableName, callBudgetMs: 15_000 });
  const transport = createInfraiTransport({
    ...{ baseUrl: queue.url, apiKey: 'ifr_test', http, clock: driven, random },
  });
  const secrets = new Map([['env:SERVICE_ACCOUNT', SERVICE_ACCOUNT]]);
  const settings = { ...SETTINGS, ...options.settings };
  const deps: DeliveryDeps = {
    queue: createInfraiQueue({ transport, name: QUEUE, telemetry: { count: () => {} } }),
    ledger,
    senders: await sendersOf(options.channels(provider.url)),
    clock: driven,
    random,
    epochs: [FIRST_EPOCH],
    defaultChannel: null,
    settings,
    limits: { recordBudgetMs: 15_000, finishMs: 40_000, worstDeliveryMs: 70_000 },
  };

  async function sendersOf(
    channels: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Promise<ReadonlyMap<string, Sender>> {
    const parsed = channelsSchema.parse(channels);
    const quick = Object.entries(parsed).map(
      ([name, channel]) => [name, { ...channel, sendTimeoutMs: SEND_TIMEOUT_MS }] as const,
    );
    return openSenders(Object.fromEntries(quick), {
      http,
      clock: driven,
      secrets: {
        async get(reference) {
          options.onSecretRead?.(clock);
          return secrets.get(reference) ?? 'planted_key';
        },
      },
    });
  }

  const drainSettings = { concurrency: 4, batchSize: 10, visibilityTimeoutSeconds: 60 };
  const stand = {
    ...{ queue, provider, clock, ledger, settings, deps: deps as DeliveryDeps },
    publish(payload: Readonly<Record<string, unknown>>): void {
      queue.model.publish({ queue: QUEUE, payload, idempotencyKey: randomUUID() }, clock.now());
    },
    payload: (channel: string, change: Readonly<Record<string, unknown>> = {}) => ({
      user_id: 'u_4471',
      reminder_id: 'r_trial_end',
      scheduled_at: new Date(DUE_AT).toISOString(),
      channel,
      data: { plan: 'Pro' },
      ...change,
    }),
    /** One run of the consumer: what is available now. */
    consume(fate: WorkerFate = {}): Promise<DrainResult> {
      const budget = { endsAt: clock.now() + 600_000 };
      const mine = { ...stand.deps, ledger: fated(ledger, fate) };
      return drainQueue(mine, { ...drainSettings, queueCallMs: 10_000 }, budget, () => 'go-on');
    },
    /** Lets time pass until `at`, a run at every instant at which something becomes available. */
    async consumeUntil(at: EpochMs): Promise<readonly DrainResult[]> {
      const results = [await stand.consume()];
      for (;;) {
        for (const { name } of queue.model.list()) queue.model.stats(name, clock.now());
        const due = queue.model.nextDueAt() ?? at;
        if (due >= at) break;
        clock.setNow(Math.max(due, clock.now() + 1));
        results.push(await stand.consume());
      }
      clock.setNow(at);
      return [...results, await stand.consume()];
    },
    /** Other settings of the channels from now on, as after a deployment. */
    async redeploy(channels: UnknownStandOptions['channels']): Promise<void> {
      stand.deps = { ...stand.deps, senders: await sendersOf(channels(provider.url)) };
    },
    deliveryOf(payload: Readonly<Record<string, unknown>>): Delivery {
      const identified = identifyDelivery({ payload }, stand.deps);
      if (identified.kind === 'invalid') throw new Error(identified.reason);
      return identified.delivery;
    },
    requestOf(payload: Readonly<Record<string, unknown>>): SendRequest {
      const { reminder, identity } = stand.deliveryOf(payload);
      return { reminder, sendKey: identity.sendKey, sendUuid: identity.sendUuid };
    },
    async rowOf(payload: Readonly<Record<string, unknown>>): Promise<LedgerRecord> {
      const answer = await ledger.read(stand.deliveryOf(payload).identity.sendKey);
      if (answer.kind !== 'row') throw new Error(`no row: ${answer.kind}`);
      return answer.row;
    },
    /** What users saw, by whatever the surface counts by. */
    effects: () => provider.effects.total,
    receipts: () => provider.effects.records().map(({ receipt }) => receipt),
    deadLetters: () => queue.model.messages(DLQ, clock.now()),
    live: () => queue.model.messages(QUEUE, clock.now()),
    /** Takes everything that is in the queue out of it, once its leases are over. */
    drop(): void {
      clock.advance(120_000);
      for (const { messageId } of queue.model.messages(QUEUE, clock.now())) {
        queue.model.consume({ queue: QUEUE, maxMessages: 10 }, clock.now());
        queue.model.ack({ queue: QUEUE, messageId }, clock.now());
      }
    },
    redriveAll(): void {
      for (const { messageId } of queue.model.messages(DLQ, clock.now())) {
        queue.model.redrive(QUEUE, messageId, clock.now());
      }
    },
  };
  return stand;
}
export type UnknownStand = Awaited<ReturnType<typeof openUnknownStand>>;

/** After the end nothing is written; to the port's caller that looks like an exception. */
function fated(ledger: Ledger, fate: WorkerFate): Pick<Ledger, 'claim' | 'replace'> {
  return {
    claim: (row) => ledger.claim(row),
    async replace(row, seen) {
      if (fate.endsBeforeRecord && row.state !== 'CLAIMED') throw new Error('the worker has ended');
      return ledger.replace(row, seen);
    },
  };
}
