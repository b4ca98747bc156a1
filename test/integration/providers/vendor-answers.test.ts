import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SendRequest } from '#ports';
import { plantAwsCredentials } from '#test/support/planted-aws-credentials.ts';
import { reply } from '#test/support/scripted-server.ts';
import { REMINDER, REQUEST } from '#test/support/sender-stand.ts';
import { type VendorServerSetup, vendor, vendorServer } from '#test/support/vendor-server.ts';
import { VENDOR_STANDS, type VendorStand } from '#test/support/vendor-stands.ts';

const cleanUps: (() => unknown)[] = [];
beforeEach(() => {
  cleanUps.push(plantAwsCredentials());
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function open(provider: VendorStand['provider'], setup: VendorServerSetup = {}) {
  const stand = await vendorServer(vendor(provider), setup);
  cleanUps.push(stand.close);
  return stand;
}

const send = (data: Readonly<Record<string, unknown>> = { plan: 'Pro' }): SendRequest => ({
  ...REQUEST,
  reminder: { ...REMINDER, data },
});

describe.each(VENDOR_STANDS)('field report 74, 75, 76: $provider echoes the request', (stand) => {
  test.each([200, 400, 401, 409, 429, 500])(
    '%i: nothing of it is in the result',
    async (status) => {
      const { sender } = await open(stand.provider, {
        provider: [
          (answer, seen) => {
            const text = JSON.stringify(seen);
            const error = {
              code: text,
              status: text,
              message: text,
              details: [{ errorCode: text }],
            };
            const body = {
              name: text,
              code: text,
              __type: text,
              Reason: text,
              error,
              errors: [text],
            };
            answer.writeHead(status, { 'content-type': 'application/json' });
            answer.end(JSON.stringify(stand.provider === 'fcm' ? { error } : body));
          },
        ],
      });
      const result = JSON.stringify(await sender.send(send()));
      expect(result).not.toMatch(/planted|ann@|1555000|device-token|Bearer|Basic|Key /);
    },
  );
});

describe('answers in words of their own', () => {
  test.each([
    [
      'a refusal under a 200',
      { ok: false, error: { code: 'SOMETHING' } },
      { kind: 'unknown', cause: 'NOT_OK' },
    ],
    [
      'no credit',
      { ok: false, error: { code: 'INSUFFICIENT_CREDIT' } },
      { kind: 'channel-stopped', code: 'HTTP_200_INSUFFICIENT_CREDIT' },
    ],
    [
      'the id under another name',
      { ok: true, data: { message_id: 'm_1' } },
      { kind: 'accepted', receipt: 'm_1' },
    ],
  ])('Infrai: %s', async (_what, answer, result) => {
    const { sender } = await open('infrai-email', { provider: [reply(200, answer)] });
    expect(await sender.send(send())).toEqual(result);
  });

  test('OneSignal: 200 with an empty id created nothing; 200 without one proves nothing', async () => {
    const { sender } = await open('onesignal', {
      provider: [reply(200, { id: '', errors: ['not subscribed'] }), reply(200, {})],
    });
    expect(await sender.send(send())).toEqual({ kind: 'rejected', code: 'NO_SUBSCRIBED_DEVICE' });
    expect(await sender.send(send())).toEqual({ kind: 'unknown', cause: 'NO_RECEIPT' });
  });

  test.each([
    [403, 'SENDER_ID_MISMATCH', { kind: 'rejected', code: 'HTTP_403_SENDER_ID_MISMATCH' }],
    [404, 'UNREGISTERED', { kind: 'rejected', code: 'HTTP_404_UNREGISTERED' }],
    [
      401,
      'THIRD_PARTY_AUTH_ERROR',
      { kind: 'channel-stopped', code: 'HTTP_401_THIRD_PARTY_AUTH_ERROR' },
    ],
    [503, 'UNAVAILABLE', { kind: 'unknown', cause: 'HTTP_503' }],
    [404, 'SOMETHING_NEW', { kind: 'channel-stopped', code: 'HTTP_404' }],
  ])('FCM: %i %s', async (status, errorCode, result) => {
    const error = { status: 'GENERAL', details: [{ '@type': 'other' }, { errorCode }] };
    const { sender } = await open('fcm', { provider: [reply(status, { error })] });
    expect(await sender.send(send())).toEqual(result);
  });

  test.each([
    [403, 21408, { kind: 'rejected', code: 'HTTP_403_21408' }],
    [400, 21610, { kind: 'rejected', code: 'HTTP_400_21610' }],
    [400, 21606, { kind: 'channel-stopped', code: 'HTTP_400_21606' }],
    [429, 21611, { kind: 'deferred', code: 'HTTP_429_21611', overload: true }],
    [400, 99999, { kind: 'rejected', code: 'HTTP_400' }],
  ])('Twilio: %i with code %i', async (status, code, result) => {
    const { sender } = await open('twilio', { provider: [reply(status, { code })] });
    expect(await sender.send(send())).toEqual(result);
  });

  test.each([
    [
      'ConflictException',
      'DESTINATION_PHONE_NUMBER_OPTED_OUT',
      { kind: 'rejected', code: 'HTTP_400_CONFLICTEXCEPTION' },
    ],
    [
      'ConflictException',
      'NUMBER_CAPABILITIES_MISMATCH',
      { kind: 'channel-stopped', code: 'HTTP_400_NUMBER_CAPABILITIES_MISMATCH' },
    ],
    ['InternalServerException', undefined, { kind: 'unknown', cause: 'HTTP_500' }],
  ])('AWS SMS: %s %s', async (type, Reason, result) => {
    const status = type === 'InternalServerException' ? 500 : 400;
    const { sender } = await open('aws-sms', {
      provider: [reply(status, { __type: `com.amazonaws#${type}`, Reason })],
    });
    expect(await sender.send(send())).toEqual(result);
  });

  test.each([
    [
      'AccountSuspendedException',
      { kind: 'channel-stopped', code: 'HTTP_400_ACCOUNTSUSPENDEDEXCEPTION' },
    ],
    [
      'MessageRejected:http://internal.amazon.com/',
      { kind: 'rejected', code: 'HTTP_400_MESSAGEREJECTED' },
    ],
    ['Unheard', { kind: 'rejected', code: 'HTTP_400' }],
  ])('SES: %s', async (name, result) => {
    const { sender } = await open('ses', {
      provider: [reply(400, {}, { 'x-amzn-errortype': name })],
    });
    expect(await sender.send(send())).toEqual(result);
  });
});
