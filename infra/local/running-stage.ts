import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { openTally, type Tally } from '#app/tally.ts';
import {
  LOCAL_CONNECTION_FORMAT,
  type LocalConnection,
  type LocalState,
} from '#config/local-connection.ts';
import { ConsumerPool } from './consumer-pool.ts';
import { FAULT_MIX, type FaultMixName } from './fault-mix.ts';
import { FunctionHost } from './function-host.ts';
import type { HostedRole } from './function-worker.ts';
import { addTally } from './run-figures.ts';
import { seededRandom } from './seeded-random.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';
import { type StageControl, startStageControl } from './stage-control.ts';

export type RunningStageOptions = StageOptions & {
  readonly faults: FaultMixName;
  /** Consumers that may overlap. */
  readonly consumers: number;
  readonly offsetMs: number;
  /** Wall time between two ticks of each schedule; null: that schedule is off. */
  readonly every: Readonly<Record<'consumer' | HostedRole, number | null>>;
  /** Where the connection file goes. */
  readonly connectionPath: string;
};

/** What a person sees while it runs. */
export type StageView = {
  consumed(tally: Tally): void;
  redriven(summary: string): void;
  judged(findings: readonly { readonly code: string; readonly severity: string }[]): void;
  problem(text: string): void;
};

const INVOCATION_TIMEOUT_MS = 90_000;

/** A local stage that keeps ticking its three functions until it is closed. */
export class RunningStage {
  readonly stage: Stage;
  readonly connection: LocalConnection;
  readonly #options: RunningStageOptions;
  readonly #view: StageView;
  readonly #pool: ConsumerPool;
  readonly #host: FunctionHost;
  readonly #control: StageControl;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #total = openTally();
  #closing: Promise<void> | undefined;

  static async open(options: RunningStageOptions, view: StageView): Promise<RunningStage> {
    const stage = await openStage(options);
    let running: RunningStage | undefined;
    const control = await startStageControl({
      state: () => running?.state(),
      invoke: (role, event) => running?.invoke(role, event),
    });
    running = new RunningStage(options, view, stage, control);
    await running.#start();
    return running;
  }

  private constructor(
    options: RunningStageOptions,
    view: StageView,
    stage: Stage,
    control: StageControl,
  ) {
    const { offsetMs, seed } = options;
    this.#options = options;
    this.#view = view;
    this.stage = stage;
    this.#control = control;
    const worker = { env: stage.env, offsetMs, timeoutMs: INVOCATION_TIMEOUT_MS };
    this.#pool = new ConsumerPool({
      size: options.consumers,
      worker,
      crashes: FAULT_MIX[options.faults].crashes,
      random: seededRandom(seed),
      log: stage.log,
      onRun: ({ tally }) => {
        addTally(this.#total, tally);
        if (tally.deliveries > 0) view.consumed(tally);
      },
      onFailure: (code, message) => view.problem(`the consumer failed: ${code}: ${message}`),
    });
    this.#host = new FunctionHost(worker, stage.log);
    this.connection = {
      format: LOCAL_CONNECTION_FORMAT,
      pid: process.pid,
      controlUrl: control.url,
      startedAt: Date.now(),
      offsetMs,
      env: stage.env,
    };
  }

  async invoke(role: HostedRole, event: unknown) {
    const answer = await this.#host.invoke(role, event);
    if (answer.kind === 'failed') {
      if (this.#closing === undefined) {
        this.#view.problem(`the ${role} function failed: ${answer.code}: ${answer.message}`);
      }
    } else if (role === 'stats') {
      this.#view.judged((answer.result as { findings: [] }).findings);
    } else {
      const { examined, summary } = answer.result as { examined: number; summary: string };
      if (examined > 0) this.#view.redriven(summary);
    }
    return answer;
  }

  state(): LocalState {
    const { every } = this.#options;
    const { deliveries, keysClaimed, takeOvers, receipts } = this.#total;
    const { duplicatesAbsorbed, published, submissions } = this.#total;
    return {
      startedAt: this.connection.startedAt,
      now: Date.now() + this.#options.offsetMs,
      schedules: {
        consumer: every.consumer !== null,
        redrive: every.redrive !== null,
        stats: every.stats !== null,
      },
      invocations: { consumer: this.#pool.invocations, ...this.#host.invocations },
      durationMs: { consumer: this.#pool.durationMs, ...this.#host.durationMs },
      figures: {
        ...{ deliveries, keysClaimed, takeOvers, receipts },
        ...{ duplicatesAbsorbed, published, submissions },
      },
    };
  }

  /** Ends the threads, the emulators and the engine, and takes the connection file away. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #start(): Promise<void> {
    const { every, faults, connectionPath } = this.#options;
    await this.#pool.warmUp();
    FAULT_MIX[faults].apply(this.stage.queue, this.stage.provider);
    mkdirSync(dirname(connectionPath), { recursive: true });
    writeFileSync(connectionPath, `${JSON.stringify(this.connection, null, 2)}\n`, { mode: 0o600 });
    this.#tick(every.consumer, () => this.#pool.tick());
    this.#tick(every.redrive, () => void this.invoke('redrive', {}));
    this.#tick(every.stats, () => void this.invoke('stats', {}));
  }

  #tick(everyMs: number | null, work: () => void): void {
    if (everyMs !== null) this.#timers.push(setInterval(work, everyMs));
  }

  async #end(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    rmSync(this.#options.connectionPath, { force: true });
    await Promise.all([this.#pool.close(), this.#host.close(), this.#control.close()]);
    await this.stage.close();
  }
}
