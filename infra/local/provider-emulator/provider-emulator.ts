import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Random } from '#ports';
import { EmulatorClock } from '../emulator-clock.ts';
import { type EmulatorServer, listen } from '../emulator-server.ts';
import { FaultPlan } from '../fault-plan.ts';
import { seededRandom } from '../seeded-random.ts';
import { directorySurface } from './directory-surface.ts';
import { EffectLedger } from './effect-ledger.ts';
import { type GenericProfile, genericSurface } from './generic-surface.ts';
import type { ProviderBehaviour } from './provider-behaviour.ts';
import { handleProviderControl } from './provider-control.ts';
import { type MountedSurface, ProviderHandler, queryRoute } from './provider-handler.ts';
import { ProviderModel } from './provider-model.ts';
import type { ProviderSurface } from './provider-surface.ts';
import { UserDirectory } from './user-directory.ts';

export type ProviderEmulatorOptions = {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Followed at an offset; the wall clock when absent. An `EmulatorClock` is used as it is. */
  readonly clock?: Clock;
  /** Of receipts and of behaviours by probability; `random` wins over `seed`. */
  readonly seed?: number;
  readonly random?: Random;
  /** Generic profiles by name, beside or instead of the standing ones. */
  readonly profiles?: Readonly<Record<string, GenericProfile>>;
  /** Vendor-shaped surfaces. */
  readonly surfaces?: readonly ProviderSurface[];
  /** The only users of the directory; everybody when absent. */
  readonly users?: Readonly<Record<string, string>>;
  /** False: effects are counted, records are not kept. */
  readonly keepRecords?: boolean;
};

/** `default` is what `POST /send` answers as. */
export const STANDING_PROFILES: Readonly<Record<string, GenericProfile>> = {
  default: { providerClass: 'dedupes' },
  dedupes: { providerClass: 'dedupes' },
  queryable: { providerClass: 'queryable' },
  blind: { providerClass: 'blind' },
};

export class ProviderEmulator {
  readonly clock: EmulatorClock;
  /** Routes: a surface's name (its sends), `<name>.query`, `directory`. */
  readonly faults: FaultPlan<string, ProviderBehaviour>;
  readonly directory: UserDirectory;
  readonly #options: ProviderEmulatorOptions;
  readonly #effects: EffectLedger;
  readonly #mounted: ReadonlyMap<string, MountedSurface>;
  readonly #handler: ProviderHandler;
  #closing = new AbortController();
  #server: EmulatorServer | undefined;
  #port = 0;
  #url = '';

  constructor(options: ProviderEmulatorOptions) {
    this.#options = options;
    const random = options.random ?? seededRandom(options.seed ?? 1);
    this.clock =
      options.clock instanceof EmulatorClock ? options.clock : new EmulatorClock(options.clock);
    this.faults = new FaultPlan(random);
    this.#effects = new EffectLedger(options.keepRecords ?? true);
    this.directory = new UserDirectory(options.users);
    const mount = (surface: ProviderSurface): [string, MountedSurface] => [
      surface.name,
      { surface, model: modelOf(surface, random, this.#effects) },
    ];
    this.#mounted = new Map([...surfacesOf(options), directorySurface(this.directory)].map(mount));
    this.#handler = new ProviderHandler({
      mounted: () => this.#mounted.values(),
      clock: this.clock,
      faults: this.faults,
    });
  }

  get url(): string {
    return this.#url;
  }

  get port(): number {
    return this.#port;
  }

  /** The last thousand calls of sends and look-ups. */
  get calls(): ProviderHandler['calls'] {
    return this.#handler.calls;
  }

  /** The model behind a surface or profile. */
  model(name = 'default'): ProviderModel {
    const mounted = this.#mounted.get(name);
    if (mounted === undefined) {
      throw new RangeError(`no provider ${name}; there are ${this.names.join(', ')}`);
    }
    return mounted.model;
  }

  /** Names of all surfaces and profiles. */
  get names(): readonly string[] {
    return [...this.#mounted.keys()];
  }

  /** Routes of the fault plan. */
  get routes(): readonly string[] {
    return [...this.#mounted.values()].flatMap(({ surface }) => routesOf(surface));
  }

  /** What users saw, over all surfaces; commits that are due by now are in it. */
  get effects(): EffectLedger {
    this.settle();
    return this.#effects;
  }

  /** Makes commits that are due by now effects; every access does it by itself. */
  settle(): void {
    for (const { model } of this.#mounted.values()) model.settle(this.clock.now());
  }

  /** Listens, after the first time on the same port again. */
  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    this.#closing = new AbortController();
    const wanted = this.#port === 0 ? (this.#options.port ?? 0) : this.#port;
    const handler = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
      this.#handle(request, response);
    this.#server = await listen(handler, wanted, this.#options.host ?? '127.0.0.1');
    this.#port = this.#server.port;
    this.#url = this.#server.url;
  }

  /** Stops listening and destroys the sockets; what was accepted stays accepted. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#closing.abort();
    await server?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async restart(state: 'kept' | 'dropped' = 'kept'): Promise<void> {
    await this.close();
    if (state === 'dropped') this.reset();
    await this.start();
  }

  /** Everything but the clock back to the start. */
  reset(): void {
    for (const { model } of this.#mounted.values()) model.reset();
    this.#effects.clear();
    this.faults.clear();
    this.directory.reset();
    this.calls.clear();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(`http://emulator.invalid${request.url ?? '/'}`);
    if (url.pathname.startsWith('/_emulator/')) {
      return handleProviderControl(this, request, response, url.pathname);
    }
    return this.#handler.handle(request, response, url, this.#closing.signal);
  }
}

/** A running emulator of notification providers and of a user directory. `close()` it. */
export async function startProviderEmulator(
  options: ProviderEmulatorOptions = {},
): Promise<ProviderEmulator> {
  const emulator = new ProviderEmulator(options);
  await emulator.start();
  return emulator;
}

function routesOf(surface: ProviderSurface): string[] {
  const routes = surface.operations.map((operation) =>
    operation.kind === 'send' ? surface.name : (operation.route ?? queryRoute(surface.name)),
  );
  return [...new Set(routes)];
}

function surfacesOf(options: ProviderEmulatorOptions): ProviderSurface[] {
  const profiles = Object.entries({ ...STANDING_PROFILES, ...options.profiles });
  const generic = profiles.map(([name, profile]) => genericSurface(name, profile));
  return [...generic, ...(options.surfaces ?? [])];
}

function modelOf(surface: ProviderSurface, random: Random, effects: EffectLedger): ProviderModel {
  return new ProviderModel({
    providerClass: surface.providerClass,
    profile: surface.name,
    random,
    effects,
    ...(surface.windowMs !== null && { windowMs: surface.windowMs }),
    ...(surface.queryLagMs !== undefined && { queryLagMs: surface.queryLagMs }),
    ...(surface.receiptPrefix !== undefined && { receiptPrefix: surface.receiptPrefix }),
  });
}
