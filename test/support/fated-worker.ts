import type { DeliveryDeps } from '#app/delivery-deps.ts';
import { wrapPorts } from '#test/support/port-calls.ts';

/** A call of a port that answers with a promise: where something can happen to a worker. */
export type PortCall = {
  readonly port: string;
  readonly method: string;
  readonly ordinal: number;
  readonly args: readonly unknown[];
};

/** What becomes of a call. */
export type Fate =
  | 'goes-on'
  /** The worker ends before the call takes effect, or after, and does nothing any more. */
  | 'ended-before'
  | 'ended-after'
  /** The call takes effect and its answer is lost; or it takes none and fails. */
  | 'answer-lost'
  | 'not-applied'
  /** The worker is frozen just before or just after the call takes effect, and wakes up later. */
  | { readonly frozen: 'before' | 'after'; readonly forMs: number };

export type Seen = (call: PortCall, fate: Fate, answer: unknown) => void;

/** Never settles: nothing after it is ever run. Made anew, or it would hold all who wait for it. */
function never(): Promise<never> {
  return new Promise(() => {});
}

/**
 * A worker's ports, with a fate for each call. Derived from the port objects themselves: whatever
 * method of whatever port answers with a promise is a boundary, known by name or not. Once ended,
 * a worker has no effect any more, whatever it still had under way.
 */
export class FatedWorker {
  readonly calls: PortCall[] = [];
  readonly #fateOf: (call: PortCall) => Fate;
  readonly #seen: Seen | null;
  /** An answer reaches only who has not ended while it was under way. */
  readonly #comesBack = (answer: unknown) => (this.#ended ? never() : answer);
  readonly #end = Promise.withResolvers<void>();
  #ended = false;
  #sleep: (ms: number) => Promise<void> = never;

  /** @param seen called with each call that took effect and what it answered, lost or not */
  constructor(fateOf: (call: PortCall) => Fate, seen: Seen | null = null) {
    this.#fateOf = fateOf;
    this.#seen = seen;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves when the worker has ended; pending for ever when it never does. */
  get end(): Promise<void> {
    return this.#end.promise;
  }

  deps(deps: DeliveryDeps): DeliveryDeps {
    this.#sleep = (ms) => deps.clock.sleep(ms);
    return wrapPorts(deps, (...call) => this.#call(...call));
  }

  #call(
    port: string,
    method: string,
    args: readonly unknown[],
    invoke: () => Promise<unknown>,
  ): Promise<unknown> {
    if (this.#ended) return never();
    const call = { port, method, ordinal: this.calls.length, args };
    this.calls.push(call);
    const fate = this.#fateOf(call);
    if (fate === 'goes-on' && this.#seen === null) return invoke().then(this.#comesBack);
    return this.#meet(call, fate, invoke);
  }

  async #meet(call: PortCall, fate: Fate, invoke: () => Promise<unknown>): Promise<unknown> {
    if (fate === 'ended-before') return this.#die();
    if (fate === 'not-applied') return failureOf(call);
    if (typeof fate === 'object' && fate.frozen === 'before') await this.#sleep(fate.forMs);
    if (this.#ended) return never();
    const answer = await invoke();
    this.#seen?.(call, fate, answer);
    if (fate === 'ended-after') return this.#die();
    if (typeof fate === 'object' && fate.frozen === 'after') await this.#sleep(fate.forMs);
    if (this.#ended) return never();
    return fate === 'answer-lost' ? failureOf(call) : answer;
  }

  #die(): Promise<never> {
    this.#ended = true;
    this.#end.resolve();
    return never();
  }
}

/** What an adapter makes of a call of which it has no answer. */
function failureOf({ port, method }: PortCall): unknown {
  if (port === 'clock') return undefined;
  if (method === 'send') return { kind: 'unknown', cause: 'CONNECTION_LOST' };
  if (method === 'query') return { kind: 'cannot-tell', cause: 'CONNECTION_LOST' };
  return { kind: 'failed', code: 'CONNECTION_LOST' };
}
