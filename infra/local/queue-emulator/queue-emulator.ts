import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Random } from '#ports';
import { EmulatorClock } from '../emulator-clock.ts';
import { type EmulatorServer, listen } from '../emulator-server.ts';
import { FaultPlan } from '../fault-plan.ts';
import { seededRandom } from '../seeded-random.ts';
import type { AnswerStyle } from './answer-style.ts';
import type { QueueBehaviour } from './queue-contract.ts';
import { handleControl } from './queue-control.ts';
import type { QueueFault, QueueRoute } from './queue-faults.ts';
import { QueueModel } from './queue-model.ts';
import { QueueSurface } from './queue-surface.ts';

export type QueueEmulatorOptions = {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Accepted bearer keys; any non-empty one when absent. */
  readonly apiKeys?: readonly string[];
  /** Followed at an offset; the wall clock when absent. An `EmulatorClock` is used as it is. */
  readonly clock?: Clock;
  /** Of ids and of faults by probability; `random` wins over `seed`. */
  readonly seed?: number;
  readonly random?: Random;
  readonly behaviour?: Partial<QueueBehaviour>;
  readonly style?: Partial<AnswerStyle>;
  readonly balanceUsd?: number;
  /** Queues that exist from the start, each with its `<queue>.dlq`. */
  readonly queues?: readonly string[];
  /** A model that is kept, of an emulator that was closed; the options of the model are ignored. */
  readonly model?: QueueModel;
};

export type QueueFaultPlan = FaultPlan<QueueRoute, QueueFault>;

export class QueueEmulator {
  readonly model: QueueModel;
  readonly clock: EmulatorClock;
  readonly faults: QueueFaultPlan;
  readonly surface: QueueSurface;
  readonly #options: QueueEmulatorOptions;
  #server: EmulatorServer | undefined;
  #port = 0;
  #url = '';

  constructor(options: QueueEmulatorOptions) {
    this.#options = options;
    const random = options.random ?? seededRandom(options.seed ?? 1);
    this.model =
      options.model ??
      new QueueModel({
        random,
        ...(options.behaviour && { behaviour: options.behaviour }),
        ...(options.queues && { queues: options.queues }),
        ...(options.balanceUsd !== undefined && { balanceUsd: options.balanceUsd }),
      });
    this.clock =
      options.clock instanceof EmulatorClock ? options.clock : new EmulatorClock(options.clock);
    this.faults = new FaultPlan(random);
    this.surface = new QueueSurface({
      model: this.model,
      clock: this.clock,
      faults: this.faults,
      random,
      apiKeys: options.apiKeys,
    });
    this.#applyStyle();
  }

  get url(): string {
    return this.#url;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, after the first time on the same port again. */
  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const wanted = this.#port === 0 ? (this.#options.port ?? 0) : this.#port;
    const handler = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
      this.#handle(request, response);
    this.#server = await listen(handler, wanted, this.#options.host ?? '127.0.0.1');
    this.#port = this.#server.port;
    this.#url = this.#server.url;
  }

  /** Stops listening and destroys the sockets. The state stays with `model`. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Down and up again on the same port. */
  async restart(state: 'kept' | 'dropped' = 'kept'): Promise<void> {
    await this.close();
    if (state === 'dropped') this.reset();
    await this.start();
  }

  /** Everything but the clock back to the start. */
  reset(): void {
    this.model.reset();
    this.faults.clear();
    this.surface.reset();
    this.#applyStyle();
  }

  #applyStyle(): void {
    this.surface.style = { ...this.surface.style, ...this.#options.style };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (path.startsWith('/_emulator/')) return handleControl(this, request, response, path);
    return this.surface.handle(request, response, path);
  }
}

/** A running emulator of the Infrai queue. `close()` it. */
export async function startQueueEmulator(
  options: QueueEmulatorOptions = {},
): Promise<QueueEmulator> {
  const emulator = new QueueEmulator(options);
  await emulator.start();
  return emulator;
}
