import type { DeliveryDeps } from '#app/delivery-deps.ts';

/** A call of a port that answers with a promise: where a worker can end. */
export type PortCall = { readonly port: string; readonly method: string; readonly ordinal: number };

/** What happens at a call: it goes through, or the worker ends before or after it takes effect. */
export type Fate = 'goes-on' | 'ended-before' | 'ended-after';

/** Never settles: nothing after it is ever run. */
const NEVER = new Promise<never>(() => {});

/**
 * A worker's ports, each call of which may be its last. Derived from the port objects themselves:
 * whatever method of whatever port answers with a promise is a boundary, named or not. Once ended,
 * a worker has no effect any more, whatever it still had under way.
 */
export class EndableWorker {
  readonly calls: PortCall[] = [];
  readonly #fateOf: (call: PortCall) => Fate;
  #ended = false;
  readonly #end = Promise.withResolvers<void>();

  constructor(fateOf: (call: PortCall) => Fate) {
    this.#fateOf = fateOf;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves when the worker has ended; pending for ever when it never does. */
  get end(): Promise<void> {
    return this.#end.promise;
  }

  deps(deps: DeliveryDeps): DeliveryDeps {
    const wrapped = Object.entries(deps).map(([name, value]) => [name, this.#wrap(name, value)]);
    return Object.fromEntries(wrapped) as DeliveryDeps;
  }

  #wrap(name: string, value: unknown): unknown {
    if (value instanceof Map) {
      return new Map([...value].map(([key, inner]) => [key, this.#wrap(`${name}.${key}`, inner)]));
    }
    return isPort(value) ? this.#port(name, value) : value;
  }

  #port(port: string, target: object): object {
    return new Proxy(target, {
      get: (object, property) => {
        const member = Reflect.get(object, property, object) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          const invoke = () => member.apply(object, args) as unknown;
          return this.#call(port, String(property), invoke);
        };
      },
    });
  }

  /** A method is known to be asynchronous only by its answer, so that a fate is asked for lazily. */
  #call(port: string, method: string, invoke: () => unknown): unknown {
    if (SYNCHRONOUS.has(`${port.split('.')[0]}.${method}`)) return invoke();
    if (this.#ended) return NEVER;
    const call = { port, method, ordinal: this.calls.length };
    this.calls.push(call);
    const fate = this.#fateOf(call);
    if (fate === 'ended-before') return this.#die();
    const answer = invoke();
    if (!isPromise(answer)) throw new Error(`${port}.${method} is synchronous: list it as such`);
    if (fate === 'ended-after') return answer.then(() => this.#die());
    return answer.then((value) => (this.#ended ? NEVER : value));
  }

  #die(): Promise<never> {
    this.#ended = true;
    this.#end.resolve();
    return NEVER;
  }
}

/** Members of ports that answer at once. A new one must be listed here, or the proof fails. */
const SYNCHRONOUS = new Set(['clock.now', 'random.fraction', 'random.token', 'senders.content']);

function isPort(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (let level: object | null = value; level !== null; level = Object.getPrototypeOf(level)) {
    if (level === Object.prototype) return false;
    const members = Object.values(Object.getOwnPropertyDescriptors(level));
    if (members.some(({ value: member }) => typeof member === 'function')) return true;
  }
  return false;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise;
}
