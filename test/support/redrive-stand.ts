import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { closeDynamoClient } from '#adapters/dynamodb/dynamo-client.ts';
import { DynamoControlStore } from '#adapters/dynamodb/dynamo-control-store.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { createInfraiDeadLetters, createInfraiQueue } from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import { createHttpSender, type HttpChannel } from '#adapters/providers/http-sender.ts';
import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { drainQueue } from '#app/drain-queue.ts';
import { identifyDelivery } from '#app/identify-delivery.ts';
import type { RedriveDeps, RedriveLimits } from '#app/redrive/redrive-deps.ts';
import type { RedriveReport } from '#app/redrive/redrive-report.ts';
import { runRedrive } from '#app/redrive/run-redrive.ts';
import type { EpochMs } from '#core/brand.ts';
import type { Delivery } from '#core/delivery.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import type { LedgerRecord, LedgerState } from '#core/ledger-record.ts';
import { readRedriveEvent } from '#core/redrive-request.ts';
import { type EmbeddedDynamo, localDynamoClient } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import {
  type ProviderEmulator,
  startProviderEmulator,
} from '#infra/local/provider-emulator/provider-emulator.ts';
import {
  type QueueEmulator,
  startQueueEmulator,
} from '#infra/local/queue-emulator/queue-emulator.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import type { Clock, Random, Sender } from '#ports';
import { aRow, DUE_AT, FIRST_EPOCH, SETTINGS } from '#test/support/core-data.ts';
import { FaultyProxy } from '#test/support/faulty-proxy.ts';

export const QUEUE = 'reminders';
const DLQ = `${QUEUE}.dlq`;

/** Channel names are the provider emulator's profiles; `sick` may fail while the others do not. */
const PROFILES = { push: 'dedupes', ask: 'queryable', blind: 'blind', sick: 'dedupes' } as const;
export type StandChannel = keyof typeof PROFILES;

const LIMITS: RedriveLimits = {
  maxPerRun: 1000,
  ratePerSecond: 100,
  canarySize: 0,
  cap: 3,
  canaryWaitSeconds: 120,
  runLeaseSeconds: 480,
  deadLetterLeaseSeconds: 30,
  worstDeadLetterMs: 20_000,
  queueCallMs: 10_000,
};
/** Wide enough for a busy machine, short enough for a test of an unwell table. */
const TIMING = {
  connectTimeoutMs: 5_000,
  attemptTimeoutMs: 5_000,
  maxAttempts: 1,
  callBudgetMs: 15_000,
};
const RUN_BUDGET_MS = 440_000;

export type StandOptions = {
  readonly startAt?: EpochMs;
  readonly settings?: Partial<DeliverySettings>;
  readonly limits?: Partial<RedriveLimits>;
  readonly channels?: readonly StandChannel[];
};

/** A redrive between an emulated queue, an emulated provider and a DynamoDB engine; time by hand. */
export type RedriveStand = {
  readonly queue: QueueEmulator;
  readonly provider: ProviderEmulator;
  /** In front of the table. */
  readonly proxy: FaultyProxy;
  readonly clock: EmulatorClock;
  readonly deps: RedriveDeps;
  readonly consumerDeps: DeliveryDeps;
  /** Runs while somebody sleeps on the clock: the consumer's tick, for one. */
  whileSleeping(work: (() => Promise<void>) | null): void;
  /** One redrive with an event as the function gets it. Budget: 440 s unless said otherwise. */
  redrive(
    event?: unknown,
    given?: { deps?: RedriveDeps; budgetMs?: number },
  ): Promise<RedriveReport>;
  /** The consumer drains what is available now. */
  consume(): Promise<void>;
  /** Lets time pass, and the consumer run whenever something becomes available, until `at`. */
  consumeUntil(at: EpochMs): Promise<void>;
  payload(index: number, change?: Readonly<Record<string, unknown>>): Record<string, unknown>;
  deliveryOf(payload: Readonly<Record<string, unknown>>): Delivery;
  /** Writes a row of the payload's key, as after a claim at the reminder's instant. */
  plantRow(
    payload: Readonly<Record<string, unknown>>,
    state: LedgerState,
    change?: Partial<LedgerRecord>,
  ): Promise<LedgerRecord>;
  rowOf(payload: Readonly<Record<string, unknown>>): Promise<LedgerRecord | undefined>;
  /** Publishes and leaves three times. Everything else in the queue dies with it. */
  plantDeadLetters(...payloads: readonly unknown[]): void;
  deadLetters(): readonly { readonly messageId: string; readonly payload: unknown }[];
  /** Messages of the main queue, whatever their state. */
  live(): readonly { readonly messageId: string; readonly payload: unknown }[];
  /** Effects at the provider, by the payload's key. */
  effectsOf(payload: Readonly<Record<string, unknown>>): number;
};

