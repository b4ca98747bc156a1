import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineReady } from './engine-child.ts';

/** The ledger's engine as a process of its own; a restart keeps port and data. */
export class EngineProcess {
  readonly #path: string;
  #child: ChildProcess;
  #endpoint = '';

  private constructor(path: string) {
    this.#path = path;
    this.#child = start(path, '0');
  }

  static async start(): Promise<EngineProcess> {
    const engine = new EngineProcess(mkdtempSync(join(tmpdir(), 'remind-once-engine-')));
    await engine.#untilReady();
    return engine;
  }

  get endpoint(): string {
    return this.#endpoint;
  }

  /** SIGKILL in the middle of whatever it does, then the same data on the same port. */
  async restart(): Promise<void> {
    await this.#kill();
    this.#child = start(this.#path, new URL(this.#endpoint).port);
    await this.#untilReady();
  }

  async close(): Promise<void> {
    await this.#kill();
    rmSync(this.#path, { recursive: true, force: true });
  }

  async #untilReady(): Promise<void> {
    const [ready] = (await once(this.#child, 'message')) as [EngineReady];
    this.#endpoint = ready.endpoint;
  }

  async #kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

function start(path: string, port: string): ChildProcess {
  const module = new URL('./engine-child.ts', import.meta.url);
  return fork(module, [path, port], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
