import { isObject } from '#adapters/infrai/envelope.ts';
import type { InfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import type { QueueFailure } from '#ports';

/** One capability as the live service describes it; fields it leaves out are undefined. */
export type Capability = {
  readonly id: string;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly available: boolean | undefined;
  readonly idempotent: boolean | undefined;
  /** Where it runs, and whose service stands behind it; empty when the service does not say. */
  readonly regions: readonly string[];
  readonly vendorsReady: readonly string[];
  /** JSON Schema of the request, as sent. */
  readonly params: unknown;
};

export type CapabilityAnswer =
  | { readonly kind: 'capability'; readonly capability: Capability }
  /** The service does not know this capability. */
  | { readonly kind: 'unknown-capability' }
  | QueueFailure;

export type CapabilitiesAnswer =
  | { readonly kind: 'capabilities'; readonly capabilities: readonly Capability[] }
  | QueueFailure;

/**
 * The live service's description of itself, which a deployment is compared with before it trusts
 * what the contract page could only guess. Not enveloped; needs no key, so none is sent.
 */
export interface Discovery {
  list(): Promise<CapabilitiesAnswer>;
  get(id: string): Promise<CapabilityAnswer>;
}

export function createInfraiDiscovery(transport: InfraiTransport): Discovery {
  const ask = (path: string) =>
    transport.call({ method: 'GET', path, repeat: 'harmless', authorized: false });
  return {
    async list() {
      const answer = await ask('/v1/discovery');
      if (answer.kind === 'failed') return { kind: 'failed', code: answer.code };
      const entries = isObject(answer.data) ? answer.data['capabilities'] : answer.data;
      if (!Array.isArray(entries)) return { kind: 'failed', code: 'UNREADABLE_ANSWER' };
      const capabilities = entries.flatMap((entry) => readCapability(entry) ?? []);
      return { kind: 'capabilities', capabilities };
    },
    async get(id) {
      const answer = await ask(`/v1/discovery/${encodeURIComponent(id)}`);
      if (answer.kind === 'failed') {
        return answer.status === 404
          ? { kind: 'unknown-capability' }
          : { kind: 'failed', code: answer.code };
      }
      const capability = readCapability(answer.data);
      return capability === undefined
        ? { kind: 'failed', code: 'UNREADABLE_ANSWER' }
        : { kind: 'capability', capability };
    },
  };
}

function readCapability(entry: unknown): Capability | undefined {
  if (!isObject(entry) || typeof entry['id'] !== 'string') return undefined;
  const text = (name: string) => (typeof entry[name] === 'string' ? entry[name] : undefined);
  const flag = (name: string) => (typeof entry[name] === 'boolean' ? entry[name] : undefined);
  const texts = (name: string) => {
    const list = entry[name];
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  };
  return {
    id: entry['id'],
    method: text('method'),
    path: text('path'),
    available: flag('available'),
    idempotent: flag('idempotent'),
    regions: texts('regions'),
    vendorsReady: texts('vendors_ready'),
    params: entry['params'],
  };
}
