import { expect, test } from 'vitest';
import type { Capability, Discovery } from '#adapters/infrai/infrai-discovery.ts';
import { dialectSchema } from '#config/drain-config.ts';
import { liveSchemaChecks } from '#functions/ops/doctor/live-schema.ts';
import { CAPABILITIES, describeCapability } from '#infra/local/queue-emulator/capabilities.ts';

/** The service as the contract page describes it, one capability changed. */
function service(id: string, change: Partial<Capability> | 'unknown' | 'silent'): Discovery {
  return {
    list: async () => ({ kind: 'failed', code: 'NOT_PLAYED' }),
    async get(asked) {
      const found = CAPABILITIES.find((one) => one.id === asked);
      if (found === undefined) return { kind: 'unknown-capability' };
      const { vendors_ready, ...described } = describeCapability(found) as Record<string, never>;
      const capability = { ...described, vendorsReady: vendors_ready } as unknown as Capability;
      if (asked !== id) return { kind: 'capability', capability };
      if (change === 'unknown') return { kind: 'unknown-capability' };
      if (change === 'silent') return { kind: 'failed', code: 'HTTP_429' };
      return { kind: 'capability', capability: { ...capability, ...change } };
    },
  };
}

const DIALECT = dialectSchema.parse({});
const object = (properties: object, required: readonly string[] = []) => ({
  params: { type: 'object', properties, required },
});
const ACK = { queue: { type: 'string' }, message_id: { type: 'string' } };

async function ackOf(change: Partial<Capability> | 'unknown' | 'silent') {
  const checks = await liveSchemaChecks(service('queue.ack', change), DIALECT);
  return checks.find(({ name }) => name === 'discovery-queue.ack');
}

test('the service as described is what the adapter sends', async () => {
  const checks = await liveSchemaChecks(service('', {}), DIALECT);
  expect(checks.map(({ level }) => level)).toEqual(Array(7).fill('ok'));
  expect(checks.at(-1)).toMatchObject({
    name: 'residency',
    what: 'regions: local; vendors ready: emulator',
  });
});

test.each([
  ['unknown', 'fail', 'knows no queue.ack'],
  ['silent', 'warn', 'HTTP_429'],
  [{ available: false }, 'fail', 'not available'],
  [{ method: 'DELETE' }, 'fail', 'its method is DELETE'],
  [{ path: '/v2/queue/ack' }, 'fail', 'its path is /v2/queue/ack'],
  [object({ queue: ACK.queue, receipt_handle: {} }), 'fail', 'takes no field message_id'],
  [object({ ...ACK, message_id: { type: 'integer' } }), 'fail', 'message_id is a integer'],
  [object(ACK, ['queue', 'lease_id']), 'fail', 'demands lease_id'],
  [object(ACK, ['queue', 'message_id']), 'ok', 'as the adapter sends it'],
  [{ params: undefined }, 'ok', 'as the adapter sends it'],
] as const)('%j', async (change, level, what) => {
  expect(await ackOf(change as never)).toMatchObject({
    level,
    what: expect.stringContaining(what),
  });
});

test('a dialect that the service speaks is no difference', async () => {
  const discovery = service('queue.ack', object({ queue: ACK.queue, receipt_handle: {} }));
  const dialect = dialectSchema.parse({ ackField: 'receipt_handle' });
  const checks = await liveSchemaChecks(discovery, dialect);
  expect(checks.find(({ name }) => name === 'discovery-queue.ack')?.level).toBe('ok');
});
