import { setTimeout as pause } from 'node:timers/promises';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { openTally } from '#app/tally.ts';
import { loadConsumerConfig } from '#config/consumer-config.ts';
import type { SendKey } from '#core/brand.ts';
import { epochFor, type KeyEpoch } from '#core/key-epoch.ts';
import { parseReminder, type Reminder } from '#core/reminder.ts';
import { identify } from '#core/send-key.ts';
import { loadKeyEpochs } from '#wiring/load-key-epochs.ts';
import { openSecrets } from '#wiring/open-secrets.ts';
import { ConsumerPool } from './consumer-pool.ts';
import { endFaults, FAULT_MIX, type FaultMixName } from './fault-mix.ts';
import { LOCAL_DEFAULT_CHANNEL, LOCAL_QUEUE, LOCAL_TABLE } from './local-settings.ts';
import { publishReminders } from './publish-reminders.ts';
import { type QueueCounts, readCounts, waiting } from './queue-view.ts';
import type { ReminderFile } from './reminder-file.ts';
import { addTally, keysInQueue, type RunFigures, readLedger, verdictOf } from './run-figures.ts';
import { seededRandom } from './seeded-random.ts';
import { openStage, type StageOptions } from './stage.ts';
import { openStageWatch } from './stage-watch.ts';

export type LocalRunOptions = Omit<StageOptions, 'useBySeconds'> & {
  readonly input: ReminderFile;
  readonly duplicates: number;
  readonly faults: FaultMixName;
  /** Consumers that may overlap. */
  readonly consumers: number;
  readonly tickMs: number;
  /** The run gives up waiting for an empty queue after this. */
  readonly maxSeconds: number;
  /** Null: wide enough for every reminder of the input. */
  readonly useBySeconds: number | null;
};

/** What a person sees while it runs. */
export type LocalRunView = {
  phase(text: string): void;
  progress(done: number, total: number, counts: QueueCounts | undefined): void;
  problem(text: string): void;
};

const DAY_SECONDS = 86_400;
const INVOCATION_TIMEOUT_MS = 30_000;

/** The main job: publish, tick the real consumer until the queue is empty, count what came of it. */
export async function runLocally(
  options: LocalRunOptions,
  view: LocalRunView,
): Promise<RunFigures> {
  const startedAt = performance.now();
  const { input, seed } = options;
  const mix = FAULT_MIX[options.faults];
  const { offsetMs, spanSeconds } = timeOf(input, options.live !== null);
  const useBySeconds = options.useBySeconds ?? spanSeconds + DAY_SECONDS;
  const stage = await openStage({ ...options, useBySeconds });
  const watch = openStageWatch(stage, offsetMs);
  const random = seededRandom(seed);
  const total = openTally();
  const pool = new ConsumerPool({
    size: options.consumers,
    worker: { env: stage.env, offsetMs, timeoutMs: INVOCATION_TIMEOUT_MS },
    crashes: mix.crashes,
    random,
    log: stage.log,
    onRun: (result) => addTally(total, result.tally),
    onFailure: (code, message) => view.problem(`a consumer failed: ${code}: ${message}`),
  });
  try {
    const keyOf = await keyFunction(stage.env);
    const keys = new Set(input.reminders.map(({ reminder }) => keyOf(reminder)));
    const messages = input.reminders.length * (options.duplicates + 1);
    view.phase(`publishing ${messages} messages for ${keys.size} send keys`);
    let sent = 0;
    const publication = await publishReminders(
      stage.client,
      input.reminders,
      options.duplicates,
      `local-${seed}-${startedAt}`,
      () => {
        sent += 1;
        view.progress(sent, messages, undefined);
      },
    );
    for (const { line, code } of publication.failed) {
      view.problem(`line ${line} could not be published: ${code}`);
    }
    await pool.warmUp();
    await watch.look();
    mix.apply(stage.queue, stage.provider);
    view.phase(`consuming with ${options.consumers} overlapping consumers; ${mix.story}`);
    const counts = await tickUntilEmpty(options, pool, stage, keys.size, view);
    await pool.close();
    const findings = await watch.look();

    const documents = stage.dynamo.client();
    const ledger = new DynamoLedger({ documents, tableName: LOCAL_TABLE, callBudgetMs: 5000 });
    const { states, open } = await readLedger(ledger, keys);
    stage.provider.settle();
    const { effects } = stage.provider;
    const held =
      stage.queue === null
        ? null
        : keysInQueue(stage.queue, LOCAL_QUEUE, (payload) => keyOfPayload(payload, keyOf));
    const stillQueued = counts === undefined ? 0 : waiting(counts);
    const deadLettered = counts?.dead ?? 0;
    const unheld = [...open].filter((key) => held === null || !held.has(key));
    // A live queue cannot be looked into: there, only an empty one proves a loss.
    const lost = held !== null || stillQueued + deadLettered === 0 ? unheld.length : 0;
    return {
      reportVersion: 1,
      engine: stage.dynamo.engine,
      queue: stage.queue === null ? 'live' : 'emulator',
      faults: options.faults,
      providerClass: options.providerClass,
      seed,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      lines: input.lines,
      validReminders: input.reminders.length,
      invalidLines: input.bad,
      published: publication.published,
      deliveries: stage.queue?.model.counters.delivered ?? total.deliveries,
      uniqueKeys: keys.size,
      providerEffects: effects.total,
      keysWithEffect: effects.keyCount,
      keysWithTwoEffects: effects.duplicated().size,
      duplicatesAbsorbed: total.duplicatesAbsorbed,
      postponed: total.postponed,
      deadLettered,
      lost,
      stillQueued,
      crashedConsumers: pool.crashes,
      receipts: total.receipts,
      submissions: total.submissions,
      lateAcks: total.lateAcks,
      leftByReason: total.leftByReason,
      ledgerStates: states,
      findings,
      verdict: verdictOf(effects, lost, stillQueued),
    };
  } finally {
    await pool.close();
    watch.close();
    await stage.close();
  }
}

