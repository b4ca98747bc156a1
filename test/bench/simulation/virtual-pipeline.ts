import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { type AfterDelivery, drainQueue } from '#app/drain-queue.ts';
import type { ChannelsConfig } from '#config/channels.ts';
import { deliverySchema, deliverySettings } from '#config/delivery-config.ts';
import { type DrainConfig, drainSchema } from '#config/drain-config.ts';
import { finishMs, worstDeliveryMs } from '#config/nested-times.ts';
import { runBudget } from '#core/run-budget.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import type { Clock } from '#ports';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import type { Latencies } from '../backends/backends-process.ts';
import { VirtualLedger } from './virtual-ledger.ts';
import { VirtualProvider } from './virtual-provider.ts';
import { VirtualQueue } from './virtual-queue.ts';

export type PipelineRequest = {
  /** Reminders that are due and queued at the first tick. */
  readonly backlog: number;
  readonly latencies: Latencies;
  /** What differs from the product's defaults. */
  readonly drain: Partial<DrainConfig>;
  readonly tickSeconds: number;
  /** Consumers that may overlap. */
  readonly consumers: number;
  /** The provider's rate limit; null: none. */
  readonly providerPerSecond: number | null;
  readonly afterDelivery?: () => void;
};

export type PipelineFigures = {
  /** From the first tick to the last acceptance, virtual. */
  readonly drainSeconds: number;
  /** The same for nine tenths of the backlog: what was refused waits its backoff and a tick. */
  readonly mostSeconds: number;
  readonly accepted: number;
  readonly refused: number;
  readonly published: number;
  readonly ledgerWrites: number;
  readonly pulls: number;
  readonly runs: number;
  readonly droppedTicks: number;
  /** Consumers at work at once, at most. */
  readonly overlap: number;
};

const MOST = 0.9;
const FUNCTION_TIMEOUT_MS = 900_000;
const END_MARGIN_MS = 10_000;

/**
 * The product's drain, gates, plans and budgets, ticked as its schedule ticks them, in virtual
 * time: latencies pass without being waited for, everything else is the product's own code.
 */
export async function runPipeline(request: PipelineRequest): Promise<PipelineFigures> {
  const clock = new VirtualClock(Date.now());
  const startedAt = clock.now();
  const { latencies } = request;
  const queue = new VirtualQueue(clock, latencies.queueMs, request.backlog);
  const ledger = new VirtualLedger(clock, latencies.ledgerMs);
  const provider = new VirtualProvider(
    clock,
    latencies.providerMs,
    request.providerPerSecond,
    Math.ceil(request.backlog * MOST),
  );
  const drain = drainSchema.parse(request.drain);
  const deps = depsOf(clock, drain, { queue, ledger, provider });
  const counts = { runs: 0, droppedTicks: 0, overlap: 0 };
  await clock.run(tick(request, clock, counts, queue, () => consume(deps, drain, request, clock)));
  if (provider.accepted !== request.backlog) {
    throw new Error(`${provider.accepted} of ${request.backlog} reminders were accepted`);
  }
  return {
    ...counts,
    mostSeconds: (provider.milestoneAt - startedAt) / 1000,
    drainSeconds: (provider.lastAcceptedAt - startedAt) / 1000,
    accepted: provider.accepted,
    refused: provider.refused,
    published: queue.published,
    ledgerWrites: ledger.writes,
    pulls: queue.pulls,
  };
}

/** EventBridge Scheduler: one run a tick, dropped when every consumer is at work. */
async function tick(
  { tickSeconds, consumers }: PipelineRequest,
  clock: Clock,
  counts: { runs: number; droppedTicks: number; overlap: number },
  queue: VirtualQueue,
  consume: () => Promise<void>,
): Promise<void> {
  const atWork = new Set<Promise<void>>();
  while (queue.left > 0 || atWork.size > 0) {
    if (atWork.size >= consumers) counts.droppedTicks += 1;
    else {
      const run = consume();
      atWork.add(run);
      void run.finally(() => atWork.delete(run));
      counts.runs += 1;
      counts.overlap = Math.max(counts.overlap, atWork.size);
    }
    await clock.sleep(tickSeconds * 1000);
  }
}

async function consume(
  deps: DeliveryDeps,
  drain: DrainConfig,
  request: PipelineRequest,
  clock: Clock,
): Promise<void> {
  const budget = runBudget(clock.now(), drain.runBudgetSeconds, FUNCTION_TIMEOUT_MS, END_MARGIN_MS);
  const afterDelivery: AfterDelivery = () => {
    request.afterDelivery?.();
    return 'go-on';
  };
  await drainQueue(deps, drain, budget, afterDelivery);
}

function depsOf(
  clock: Clock,
  drain: DrainConfig,
  ports: {
    readonly queue: VirtualQueue;
    readonly ledger: VirtualLedger;
    readonly provider: VirtualProvider;
  },
): DeliveryDeps {
  const { profile } = ports.provider;
  const channels = { push: { sendTimeoutMs: profile.sendTimeoutMs } } as unknown as ChannelsConfig;
  const random = seededRandom(1);
  let tokens = 0;
  return {
    queue: ports.queue,
    ledger: ports.ledger,
    senders: new Map([['push', ports.provider]]),
    clock,
    random: {
      fraction: () => random.fraction(),
      token: () => {
        tokens += 1;
        return `token-${tokens}`;
      },
    },
    epochs: [
      { id: 'bench', secret: 'bench-only-secret-of-the-first-epoch', keyFields: [], from: null },
    ],
    defaultChannel: 'push',
    settings: deliverySettings(deliverySchema.parse({})),
    limits: {
      recordBudgetMs: drain.recordBudgetMs,
      finishMs: finishMs(drain),
      worstDeliveryMs: worstDeliveryMs(channels, drain),
    },
  };
}
