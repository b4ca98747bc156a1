import { afterEach, describe, expect, test } from 'vitest';
import { RemindOnceError } from '#core/errors.ts';
import type { SendRequest } from '#ports';
import { hang, reply, resetAfterReading, type Script } from '#test/support/scripted-server.ts';
import { REMINDER, REQUEST } from '#test/support/sender-stand.ts';
import { type VendorServerSetup, vendor, vendorServer } from '#test/support/vendor-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function resend(setup: VendorServerSetup = {}) {
  const stand = await vendorServer(vendor('resend'), setup);
  cleanUps.push(stand.close);
  return stand;
}

const send = (change: Partial<SendRequest['reminder']> = {}): SendRequest => ({
  ...REQUEST,
  reminder: { ...REMINDER, data: { plan: 'Pro' }, ...change },
});
const fromDirectory =
  (more: object = {}) =>
  (url: string) => ({
    recipient: { from: 'directory', url: `${url}/directory/{user_id}`, ...more },
  });

describe('a directory', () => {
  test('is asked for the user, URL-encoded, and its address is who gets the mail', async () => {
    const { sender, toDirectory, toProvider } = await resend();
    await sender.send(send({ userId: 'a/b?c=1&d#e ü' }));
    expect(toDirectory[0]?.path).toBe('/directory/a%2Fb%3Fc%3D1%26d%23e%20%C3%BC?channel=email');
    expect(JSON.parse(toProvider[0]?.text ?? '')).toMatchObject({ to: ['ann@example.com'] });
  });

  test.each<[string, Script, unknown]>([
    ['404', reply(404, {}), { kind: 'rejected', code: 'NO_ADDRESS' }],
    ['410', reply(410, {}), { kind: 'rejected', code: 'NO_ADDRESS' }],
    ['no address', reply(200, {}), { kind: 'rejected', code: 'NO_ADDRESS' }],
    ['a null address', reply(200, { address: null }), { kind: 'rejected', code: 'NO_ADDRESS' }],
    ['a blank address', reply(200, { address: ' ' }), { kind: 'rejected', code: 'NO_ADDRESS' }],
    [
      'two addresses in one',
      reply(200, { address: 'a@example.com, b@example.com' }),
      { kind: 'rejected', code: 'ADDRESS_INVALID' },
    ],
    [
      'an address with a line of its own',
      reply(200, { address: 'a@example.com\r\nBcc: b@example.com' }),
      { kind: 'rejected', code: 'ADDRESS_INVALID' },
    ],
    ['401', reply(401, {}), { kind: 'channel-stopped', code: 'DIRECTORY_HTTP_401' }],
    [
      '503 with a wait',
      reply(503, {}, { 'retry-after': '40' }),
      {
        kind: 'deferred',
        code: 'DIRECTORY_HTTP_503',
        retryAfterSeconds: 40,
        overload: true,
      },
    ],
    ['302', reply(302, {}), { kind: 'deferred', code: 'DIRECTORY_HTTP_302' }],
    ['a page', reply(200, '<html>'), { kind: 'deferred', code: 'DIRECTORY_BAD_ANSWER' }],
    ['a reset', resetAfterReading, { kind: 'deferred', code: 'DIRECTORY_RESET', overload: true }],
  ])('%s: the provider is not called', async (_what, directory, result) => {
    const { sender, toProvider } = await resend({ directory });
    expect(await sender.send(send())).toEqual(result);
    expect(toProvider).toHaveLength(0);
  });

  test('one that hangs defers: nothing was sent', async () => {
    const { sender, toProvider } = await resend({
      directory: hang,
      channelOf: fromDirectory({ timeoutMs: 100 }),
    });
    expect(await sender.send(send())).toEqual({
      kind: 'deferred',
      code: 'DIRECTORY_TIMEOUT',
      overload: true,
    });
    expect(toProvider).toHaveLength(0);
  });

  test('a path leads to the address, and its own secret goes with the question only', async () => {
    const { sender, toDirectory, toProvider } = await resend({
      directory: reply(200, { user: { mail: 'deep@example.com' } }),
      channelOf: fromDirectory({ path: 'user.mail', secretRef: 'env:DIRECTORY_KEY' }),
      secrets: { get: async (reference) => `secret of ${reference.slice(4)}` },
    });
    await sender.send(send());
    expect(toDirectory[0]?.headers.authorization).toBe('Bearer secret of DIRECTORY_KEY');
    expect(toProvider[0]?.headers.authorization).toBe('Bearer secret of KEY');
    expect(toProvider[0]?.text).toContain('"to":["deep@example.com"]');
  });

  test('a missing secret of the directory stops the channel', async () => {
    const { sender, toDirectory } = await resend({
      channelOf: fromDirectory({ secretRef: 'env:DIRECTORY_KEY' }),
      secrets: { get: () => Promise.reject(new RemindOnceError('SECRET_MISSING', 'x')) },
    });
    expect(await sender.send(send())).toEqual({
      kind: 'channel-stopped',
      code: 'DIRECTORY_SECRET_MISSING',
    });
    expect(toDirectory).toHaveLength(0);
  });

  test.each(['.', '..'])('the user id %s cannot lead to another path', async (userId) => {
    const { sender, toDirectory } = await resend();
    expect(await sender.send(send({ userId }))).toEqual({
      kind: 'rejected',
      code: 'USER_ID_NOT_ADDRESSABLE',
    });
    expect(toDirectory).toHaveLength(0);
  });
});

describe('the payload', () => {
  const payload = { channel: { recipient: { from: 'payload', path: 'contact.mail' } } };

  test('gives the address, which is no part of the content', async () => {
    const { sender, toProvider } = await resend(payload);
    const at = (mail: string) => send({ data: { plan: 'Pro', contact: { mail } } });
    await sender.send(at('ann@example.com'));
    expect(toProvider[0]?.text).toContain('"to":["ann@example.com"]');
    expect(sender.content(at('ann@example.com').reminder)).toBe(
      sender.content(at('moved@example.com').reminder),
    );
    expect(sender.content(at('ann@example.com').reminder)).not.toContain('ann@');
  });

  test('without one: rejected, and nobody is called', async () => {
    const { sender, toProvider } = await resend(payload);
    expect(await sender.send(send())).toEqual({ kind: 'rejected', code: 'NO_ADDRESS' });
    expect(toProvider).toHaveLength(0);
  });
});

test.each([
  ['aws-sms', '0049 170 1', 'ADDRESS_INVALID'],
  ['infrai-sms', '+49170', 'ADDRESS_INVALID'],
  ['twilio', '+15550002222,+15550003333', 'ADDRESS_INVALID'],
  ['ses', 'Ann <ann@example.com>', 'ADDRESS_INVALID'],
  ['fcm', 'a token', 'ADDRESS_INVALID'],
] as const)('%s takes no address like %s', async (provider, address, code) => {
  const stand = await vendorServer(vendor(provider), { directory: reply(200, { address }) });
  cleanUps.push(stand.close);
  expect(await stand.sender.send(send())).toEqual({ kind: 'rejected', code });
  expect(stand.toProvider).toHaveLength(0);
});
