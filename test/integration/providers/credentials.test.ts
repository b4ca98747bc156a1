import { createPublicKey } from 'node:crypto';
import { decodeProtectedHeader, importSPKI, jwtVerify } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import type { SendRequest } from '#ports';
import {
  plantAwsCredentials,
  withoutAwsCredentials,
} from '#test/support/planted-aws-credentials.ts';
import { reply, resetAfterReading } from '#test/support/scripted-server.ts';
import { REMINDER, REQUEST } from '#test/support/sender-stand.ts';
import { type VendorServerSetup, vendor, vendorServer } from '#test/support/vendor-server.ts';
import { SERVICE_ACCOUNT, type VendorStand } from '#test/support/vendor-stands.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function open(provider: VendorStand['provider'], setup: VendorServerSetup = {}) {
  const stand = await vendorServer(vendor(provider), setup);
  cleanUps.push(stand.close);
  return stand;
}

const SENT: SendRequest = { ...REQUEST, reminder: { ...REMINDER, data: { plan: 'Pro' } } };
const ACCOUNT_SID = `AC${'0a'.repeat(16)}`;

test.each([
  ['http', 'Bearer planted_key'],
  ['infrai-email', 'Bearer planted_key'],
  ['infrai-sms', 'Bearer planted_key'],
  ['resend', 'Bearer planted_key'],
  ['onesignal', 'Key planted_key'],
  ['twilio', `Basic ${btoa(`${ACCOUNT_SID}:planted_key`)}`],
  ['fcm', 'Bearer at_1'],
] as const)('%s is given its secret as %s', async (provider, header) => {
  const { sender, toProvider } = await open(provider);
  await sender.send(SENT);
  expect(toProvider[0]?.headers.authorization).toBe(header);
});

test('Twilio: an API key brings its own user', async () => {
  const { sender, toProvider } = await open('twilio', {
    secrets: { get: async () => 'SK1:s3cret' },
  });
  await sender.send(SENT);
  expect(toProvider[0]?.headers.authorization).toBe(`Basic ${btoa('SK1:s3cret')}`);
});

test.each(['ses', 'aws-sms'] as const)(
  '%s signs with the role of the function, and without one the channel stops',
  async (provider) => {
    cleanUps.push(plantAwsCredentials());
    const signed = await open(provider);
    expect(await signed.sender.send(SENT)).toMatchObject({ kind: 'accepted' });
    expect(signed.toProvider[0]?.headers.authorization).toMatch(/Credential=AKIDPLANTED\//);
    cleanUps.push(withoutAwsCredentials());
    const unsigned = await open(provider);
    expect(await unsigned.sender.send(SENT)).toEqual({
      kind: 'channel-stopped',
      code: 'AWS_CREDENTIALS_MISSING',
    });
    expect(unsigned.toProvider).toHaveLength(0);
  },
);

describe('access tokens of FCM', () => {
  const token = (value: string, expires_in = 3600) =>
    reply(200, { access_token: value, expires_in });

  test('the assertion is signed by the service account, for an hour', async () => {
    const { sender, toToken, url, clock } = await open('fcm');
    await sender.send(SENT);
    const form = new URLSearchParams(toToken[0]?.text);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const assertion = form.get('assertion') ?? '';
    const account = JSON.parse(SERVICE_ACCOUNT);
    const spki = createPublicKey(account.private_key).export({ type: 'spki', format: 'pem' });
    const { payload } = await jwtVerify(assertion, await importSPKI(String(spki), 'RS256'), {
      audience: `${url}/token`,
      issuer: account.client_email,
      currentDate: new Date(clock.now()),
    });
    expect(payload['scope']).toBe('https://www.googleapis.com/auth/firebase.messaging');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    expect(decodeProtectedHeader(assertion).kid).toBe('key-1');
  });

  test('one token serves until shortly before its end, and sends share one request', async () => {
    const { sender, toToken, toProvider, clock } = await open('fcm');
    await Promise.all([sender.send(SENT), sender.send(SENT), sender.send(SENT)]);
    await clock.sleep(3_299_000);
    await sender.send(SENT);
    expect(toToken).toHaveLength(1);
    await clock.sleep(1_000);
    await sender.send(SENT);
    expect(toToken).toHaveLength(2);
    expect(toProvider).toHaveLength(5);
  });

  test('a refused token is not used again', async () => {
    const { sender, toToken } = await open('fcm', {
      provider: [reply(401, {}), reply(200, { name: 'm' })],
    });
    expect(await sender.send(SENT)).toEqual({ kind: 'channel-stopped', code: 'HTTP_401' });
    expect(await sender.send(SENT)).toEqual({ kind: 'accepted', receipt: 'm' });
    expect(toToken).toHaveLength(2);
  });

  test('a rotated service account gets a token of its own', async () => {
    let account = SERVICE_ACCOUNT;
    const { sender, toToken } = await open('fcm', { secrets: { get: async () => account } });
    await sender.send(SENT);
    account = JSON.stringify({ ...JSON.parse(SERVICE_ACCOUNT), private_key_id: 'key-2' });
    await sender.send(SENT);
    expect(toToken).toHaveLength(2);
  });

  test.each([
    ['400', reply(400, {}), { kind: 'channel-stopped', code: 'ACCESS_TOKEN_HTTP_400' }],
    ['503', reply(503, {}), { kind: 'deferred', code: 'ACCESS_TOKEN_HTTP_503' }],
    ['a reset', resetAfterReading, { kind: 'deferred', code: 'ACCESS_TOKEN_RESET' }],
    ['no token', reply(200, {}), { kind: 'deferred', code: 'ACCESS_TOKEN_BAD_ANSWER' }],
    ['null', reply(200, 'null'), { kind: 'deferred', code: 'ACCESS_TOKEN_BAD_ANSWER' }],
    [
      'a token that no header can carry',
      token('a\nb'),
      { kind: 'channel-stopped', code: 'SECRET_UNUSABLE' },
    ],
  ])('the token endpoint answers %s: FCM is not called', async (_what, script, result) => {
    const { sender, toProvider } = await open('fcm', { token: script });
    expect(await sender.send(SENT)).toEqual(result);
    expect(toProvider).toHaveLength(0);
  });

  test.each(['planted-not-json', '{}', '{"client_email":"a","private_key":"planted"}'])(
    'a secret that is no service account stops the channel, unquoted: %s',
    async (secret) => {
      const { sender, toToken } = await open('fcm', { secrets: { get: async () => secret } });
      expect(await sender.send(SENT)).toEqual({
        kind: 'channel-stopped',
        code: 'SERVICE_ACCOUNT_UNUSABLE',
      });
      expect(toToken).toHaveLength(0);
    },
  );
});