type OpenedStage = Awaited<ReturnType<typeof openStage>>;

async function tickUntilEmpty(
  options: LocalRunOptions,
  pool: ConsumerPool,
  stage: OpenedStage,
  keyCount: number,
  view: LocalRunView,
): Promise<QueueCounts | undefined> {
  const { endsAfterMs } = FAULT_MIX[options.faults];
  const startedAt = performance.now();
  let outage = endsAfterMs !== null;
  for (;;) {
    pool.tick();
    await pause(options.tickMs);
    const elapsedMs = performance.now() - startedAt;
    if (outage && elapsedMs >= (endsAfterMs ?? 0)) {
      outage = false;
      endFaults(stage.queue, stage.provider);
      view.phase('the outage is over');
    }
    const counts = await readCounts(stage.client);
    view.progress(stage.provider.effects.keyCount, keyCount, counts);
    const empty = counts !== undefined && waiting(counts) === 0 && pool.busy === 0;
    if (empty || elapsedMs > options.maxSeconds * 1000) return counts;
  }
}

/**
 * The stage's clock starts just after the newest instant of the input, so that nothing has to be
 * postponed for days. A live queue keeps the wall clock.
 */
function timeOf(
  input: ReminderFile,
  live: boolean,
): { readonly offsetMs: number; readonly spanSeconds: number } {
  const instants = input.reminders.map(({ reminder }) => reminder.scheduledAt.epochMs);
  const oldest = instants.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const newest = instants.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (instants.length === 0) return { offsetMs: 0, spanSeconds: 0 };
  const start = live ? Date.now() : newest + 1000;
  const spanSeconds = Math.max(0, Math.ceil((start - oldest) / 1000));
  return { offsetMs: start - Date.now(), spanSeconds };
}

async function keyFunction(
  env: Readonly<Record<string, string>>,
): Promise<(reminder: Reminder) => SendKey> {
  const { keyEpochs } = loadConsumerConfig(env);
  const epochs: readonly KeyEpoch[] = await loadKeyEpochs(keyEpochs, openSecrets(env));
  return (reminder) => identify(reminder, epochFor(reminder.scheduledAt, epochs)).sendKey;
}

function keyOfPayload(
  payload: unknown,
  keyOf: (reminder: Reminder) => SendKey,
): SendKey | undefined {
  const parsed = parseReminder(payload, LOCAL_DEFAULT_CHANNEL);
  return parsed.ok ? keyOf(parsed.reminder) : undefined;
}
