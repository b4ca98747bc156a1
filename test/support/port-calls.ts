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
  const wrapped = Object.entries(ports).map(([name, value]) => [name, wrap(name, value, carryOut)]);
  return Object.fromEntries(wrapped) as Ports;
}

/** Members of ports that answer at once. A new one must be listed here, or the proofs fail. */
const SYNCHRONOUS = new Set(['clock.now', 'random.fraction', 'random.token', 'senders.content']);

function wrap(name: string, value: unknown, carryOut: CarryOut): unknown {
  if (value instanceof Map) {
    return new Map([...value].map(([key, inner]) => [key, wrap(name, inner, carryOut)]));
  }
  return isPort(value) ? wrapPort(name, value, carryOut) : value;
}

function wrapPort(port: string, target: object, carryOut: CarryOut): object {
  return new Proxy(target, {
    get: (object, property) => {
      const member = Reflect.get(object, property, object) as unknown;
      if (typeof member !== 'function') return member;
      const method = String(property);
      if (SYNCHRONOUS.has(`${port}.${method}`)) return member.bind(object);
      return (...args: unknown[]) =>
        carryOut(port, method, args, () => {
          const answer = member.apply(object, args) as unknown;
          if (answer instanceof Promise) return answer;
          throw new Error(`${port}.${method} answers at once: list it as synchronous`);
        });
    },
  });
}

function isPort(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (let level: object | null = value; level !== null; level = Object.getPrototypeOf(level)) {
    if (level === Object.prototype) return false;
    const members = Object.values(Object.getOwnPropertyDescriptors(level));
    if (members.some(({ value: member }) => typeof member === 'function')) return true;
  }
  return false;
}
