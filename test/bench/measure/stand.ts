import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  BackendFigures,
  BackendsMessage,
  BackendsReply,
  BackendUrls,
  Latencies,
} from '../backends/backends-process.ts';
import type { QueueLoad } from '../backends/queue-backend.ts';
import type { ContestantSettings } from '../contestants/contestant.ts';
import type {
  ContestantMessage,
  ContestantReply,
  DrainFigures,
} from '../contestants/contestant-process.ts';
import { bundle } from './bundle.ts';
import { type AskableChild, startChild } from './child-calls.ts';

export type ContestantName = 'product' | 'sequential' | 'idempotency' | 'bullmq';

export type DrainRequest = {
  readonly contestant: ContestantName;
  readonly concurrency: number;
  readonly reminders: number;
  readonly copies?: number;
  readonly latencies: Latencies;
};

export type StandOptions = {
  /** Node's own flags for the contestants; with any, their bundles stay readable for a profile. */
  readonly execArgv?: readonly string[];
  /** A DynamoDB engine instead of the lean table. */
  readonly tableUrl?: string;
};

export type MeasuredDrain = DrainFigures & BackendFigures & { readonly reminders: number };

type Backends = AskableChild<BackendsMessage, BackendsReply>;
type ContestantChild = AskableChild<ContestantMessage, ContestantReply>;

/**
 * One process of backends and one for each contestant, on one machine: the same code answers all
 * of them, and a contestant's CPU is its own.
 */
export class Stand {
  readonly #backends: Backends;
  readonly #contestants: ReadonlyMap<ContestantName, ContestantChild>;
  readonly #directory: string;
  #batches = 0;

  private constructor(
    backends: Backends,
    contestants: ReadonlyMap<ContestantName, ContestantChild>,
    directory: string,
  ) {
    this.#backends = backends;
    this.#contestants = contestants;
    this.#directory = directory;
  }

  /** Contestants that this machine cannot run are left out; `has` tells. */
  static async open(names: readonly ContestantName[], options: StandOptions = {}): Promise<Stand> {
    const directory = mkdtempSync(join(tmpdir(), 'remind-once-bench-'));
    const module = new URL('../backends/backends-process.ts', import.meta.url);
    const backends = await startChild<BackendsMessage, BackendsReply>(module, [], {});
    if (backends.greeting.kind !== 'listening') throw new Error('the backends did not start');
    const { urls } = backends.greeting;
    const table = options.tableUrl ?? urls.table;
    const children = new Map<ContestantName, ContestantChild>();
    for (const name of names) {
      if (name === 'bullmq' && urls.redisPort === null) continue;
      children.set(
        name,
        await startContestant(name, { ...urls, table }, directory, options.execArgv ?? []),
      );
    }
    return new Stand(backends, children, directory);
  }

  has(name: ContestantName): boolean {
    return this.#contestants.has(name);
  }

  /** One drain of fresh reminders; throws when not every reminder was sent and settled. */
  async drain(request: DrainRequest): Promise<MeasuredDrain> {
    const { contestant, concurrency, reminders, copies = 1, latencies } = request;
    const child = this.#contestants.get(contestant);
    if (child === undefined) throw new Error(`${contestant} is not on this stand`);
    this.#batches += 1;
    const load: QueueLoad = { reminders, copies, batch: `b${this.#batches}` };
    const withoutDelay = { queueMs: 0, ledgerMs: 0, providerMs: 0 };
    await this.#backends.ask({ kind: 'prepare', load, latencies: withoutDelay });
    checked(await child.ask({ kind: 'prepare', load }));
    await this.#backends.ask({ kind: 'prepare', load, latencies });
    const drained = checked(await child.ask({ kind: 'drain', concurrency, load }));
    const collected = await this.#backends.ask({ kind: 'collect' });
    if (drained.kind !== 'drained' || collected.kind !== 'figures') {
      throw new Error(`${contestant} answered ${drained.kind}`);
    }
    const { figures } = collected;
    assertWhole(request, figures);
    return { ...drained.figures, ...figures, reminders };
  }

  async close(): Promise<void> {
    for (const child of this.#contestants.values()) await child.close();
    await this.#backends.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

async function startContestant(
  name: ContestantName,
  urls: BackendUrls,
  directory: string,
  execArgv: readonly string[],
): Promise<ContestantChild> {
  const source = new URL(`../contestants/${name}.ts`, import.meta.url);
  let module = source.href;
  // BullMQ reads its scripts from its own folder, so it runs unbundled, as its users run it.
  if (name !== 'bullmq') {
    const outfile = join(directory, `${name}.mjs`);
    await bundle(`test/bench/contestants/${name}.ts`, outfile, execArgv.length === 0);
    module = new URL(`file://${outfile}`).href;
  }
  const settings: ContestantSettings = {
    queueUrl: urls.queue,
    providerUrl: urls.provider,
    redisPort: urls.redisPort,
  };
  const env = {
    AWS_ENDPOINT_URL_DYNAMODB: urls.table,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    // As in Lambda: the logger writes plain lines and the SDK asks nobody for credentials.
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
    POWERTOOLS_DEV: 'false',
  };
  const process = new URL('../contestants/contestant-process.ts', import.meta.url);
  return startChild(process, [module, JSON.stringify(settings)], env, execArgv);
}

function checked(reply: ContestantReply): ContestantReply {
  if (reply.kind === 'failed') throw new Error(`a contestant failed: ${reply.problem}`);
  return reply;
}

/** A drain that left something out would be a fast one. */
function assertWhole(request: DrainRequest, figures: BackendFigures): void {
  const { contestant, reminders, copies = 1 } = request;
  const { sends, uniqueSends, acked } = figures;
  const acksWanted = contestant === 'bullmq' ? 0 : reminders * copies;
  if (sends === reminders && uniqueSends === reminders && acked === acksWanted) return;
  throw new Error(
    `${contestant} made ${sends} sends of ${uniqueSends} keys and ${acked} acks; expected ${reminders} sends and ${acksWanted} acks`,
  );
}
