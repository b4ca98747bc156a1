import type { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type {
  FunctionWorkerData,
  HostedAnswer,
  HostedCall,
  HostedRole,
} from './function-worker.ts';

export type Invoked =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/**
 * Redrive and stats in a thread of their own, their log lines apart from the screen. As in AWS,
 * nothing here keeps two runs of one function apart: that is the ledger's lease.
 */
export class FunctionHost {
  readonly invocations: Record<HostedRole, number> = { redrive: 0, stats: 0 };
  readonly durationMs: Record<HostedRole, number> = { redrive: 0, stats: 0 };
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: Invoked) => void>();
  #calls = 0;

  constructor(data: FunctionWorkerData, log: Writable) {
    this.#worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
      workerData: data,
      stdout: true,
      stderr: true,
    });
    this.#worker.stdout.pipe(log, { end: false });
    this.#worker.stderr.pipe(log, { end: false });
    this.#worker.on('message', ({ id, ...answer }: HostedAnswer) => {
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
    this.#worker.on('error', ({ name, message }: Error) => this.#endAll(name, message));
    this.#worker.on('exit', () => this.#endAll('STAGE_CLOSED', 'the stage is closing'));
  }

  async invoke(role: HostedRole, event: unknown): Promise<Invoked> {
    this.#calls += 1;
    const call: HostedCall = { id: this.#calls, role, event };
    const startedAt = performance.now();
    this.invocations[role] += 1;
    const answer = await new Promise<Invoked>((resolve) => {
      this.#waiting.set(call.id, resolve);
      this.#worker.postMessage(call);
    });
    this.durationMs[role] += performance.now() - startedAt;
    return answer;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #endAll(code: string, message: string): void {
    for (const resolve of this.#waiting.values()) resolve({ kind: 'failed', code, message });
    this.#waiting.clear();
  }
}
