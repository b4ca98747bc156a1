/** How a call of a port is carried out; `invoke` makes it take effect. */
export type CarryOut = (
  port: string,
  method: string,
  args: readonly unknown[],
  invoke: () => Promise<unknown>,
) => Promise<unknown>;

/**
 * The same ports, every call of which goes through `carryOut`. Derived from the port objects
 * themselves: whatever method of whatever port answers with a promise is met, known by name or not.
 */
export function wrapPorts<Ports extends object>(ports: Ports, carryOut: CarryOut): Ports {
  const wrapped: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(ports)) wrapped[name] = wrap(name, value, carryOut);
  return wrapped as Ports;
}

/** Members of ports that answer at once. A new one must be listed here, or the proofs fail. */
const SYNCHRONOUS = new Set(['clock.now', 'random.fraction', 'random.token', 'senders.content']);

type Method = (...args: unknown[]) => unknown;
/** What stands before one port of one worker. */
type Stand = { readonly target: Readonly<Record<string, unknown>>; readonly carryOut: CarryOut };
type StandClass = new (target: object, carryOut: CarryOut) => object;

/**
 * Simulations wrap the same few ports for thousands of workers, so what stands before a port is a
 * class: looked up by the object, and made once for all ports of one name with the same members.
 * Null: the object has no method, and is no port.
 */
const byObject = new Map<string, WeakMap<object, StandClass | null>>();
const byMembers = new Map<string, StandClass | null>();

function wrap(name: string, value: unknown, carryOut: CarryOut): unknown {
  if (value instanceof Map) {
    return new Map(Array.from(value, ([key, inner]) => [key, wrap(name, inner, carryOut)]));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const Stand = standFor(name, value);
  return Stand === null ? value : new Stand(value, carryOut);
}

function standFor(port: string, target: object): StandClass | null {
  const known = byObject.get(port) ?? new WeakMap<object, StandClass | null>();
  byObject.set(port, known);
  const found = known.get(target);
  if (found !== undefined) return found;
  const members = membersOf(target);
  const key = [port, ...Array.from(members, ([name, isMethod]) => `${name} ${isMethod}`)].join();
  const made = byMembers.get(key);
  const stand = made === undefined ? makeStand(port, members) : made;
  byMembers.set(key, stand);
  known.set(target, stand);
  return stand;
}

function makeStand(port: string, members: ReadonlyMap<string, boolean>): StandClass | null {
  if (![...members.values()].includes(true)) return null;
  const Made = class implements Stand {
    readonly target: Stand['target'];
    readonly carryOut: CarryOut;

    constructor(target: object, carryOut: CarryOut) {
      this.target = target as Stand['target'];
      this.carryOut = carryOut;
    }
  };
  for (const [name, isMethod] of members) {
    const member = isMethod ? { value: methodOf(port, name) } : getterOf(name);
    Object.defineProperty(Made.prototype, name, member);
  }
  return Made;
}

function getterOf(name: string): PropertyDescriptor {
  return {
    get(this: Stand) {
      return this.target[name];
    },
  };
}

function methodOf(port: string, method: string): Method {
  if (SYNCHRONOUS.has(`${port}.${method}`)) {
    return function (this: Stand, ...args) {
      return (this.target[method] as Method)(...args);
    };
  }
  return function (this: Stand, ...args) {
    const { target, carryOut } = this;
    return carryOut(port, method, args, () => {
      const answer = (target[method] as Method)(...args);
      if (answer instanceof Promise) return answer;
      throw new Error(`${port}.${method} answers at once: list it as synchronous`);
    });
  };
}

/** Names of its own members and of its class's, whatever they are; true for a method. */
function membersOf(target: object): ReadonlyMap<string, boolean> {
  const members = new Map<string, boolean>();
  for (
    let level: object | null = target;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    for (const name of Object.getOwnPropertyNames(level)) {
      if (name === 'constructor' || members.has(name)) continue;
      members.set(name, typeof Reflect.get(target, name) === 'function');
    }
  }
  return members;
}