export async function openRedriveStand(
  engine: EmbeddedDynamo,
  options: StandOptions = {},
): Promise<RedriveStand> {
  const clock = EmulatorClock.frozenAt(options.startAt ?? DUE_AT + 3_600_000);
  const tableName = `redrive-${randomUUID()}`;
  await engine.createLedgerTable(tableName);
  const [queue, provider, proxy] = await Promise.all([
    startQueueEmulator({ clock, queues: [QUEUE] }),
    startProviderEmulator({
      clock,
      profiles: Object.fromEntries(
        Object.entries(PROFILES).map(([name, providerClass]) => [name, { providerClass }]),
      ),
    }),
    FaultyProxy.start(engine.endpoint),
  ]);
  const documents = localDynamoClient(proxy.endpoint, { concurrency: 16, timing: TIMING });
  const http = createHttpClient({ maxSockets: 32 });
  onTestFinished(async () => {
    http.close();
    closeDynamoClient(documents);
    await Promise.all([queue.close(), provider.close(), proxy.close()]);
  });

  let asleep: (() => Promise<void>) | null = null;
  const driven: Clock = {
    now: () => clock.now(),
    async sleep(ms) {
      clock.advance(Math.max(1, Math.ceil(ms)));
      const work = asleep;
      asleep = null;
      await work?.();
      asleep ??= work;
    },
  };
  const fractions = seededRandom(7);
  const random: Random = { fraction: () => fractions.fraction(), token: randomUUID };
  const transport = createInfraiTransport({
    ...{ baseUrl: queue.url, apiKey: 'ifr_test', http, clock: driven, random },
    callBudgetMs: LIMITS.queueCallMs,
  });
  const queueOptions = { transport, name: QUEUE, telemetry: { count: () => {} } };
  const table = { documents, tableName, callBudgetMs: TIMING.callBudgetMs };
  const ledger = new DynamoLedger(table);
  const senders = openSenders(provider, http, driven, options.channels);
  const settings = { ...SETTINGS, ...options.settings };
  const common = {
    ...{ ledger, senders, clock: driven, random, epochs: [FIRST_EPOCH], settings },
    defaultChannel: 'push',
  };
  const deps: RedriveDeps = {
    ...common,
    deadLetters: createInfraiDeadLetters({ ...queueOptions, random }),
    controls: new DynamoControlStore({ ...table, random }),
    limits: { ...LIMITS, ...options.limits },
  };
  const consumerDeps: DeliveryDeps = {
    ...common,
    queue: createInfraiQueue(queueOptions),
    limits: { recordBudgetMs: 15_000, finishMs: 40_000, worstDeliveryMs: 70_000 },
  };
  const drain = {
    ...{ concurrency: 16, batchSize: 10, visibilityTimeoutSeconds: 60, queueCallMs: 10_000 },
  };

  const stand: RedriveStand = {
    ...{ queue, provider, proxy, clock, deps, consumerDeps },
    whileSleeping(work) {
      asleep = work;
    },
    async redrive(event, given = {}) {
      const triggered = readRedriveEvent(event);
      if (triggered.kind === 'invalid') throw new Error(triggered.problems.join('\n'));
      const budget = { endsAt: clock.now() + (given.budgetMs ?? RUN_BUDGET_MS) };
      return runRedrive(triggered, given.deps ?? deps, budget, () => {});
    },
    async consume() {
      const budget = { endsAt: clock.now() + 600_000 };
      await drainQueue(consumerDeps, drain, budget, () => 'go-on');
    },
    async consumeUntil(at) {
      await stand.consume();
      for (let due = nextOf(queue, at); due < at; due = nextOf(queue, at)) {
        clock.setNow(Math.max(due, clock.now() + 1));
        await stand.consume();
      }
      clock.setNow(at);
      await stand.consume();
    },
    payload: (index, change = {}) => ({
      user_id: `user-${index % 7}`,
      reminder_id: `reminder-${index}`,
      scheduled_at: new Date(DUE_AT).toISOString(),
      data: { text: `text ${index}` },
      ...change,
    }),
    deliveryOf(payload) {
      const identified = identifyDelivery({ payload }, deps);
      if (identified.kind === 'invalid') throw new Error(identified.reason);
      return identified.delivery;
    },
    async plantRow(payload, state, change = {}) {
      const delivery = stand.deliveryOf(payload);
      const row = { ...aRow(state, {}, delivery), claimToken: `t_${randomUUID()}`, ...change };
      const answer = await ledger.claim(row as LedgerRecord);
      expect(answer.kind).toBe('claimed');
      return row as LedgerRecord;
    },
    async rowOf(payload) {
      const answer = await ledger.read(stand.deliveryOf(payload).identity.sendKey);
      return answer.kind === 'row' ? answer.row : undefined;
    },
    plantDeadLetters(...payloads) {
      const { model } = queue;
      const before = model.messages(DLQ, clock.now()).length;
      for (const payload of payloads) {
        model.publish({ queue: QUEUE, payload, idempotencyKey: randomUUID() }, clock.now());
      }
      for (let delivery = 1; delivery <= 3; delivery += 1) {
        for (;;) {
          const request = { queue: QUEUE, maxMessages: 10, leaseMs: 1 };
          const pulled = model.consume(request, clock.now());
          if (pulled.kind === 'refused' || pulled.messages.length === 0) break;
        }
        clock.advance(2);
      }
      expect(model.messages(DLQ, clock.now()).length).toBe(before + payloads.length);
    },
    deadLetters: () => queue.model.messages(DLQ, clock.now()),
    live: () => queue.model.messages(QUEUE, clock.now()),
    effectsOf: (payload) => provider.effects.of(stand.deliveryOf(payload).identity.sendKey),
  };
  return stand;
}

