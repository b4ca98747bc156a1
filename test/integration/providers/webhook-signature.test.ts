import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { webhookSignature } from '#adapters/providers/webhook-signature.ts';
import { RemindOnceError } from '#core/errors.ts';
import type { SeenRequest } from '#test/support/scripted-server.ts';
import { REMINDER, REQUEST } from '#test/support/sender-stand.ts';
import { type VendorServerSetup, vendor, vendorServer } from '#test/support/vendor-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const SECRETS: Record<string, string> = {
  'env:NEW': 'whsec_bmV3LXNlY3JldC1vZi10aGUtaG9vaw==',
  'env:OLD': 'the old one, as plain text',
  'env:KEY': 'bearer',
};

async function webhook(signing: object, setup: VendorServerSetup = {}) {
  const stand = await vendorServer(vendor('http'), {
    secrets: { get: async (reference) => SECRETS[reference] ?? '' },
    ...setup,
    channel: { signing },
  });
  cleanUps.push(stand.close);
  return stand;
}

/** What a receiver does that holds one secret. */
function verifies(seen: SeenRequest | undefined, key: Buffer): boolean {
  const id = seen?.headers['webhook-id'];
  const timestamp = seen?.headers['webhook-timestamp'];
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${seen?.text}`);
  const given = String(seen?.headers['webhook-signature']).split(' ');
  return given.includes(`v1,${expected.digest('base64')}`);
}
const newKey = Buffer.from('new-secret-of-the-hook');
const oldKey = Buffer.from('the old one, as plain text');

test('agrees with the vector of the Standard Webhooks libraries', () => {
  const headers = webhookSignature(
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330_000,
    '{"test": 2432232314}',
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

describe('field report 80: rotation of a webhook secret', () => {
  test('in the overlap a receiver with either secret finds its signature', async () => {
    const { sender, toProvider } = await webhook({
      secretRef: 'env:NEW',
      previousSecretRef: 'env:OLD',
    });
    expect(await sender.send(REQUEST)).toMatchObject({ kind: 'accepted' });
    expect(verifies(toProvider[0], newKey)).toBe(true);
    expect(verifies(toProvider[0], oldKey)).toBe(true);
  });

  test('afterwards only the new one signs', async () => {
    const { sender, toProvider } = await webhook({ secretRef: 'env:NEW' });
    await sender.send(REQUEST);
    expect(verifies(toProvider[0], newKey)).toBe(true);
    expect(verifies(toProvider[0], oldKey)).toBe(false);
  });
});

test('id and body are those of every attempt, the timestamp is its own', async () => {
  const { sender, toProvider, clock } = await webhook({ secretRef: 'env:NEW' });
  await sender.send(REQUEST);
  await clock.sleep(60_000);
  await sender.send({ ...REQUEST, reminder: { ...REMINDER, attempt: 2 } });
  const [first, second] = toProvider;
  expect(first?.headers['webhook-id']).toBe(REQUEST.sendKey);
  expect(second?.headers['webhook-id']).toBe(REQUEST.sendKey);
  expect(second?.text).toBe(first?.text);
  const [t1, t2] = toProvider.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect((t2 ?? 0) - (t1 ?? 0)).toBe(60);
  expect(verifies(second, newKey)).toBe(true);
});

test.each([
  ['SECRET_MISSING', { kind: 'channel-stopped', code: 'SECRET_MISSING' }],
  ['SECRET_UNREADABLE', { kind: 'deferred', code: 'SECRET_UNAVAILABLE' }],
])('without its secret (%s) nothing goes out unsigned', async (code, result) => {
  const { sender, toProvider } = await webhook(
    { secretRef: 'env:GONE' },
    {
      secrets: {
        get: (reference) =>
          reference === 'env:GONE'
            ? Promise.reject(new RemindOnceError(code, 'x'))
            : Promise.resolve('bearer'),
      },
    },
  );
  expect(await sender.send(REQUEST)).toEqual(result);
  expect(toProvider).toHaveLength(0);
});
