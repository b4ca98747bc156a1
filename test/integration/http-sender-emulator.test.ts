import { afterEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { createHttpSender, type HttpChannel } from '#adapters/providers/http-sender.ts';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import { startProviderEmulator } from '#infra/local/provider-emulator/provider-emulator.ts';
import { REMINDER, REQUEST } from '#test/support/sender-stand.ts';

const START = Date.UTC(2026, 6, 26, 9);
const CLASSES = ['dedupes', 'queryable', 'blind'] as const;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function stage(providerClass: (typeof CLASSES)[number], more: Partial<HttpChannel> = {}) {
  const clock = EmulatorClock.frozenAt(START);
  const emulator = await startProviderEmulator({ clock });
  const http = createHttpClient({ maxSockets: 5 });
  cleanUps.push(
    () => http.close(),
    () => emulator.close(),
  );
  const sender = createHttpSender(
    {
      provider: 'http',
      url: `${emulator.url}/send/${providerClass}`,
      class: providerClass,
      windowSeconds: 86_400,
      queryUrl: `${emulator.url}/messages/${providerClass}?key={key}`,
      queryReceiptPath: 'items.0.id',
      secretRef: 'env:PUSH_KEY',
      sendTimeoutMs: 300,
      commitSeconds: 5,
      blindPolicy: 'park',
      ...more,
    },
    { http, clock, secrets: { get: async () => 'push-key' } },
  );
  const effects = () => emulator.effects.of(REQUEST.sendKey);
  const meet = (behaviour: ProviderBehaviour) => emulator.faults.script(providerClass, behaviour);
  return { sender, clock, effects, meet, emulator };
}

describe.each(CLASSES)('a provider that %s', (providerClass) => {
  test('accepts once, with a receipt', async () => {
    const { sender, effects } = await stage(providerClass);
    expect(await sender.send(REQUEST)).toMatchObject({ kind: 'accepted' });
    expect(effects()).toBe(1);
  });

  test.each<[ProviderBehaviour, unknown]>([
    [{ kind: 'defer' }, { kind: 'deferred', code: 'HTTP_429', overload: true }],
    [
      { kind: 'defer', retryAfter: { dateInSeconds: 90 } },
      { kind: 'deferred', code: 'HTTP_429', overload: true, retryAfterSeconds: 90 },
    ],
    [
      { kind: 'reject', status: 410 },
      { kind: 'rejected', code: 'HTTP_410' },
    ],
    [{ kind: 'auth-failure' }, { kind: 'channel-stopped', code: 'HTTP_401' }],
    [
      { kind: 'hang', accepted: false },
      { kind: 'unknown', cause: 'TIMEOUT', overload: true },
    ],
    [
      { kind: 'reset', accepted: false },
      { kind: 'unknown', cause: 'RESET' },
    ],
    [
      { kind: 'no-receipt', accepted: false },
      { kind: 'unknown', cause: 'NO_RECEIPT' },
    ],
    [
      { kind: 'server-error', accepted: false },
      { kind: 'unknown', cause: 'HTTP_500' },
    ],
    [{ kind: 'conflict' }, { kind: 'unknown', cause: 'HTTP_409' }],
    [{ kind: 'in-progress' }, { kind: 'unknown', cause: 'HTTP_409' }],
  ])('%o', async (behaviour, result) => {
    const { sender, effects, meet } = await stage(providerClass);
    meet(behaviour);
    expect(await sender.send(REQUEST)).toEqual(result);
    expect(effects()).toBe(0);
  });

  test.each<[ProviderBehaviour, RegExp]>([
    [{ kind: 'hang', accepted: true }, /^TIMEOUT$/],
    [{ kind: 'reset', accepted: true }, /^RESET$/],
    // The reset that cuts the answer off may overtake the bytes before it.
    [{ kind: 'cut' }, /^(CUT_BODY|RESET)$/],
    [{ kind: 'no-receipt', accepted: true }, /^NO_RECEIPT$/],
    [{ kind: 'server-error', status: 502, accepted: true }, /^HTTP_502$/],
  ])('%o: accepted, and unknown to us', async (behaviour, cause) => {
    const { sender, effects, meet } = await stage(providerClass);
    meet(behaviour);
    expect(await sender.send(REQUEST)).toMatchObject({
      kind: 'unknown',
      cause: expect.stringMatching(cause),
    });
    expect(effects()).toBe(1);
  });
});

describe('after an unknown outcome', () => {
  const lost: ProviderBehaviour = { kind: 'reset', accepted: true };

  test('field report 8, 36: a deduping provider gets the same key and body, and answers with the first receipt', async () => {
    const { sender, effects, meet } = await stage('dedupes');
    meet(lost);
    await sender.send(REQUEST);
    const retried = { ...REQUEST, reminder: { ...REMINDER, attempt: 3, hop: 2 } };
    const second = await sender.send(retried);
    expect(second).toMatchObject({ kind: 'accepted' });
    expect(await sender.send(retried)).toEqual(second);
    expect(effects()).toBe(1);
  });

  test('field report 44: another body under the same key is an earlier attempt that reached them', async () => {
    const { sender, effects } = await stage('dedupes');
    await sender.send(REQUEST);
    const drifted = { ...REQUEST, reminder: { ...REMINDER, data: { text: 'sent 2 minutes ago' } } };
    expect(await sender.send(drifted)).toEqual({ kind: 'unknown', cause: 'HTTP_409' });
    expect(effects()).toBe(1);
  });

  test('a queryable provider is asked by key: absent before, found after', async () => {
    const { sender, effects, meet } = await stage('queryable');
    expect(await sender.query?.(REQUEST)).toEqual({ kind: 'absent' });
    meet(lost);
    await sender.send(REQUEST);
    expect(await sender.query?.(REQUEST)).toMatchObject({ kind: 'found' });
    expect(effects()).toBe(1);
  });

  test('a queryable provider that cannot be reached cannot tell', async () => {
    const { sender, emulator } = await stage('queryable');
    await emulator.close();
    expect(await sender.query?.(REQUEST)).toEqual({
      kind: 'cannot-tell',
      cause: 'CONNECTION_REFUSED',
    });
  });

  test('field report 4: a send that commits after our abort is unknown, not failed', async () => {
    const { sender, effects, meet, clock } = await stage('blind');
    meet({ kind: 'slow-commit', commitMs: 9_500 });
    expect(await sender.send(REQUEST)).toMatchObject({ kind: 'unknown', cause: 'TIMEOUT' });
    expect(effects()).toBe(0);
    clock.advance(9_500);
    expect(effects()).toBe(1);
  });
});