/** The next instant before `at` at which a delay or lease ends. */
function nextOf(queue: QueueEmulator, at: EpochMs): EpochMs {
  // Leases of dead letters that are over end when somebody looks.
  for (const { name } of queue.model.list()) queue.model.stats(name, queue.clock.now());
  return Math.min(at, queue.model.nextDueAt() ?? at);
}

function openSenders(
  provider: ProviderEmulator,
  http: ReturnType<typeof createHttpClient>,
  clock: Clock,
  channels: readonly StandChannel[] = ['push', 'ask', 'blind', 'sick'],
): ReadonlyMap<string, Sender> {
  const secrets = { get: async () => 'provider-token' };
  return new Map(
    channels.map((name) => [
      name,
      createHttpSender(channelOf(name, provider.url), { http, secrets, clock }),
    ]),
  );
}

function channelOf(name: StandChannel, url: string): HttpChannel {
  const providerClass = PROFILES[name];
  return {
    ...{ provider: 'http', url: `${url}/send/${name}`, class: providerClass },
    ...{ sendTimeoutMs: 10_000, commitSeconds: 5, blindPolicy: 'park', secretRef: 'token' },
    ...(providerClass === 'dedupes' && { windowSeconds: 86_400 }),
    ...(providerClass === 'queryable' && {
      queryUrl: `${url}/messages/${name}?key={key}`,
      queryReceiptPath: 'items.0.id',
    }),
  };
}
