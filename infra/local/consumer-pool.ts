import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { DrainResult } from '#app/drain-queue.ts';
import type { Random } from '#ports';
import type { ConsumerWorkerData, InvokedMessage, InvokeMessage } from './consumer-worker.ts';
import type { CrashPlan } from './fault-mix.ts';

export type ConsumerPoolOptions = {
  /** Consumers that may overlap: the reserved concurrency of the deployed function. */
  readonly size: number;
  readonly worker: ConsumerWorkerData;
  readonly crashes: CrashPlan;
  readonly random: Random;
  /** Where the consumers' log lines go. */
  readonly log: Writable;
  readonly onRun: (result: DrainResult) => void;
  readonly onFailure: (code: string, message: string) => void;
};

/**
 * The real consumer handler in worker threads, ticked as EventBridge Scheduler would: one
 * invocation a tick, dropped when every consumer is busy. A crash ends a thread without warning.
 */
export class ConsumerPool {
  readonly #options: ConsumerPoolOptions;
  readonly #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  #invocations = 0;
  crashes = 0;
  droppedTicks = 0;
  /** Wall time of all finished invocations. */
  durationMs = 0;

  constructor(options: ConsumerPoolOptions) {
    this.#options = options;
  }

  get invocations(): number {
    return this.#invocations;
  }

  get busy(): number {
    return this.#busy.size;
  }

  /** One tick of the schedule. */
  tick(): void {
    if (this.#busy.size >= this.#options.size) {
      this.droppedTicks += 1;
      return;
    }
    const worker = this.#idle.pop() ?? this.#start();
    this.#busy.add(worker);
    this.#invocations += 1;
    worker.postMessage({ requestId: `local-${this.#invocations}` } satisfies InvokeMessage);
  }

  /** Loads every consumer beforehand, so that the first ticks overlap as warm environments do. */
  async warmUp(): Promise<void> {
    const missing = this.#options.size - this.#idle.length - this.#busy.size;
    const started = Array.from({ length: Math.max(0, missing) }, () => this.#start());
    await Promise.all(started.map((worker) => once(worker, 'online')));
    this.#idle.push(...started);
  }

  async close(): Promise<void> {
    const workers = [...this.#idle, ...this.#busy];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const worker = new Worker(new URL('./consumer-worker.ts', import.meta.url), {
      workerData: this.#options.worker,
      stdout: true,
      stderr: true,
    });
    worker.stdout.pipe(this.#options.log, { end: false });
    worker.stderr.pipe(this.#options.log, { end: false });
    let startedAt = performance.now();
    worker.on('message', (message: InvokedMessage) => {
      if (message.kind === 'started') {
        startedAt = performance.now();
        return this.#mayCrash(worker);
      }
      this.durationMs += performance.now() - startedAt;
      this.#busy.delete(worker);
      this.#idle.push(worker);
      if (message.kind === 'done') this.#options.onRun(message.result);
      else this.#options.onFailure(message.code, message.message);
    });
    worker.on('error', (error: Error & { code?: string }) => {
      this.#busy.delete(worker);
      this.#options.onFailure(error.code ?? error.name, error.message);
    });
    return worker;
  }

  #mayCrash(worker: Worker): void {
    const { crashes, random } = this.#options;
    if (random.fraction() >= crashes.share) return;
    setTimeout(() => this.#crash(worker), random.fraction() * crashes.withinMs);
  }

  #crash(worker: Worker): void {
    if (!this.#busy.delete(worker)) return;
    this.crashes += 1;
    void worker.terminate();
  }
}
