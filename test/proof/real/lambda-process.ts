import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { LambdaAnswer, LambdaEvent } from './lambda-child.ts';

export type Invoked =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly code: string }
  /** The process ended during the invocation. */
  | { readonly kind: 'ended' };

export type LambdaProcessOptions = {
  /** `file:` URL of a module that exports `handler`. */
  readonly artefact: string;
  /** All of its environment: nothing is inherited, as nothing is on Lambda. */
  readonly env: Readonly<Record<string, string>>;
  /** Everything that it writes, as CloudWatch would get it. */
  readonly onOutput?: (text: string) => void;
};

const TIMEOUT_MS = 120_000;

/** One execution environment of a function, as a process that can be killed. */
export class LambdaProcess {
  readonly #child: ChildProcess;
  readonly #ended = Promise.withResolvers<void>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #waiting = new Map<number, (answer: Invoked) => void>();
  #alive = true;
  #invocations = 0;

  constructor({ artefact, env, onOutput = () => {} }: LambdaProcessOptions) {
    const module = new URL('./lambda-child.ts', import.meta.url);
    this.#child = fork(module, [artefact], {
      env: { ...env, AWS_LAMBDA_FUNCTION_NAME: 'proof', POWERTOOLS_DEV: 'false' },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', onOutput);
    this.#child.stderr?.setEncoding('utf8').on('data', onOutput);
    this.#child.on('message', (message: LambdaAnswer) => this.#answered(message));
    this.#child.on('exit', () => {
      this.#alive = false;
      for (const resolve of this.#waiting.values()) resolve({ kind: 'ended' });
      this.#waiting.clear();
      this.#ready.resolve();
      this.#ended.resolve();
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Resolves when it has loaded its module, or has ended without. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  async invoke(event: unknown = {}, timeoutMs = TIMEOUT_MS): Promise<Invoked> {
    await this.#ready.promise;
    if (!this.#alive) return { kind: 'ended' };
    this.#invocations += 1;
    const call: LambdaEvent = { id: this.#invocations, event, timeoutMs };
    return new Promise((resolve) => {
      this.#waiting.set(call.id, resolve);
      // A send to a process that was killed this very moment fails; its exit answers the call.
      this.#child.send(call, () => {});
    });
  }

  /** SIGKILL: nothing of it runs any more when this returns, and nothing was told before. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Ends it and waits until its output is read to the end. */
  async close(): Promise<void> {
    const closed = this.#child.exitCode === null && this.#child.signalCode === null;
    this.kill();
    if (closed) await once(this.#child, 'close');
  }

  #answered(message: LambdaAnswer): void {
    if (message.kind === 'ready') {
      this.#ready.resolve();
      return;
    }
    const { id, ...answer } = message;
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}
