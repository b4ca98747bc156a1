import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import {
  type ProviderEmulator,
  startProviderEmulator,
} from '#infra/local/provider-emulator/provider-emulator.ts';
import { failureOf } from '#test/support/infrai-client.ts';
import { ProviderClient } from '#test/support/provider-client.ts';

const START = Date.UTC(2026, 6, 26, 9);
const HOUR_MS = 3_600_000;
const clock = EmulatorClock.frozenAt(START);
let emulator: ProviderEmulator;

beforeAll(async () => {
  emulator = await startProviderEmulator({
    clock,
    profiles: {
      short: { providerClass: 'dedupes', windowMs: 15 * 60_000 },
      lagging: { providerClass: 'queryable', queryLagMs: 5_000 },
      vendor: {
        providerClass: 'dedupes',
        key: { body: 'meta.key' },
        receiptPath: 'data.message.id',
        acceptedStatus: 202,
        tokens: ['right'],
      },
      hook: { providerClass: 'blind', key: { header: 'X-Message-Key' }, tokens: 'none' },
    },
  });
});
afterAll(() => emulator.close());
beforeEach(() => {
  emulator.reset();
  clock.setNow(START);
});

const provider = new ProviderClient(() => emulator.url);

describe('a deduping provider', () => {
  it('accepts a key once and answers the repeat with the first receipt', async () => {
    const first = await provider.send('/send', 'k1');
    expect(first).toMatchObject({ status: 200, json: { id: expect.stringMatching(/^rcpt_/) } });
    const second = await provider.send('/send', 'k1');
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(emulator.effects.of('k1')).toBe(1);
  });

  it('refuses the same key with another body', async () => {
    await provider.send('/send', 'k1');
    expect((await provider.send('/send', 'k1', { n: 2 })).status).toBe(409);
    expect(emulator.effects.of('k1')).toBe(1);
  });

  it('forgets a key when its window is over', async () => {
    await provider.send('/send/short', 'k1');
    clock.advance(15 * 60_000 - 1);
    await provider.send('/send/short', 'k1');
    expect(emulator.effects.of('k1')).toBe(1);
    clock.advance(1);
    await provider.send('/send/short', 'k1', { n: 2 });
    expect(emulator.effects.of('k1')).toBe(2);
    expect(emulator.effects.duplicated()).toEqual(new Map([['k1', 2]]));
  });

  it('cannot dedupe what carries no key', async () => {
    await provider.send('/send', null);
    await provider.send('/send', null);
    expect(emulator.effects.total).toBe(2);
  });

  it('cannot be asked', async () => {
    const answer = await provider.call('/messages?key=k1', {
      headers: { authorization: 'Bearer any' },
    });
    expect(answer.status).toBe(404);
  });
});

describe('a queryable provider', () => {
  it('sends again for the same key, and says by key what it has', async () => {
    expect(await provider.items('/messages/queryable', 'k1')).toEqual([]);
    const first = await provider.send('/send/queryable', 'k1');
    await provider.send('/send/queryable', 'k1');
    expect(emulator.effects.of('k1')).toBe(2);
    expect(await provider.items('/messages/queryable', 'k1')).toEqual([
      { id: first.json?.['id'], key: 'k1', accepted_at: '2026-07-26T09:00:00.000Z' },
    ]);
  });

  it('may find a message only some time after it was accepted', async () => {
    await provider.send('/send/lagging', 'k1');
    clock.advance(4_999);
    expect(await provider.items('/messages/lagging', 'k1')).toEqual([]);
    clock.advance(1);
    expect(await provider.items('/messages/lagging', 'k1')).toHaveLength(1);
  });

  it('asks for authorisation on a question, too, and can fail on it', async () => {
    expect((await provider.call('/messages/queryable?key=k1')).status).toBe(401);
    emulator.faults
      .script('queryable.query', { kind: 'server-error', accepted: true, status: 502 })
      .script('queryable.query', { kind: 'reset', accepted: true })
      .script('queryable.query', { kind: 'defer', retryAfter: { seconds: 3 } });
    const ask = () =>
      provider.call('/messages/queryable?key=k1', { headers: { authorization: 'Bearer any' } });
    expect((await ask()).status).toBe(502);
    expect(await failureOf(ask())).not.toBe('answered');
    expect((await ask()).headers.get('retry-after')).toBe('3');
    expect((await ask()).json).toEqual({ items: [] });
    expect(emulator.effects.total).toBe(0);
  });
});

describe('a blind provider', () => {
  it('sends again whatever the key says, and cannot be asked', async () => {
    await provider.send('/send/blind', 'k1');
    await provider.send('/send/blind', 'k1');
    expect(emulator.effects.of('k1')).toBe(2);
    expect((await provider.call('/messages/blind?key=k1')).status).toBe(404);
  });
});

