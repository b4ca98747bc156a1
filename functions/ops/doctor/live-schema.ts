import type { Capability, Discovery } from '#adapters/infrai/infrai-discovery.ts';
import type { InfraiDialect } from '#config/drain-config.ts';
import { type Check, check, type Seen } from './check.ts';
import { WHY } from './why.ts';

/** What the adapter sends to one capability: each field with its JSON type. */
type Sent = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
};

function sentByAdapter({ ackField, payloadField }: InfraiDialect): readonly Sent[] {
  const post = (id: string, path: string, fields: Sent['fields']): Sent => ({
    ...{ id, path, fields },
    method: 'POST',
  });
  const get = (id: string, path: string): Sent => ({ id, path, method: 'GET', fields: {} });
  return [
    post('queue.publish', '/v1/queue/publish', {
      queue: 'string',
      [payloadField]: 'object',
      delay_seconds: 'integer',
      idempotency_key: 'string',
    }),
    post('queue.consume', '/v1/queue/consume', {
      queue: 'string',
      max_messages: 'integer',
      visibility_timeout: 'integer',
    }),
    post('queue.ack', '/v1/queue/ack', { queue: 'string', [ackField]: 'string' }),
    get('queue.stats', '/v1/queue/stats/{queue}'),
    post('queue.dlq.redrive', '/v1/queue/dlq/redrive/{queue}', { message_id: 'string' }),
    get('account.balance', '/v1/account/balance'),
  ];
}

/** The live service's own description against what the adapter sends, and where it says it runs. */
export async function liveSchemaChecks(
  discovery: Discovery,
  dialect: InfraiDialect,
): Promise<readonly Check[]> {
  const regions = new Set<string>();
  const vendors = new Set<string>();
  const checks = await Promise.all(
    sentByAdapter(dialect).map(async (sent) => {
      const answer = await discovery.get(sent.id);
      if (answer.kind === 'capability') {
        for (const region of answer.capability.regions) regions.add(region);
        for (const vendor of answer.capability.vendorsReady) vendors.add(vendor);
      }
      return check(`discovery-${sent.id}`, WHY.discovery, compare(sent, answer));
    }),
  );
  const list = (names: ReadonlySet<string>) => [...names].sort().join(', ') || 'not said';
  const residency = check('residency', WHY.residency, {
    level: regions.size > 0 ? 'ok' : 'warn',
    what: `regions: ${list(regions)}; vendors ready: ${list(vendors)}`,
    mend:
      regions.size > 0 ? '' : 'ask Infrai where payloads are kept before personal data goes there',
  });
  return [...checks, residency];
}

function compare(sent: Sent, answer: Awaited<ReturnType<Discovery['get']>>): Seen {
  if (answer.kind === 'unknown-capability') {
    return {
      level: 'fail',
      what: `the live service knows no ${sent.id}`,
      mend: 'look for a newer release of this product; this one would be refused',
    };
  }
  if (answer.kind === 'failed') {
    return {
      level: 'warn',
      what: `discovery did not answer (${answer.code})`,
      mend: 'run doctor again in a minute',
    };
  }
  const faults = differences(sent, answer.capability);
  return faults.length === 0
    ? { level: 'ok', what: 'as the adapter sends it' }
    : {
        level: 'fail',
        what: faults.join('; '),
        mend: 'set "dialect" in infra/stages.ts to the live form, or look for a newer release',
      };
}

function differences(sent: Sent, { method, path, available, params }: Capability): string[] {
  const faults: string[] = [];
  if (available === false) faults.push('it is not available to this account');
  if (method !== undefined && method.toUpperCase() !== sent.method) {
    faults.push(`its method is ${method}, the adapter's ${sent.method}`);
  }
  if (path !== undefined && pathForm(path) !== pathForm(sent.path)) {
    faults.push(`its path is ${path}, the adapter's ${sent.path}`);
  }
  return [...faults, ...fieldFaults(sent, params)];
}

/** Parameters' own names do not matter. */
function pathForm(path: string): string {
  return path.replace(/\{[^}]*\}|:\w+/g, '{}');
}

function fieldFaults({ fields }: Sent, params: unknown): readonly string[] {
  const { properties, required } = (params ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
    readonly required?: unknown;
  };
  if (properties === undefined) return [];
  const faults: string[] = [];
  for (const [name, type] of Object.entries(fields)) {
    const live = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (live === undefined) faults.push(`it takes no field ${name}, which the adapter sends`);
    else if (typeof live.type === 'string' && !sameType(live.type, type)) {
      faults.push(`its ${name} is a ${live.type}, the adapter sends a ${type}`);
    }
  }
  for (const name of Array.isArray(required) ? required : []) {
    if (!Object.hasOwn(fields, String(name)) && !isPathField(name)) {
      faults.push(`it demands ${String(name)}, which the adapter does not send`);
    }
  }
  return faults;
}

function sameType(live: string, sent: string): boolean {
  return live === sent || (live === 'number' && sent === 'integer');
}

/** The queue's name stands in the path of some routes. */
function isPathField(name: unknown): boolean {
  return name === 'queue';
}