describe('profiles', () => {
  it('read the key from the body, answer under a path, with a status and a token of their own', async () => {
    const body = { meta: { key: 'k1' }, text: 'hello' };
    expect((await provider.send('/send/vendor', null, body)).status).toBe(401);
    const headers = { authorization: 'Bearer right', 'content-type': 'application/json' };
    const sent = await provider.send('/send/vendor', null, body, { headers });
    expect(sent).toMatchObject({
      status: 202,
      json: { data: { message: { id: expect.stringMatching(/^rcpt_/) } } },
    });
    expect(emulator.effects.of('k1')).toBe(1);
  });

  it('may ask for no authorisation, and name their key header', async () => {
    const headers = { 'content-type': 'application/json', 'x-message-key': 'k9' };
    expect((await provider.send('/send/hook', null, { n: 1 }, { headers })).status).toBe(200);
    expect(emulator.effects.of('k9')).toBe(1);
  });

  it('count effects of one key over all profiles', async () => {
    await provider.send('/send', 'k1');
    await provider.send('/send/blind', 'k1');
    expect(emulator.effects.of('k1')).toBe(2);
    expect(emulator.effects.records('k1').map((record) => record.profile)).toEqual([
      'default',
      'blind',
    ]);
  });

  it('refuse what is not JSON, has no token, is too large, or goes nowhere', async () => {
    const headers = { authorization: 'Bearer any' };
    expect((await provider.call('/send', { method: 'POST', headers, body: 'text' })).status).toBe(
      400,
    );
    expect((await provider.call('/send', { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await provider.send('/send', 'k', { text: 'x'.repeat(600 * 1024) })).status).toBe(413);
    expect((await provider.send('/send/nobody', 'k')).status).toBe(404);
    expect(emulator.effects.total).toBe(0);
  });
});

describe('the record of what happened', () => {
  it('keeps key, receipt, hash of the body and instant, in process and over HTTP', async () => {
    clock.advance(HOUR_MS);
    const sent = await provider.send('/send', 'k1');
    await provider.send('/send/blind', 'k2');
    await provider.send('/send/blind', 'k2');
    const [record] = emulator.effects.records('k1');
    expect(record).toEqual({
      key: 'k1',
      profile: 'default',
      receipt: sent.json?.['id'],
      bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      at: START + HOUR_MS,
    });
    expect((await provider.call('/_emulator/effects')).json).toMatchObject({
      total: 3,
      keys: 2,
      duplicated: { k2: 2 },
      counts: { k1: 1, k2: 2 },
      records: [record, { key: 'k2' }, { key: 'k2' }],
    });
  });

  it('shows the calls with their headers and bodies', async () => {
    emulator.faults.script('default', { kind: 'defer' });
    await provider.send('/send', 'k1', { n: 7 });
    expect(emulator.calls.list('default')).toMatchObject([
      {
        path: '/send',
        key: 'k1',
        text: '{"n":7}',
        headers: { 'idempotency-key': 'k1', authorization: 'Bearer any' },
        behaviour: 'defer',
      },
    ]);
  });
});

describe('the user directory', () => {
  it('knows everybody by a derived address, and whom it was told about', async () => {
    const mail = await provider.call('/directory/user%2F1');
    expect(mail.json?.['address']).toMatch(/^user-[0-9a-f]{12}@example\.test$/);
    expect((await provider.call('/directory/user%2F1')).json).toEqual(mail.json);
    const phone = await provider.call('/directory/u1?channel=sms');
    expect(phone.json?.['address']).toMatch(/^\+1555\d{7}$/);
    emulator.directory.set('u1', 'anna@example.test');
    emulator.directory.set('u2', null);
    expect((await provider.call('/directory/u1')).json).toEqual({ address: 'anna@example.test' });
    expect((await provider.call('/directory/u2')).status).toBe(404);
  });

  it('can be down', async () => {
    emulator.faults
      .script('directory', { kind: 'server-error', accepted: false, status: 503 })
      .script('directory', { kind: 'reset', accepted: false })
      .script('directory', { kind: 'defer', retryAfter: { seconds: 5 } });
    expect((await provider.call('/directory/u1')).status).toBe(503);
    expect(await failureOf(provider.call('/directory/u1'))).not.toBe('answered');
    expect(await provider.call('/directory/u1')).toMatchObject({ status: 429 });
    expect((await provider.call('/directory/u1')).status).toBe(200);
  });

  it('may know only the users it was given', async () => {
    await using small = await startProviderEmulator({ users: { u1: 'anna@example.test' } });
    expect((await fetch(`${small.url}/directory/u1`)).status).toBe(200);
    expect((await fetch(`${small.url}/directory/u2`)).status).toBe(404);
  });
});
