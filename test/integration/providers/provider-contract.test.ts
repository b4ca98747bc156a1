import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createHttpClient } from '#adapters/http/http-call.ts';
import type { ProviderClass } from '#core/send-result.ts';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import { genericSurface } from '#infra/local/provider-emulator/generic-surface.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import { startProviderEmulator } from '#infra/local/provider-emulator/provider-emulator.ts';
import type {
  ProviderSurface,
  SurfaceOperation,
} from '#infra/local/provider-emulator/provider-surface.ts';
import { VENDOR_SURFACES } from '#infra/local/provider-emulator/vendors/vendor-surfaces.ts';
import type { SendRequest } from '#ports';
import { plantAwsCredentials } from '#test/support/planted-aws-credentials.ts';
import { REMINDER, REQUEST } from '#test/support/sender-stand.ts';
import {
  openVendorSender,
  SERVICE_ACCOUNT,
  VENDOR_STANDS,
  type VendorStand,
} from '#test/support/vendor-stands.ts';

const START = Date.UTC(2026, 6, 26, 9);
const SENT: SendRequest = {
  ...REQUEST,
  reminder: { ...REMINDER, data: { plan: 'Pro' } },
};
/** The same key with other words, as after a change of the template or of the data. */
const DRIFTED: SendRequest = {
  ...SENT,
  reminder: {
    ...REMINDER,
    data: { plan: 'Team' },
    scheduledAt: { ...REMINDER.scheduledAt, canonical: '2026-07-26T09:00:01Z' },
  },
};
const RETRIED: SendRequest = { ...SENT, reminder: { ...SENT.reminder, attempt: 3, hop: 2 } };

/** The vendors, and a generic service of our own, under a name that no standing profile has. */
const SURFACES: readonly ProviderSurface[] = [
  genericSurface('generic', { providerClass: 'dedupes' }),
  ...VENDOR_SURFACES,
];

function lying(
  surface: ProviderSurface,
  lie: { readonly providerClass?: ProviderClass; readonly deaf?: true },
): ProviderSurface {
  const operations = surface.operations.map((operation): SurfaceOperation => {
    if (operation.kind !== 'send' || lie.deaf !== true) return operation;
    return {
      ...operation,
      read(request) {
        const call = operation.read(request);
        return call.kind === 'send' ? { ...call, idempotencyKey: undefined } : call;
      },
    };
  });
  return { ...surface, operations, ...(lie.providerClass && { providerClass: lie.providerClass }) };
}

const DEDUPING = VENDOR_STANDS.filter(({ dedupes }) => dedupes);

let putBack: () => void;
beforeAll(() => {
  putBack = plantAwsCredentials();
});
afterAll(() => putBack());

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** @param lie the provider's class against its word, or a provider that never finds our key */
async function open(
  stand: VendorStand,
  lie: { readonly providerClass?: ProviderClass; readonly deaf?: true } = {},
) {
  const clock = EmulatorClock.frozenAt(START);
  const surfaces = SURFACES.map((surface) =>
    surface.name === stand.surface ? lying(surface, lie) : surface,
  );
  const emulator = await startProviderEmulator({ clock, surfaces, profiles: {} });
  const http = createHttpClient({ maxSockets: 5 });
  cleanUps.push(
    () => http.close(),
    () => emulator.close(),
  );
  const secrets = {
    get: async (reference: string) =>
      reference === 'env:SERVICE_ACCOUNT' ? SERVICE_ACCOUNT : 'planted_key',
  };
  const sender = await openVendorSender(
    stand,
    emulator.url,
    { http, clock, secrets },
    { sendTimeoutMs: 400 },
  );
  return {
    sender,
    clock,
    emulator,
    surface: SURFACES.find(({ name }) => name === stand.surface) as ProviderSurface,
    effects: () => emulator.effects.of(stand.effectKey(SENT)),
    calls: () => emulator.calls.list(stand.surface),
    meet: (behaviour: ProviderBehaviour) => emulator.faults.script(stand.surface, behaviour),
  };
}

/** Every scenario of one provider, and what it must end as. */
describe.each(VENDOR_STANDS)('$provider', (stand) => {
  const { provider, dedupes } = stand;

  test('field report 11: accept: a receipt, one effect, exactly one request', async () => {
    const { sender, effects, calls } = await open(stand);
    const result = await sender.send(SENT);
    expect(result).toMatchObject({ kind: 'accepted', receipt: expect.stringMatching(/^[!-~]+$/) });
    expect(effects()).toBe(1);
    expect(calls()).toHaveLength(1);
  });

  test('declares its class, and the window that its provider keeps', async () => {
    const { sender, surface } = await open(stand);
    const windowSeconds = surface.windowMs === null ? null : surface.windowMs / 1000;
    expect(sender.profile).toMatchObject({
      provider,
      providerClass: surface.providerClass,
      windowSeconds,
    });
    expect(sender.query === undefined).toBe(surface.providerClass !== 'queryable');
  });

  test('field report 34: its class is true: the same key again', async () => {
    await proveClass(await open(stand));
  });

  test('field report 44: the same key with another body', async () => {
    const { sender, effects } = await open(stand);
    await sender.send(SENT);
    const drifted = await sender.send(DRIFTED);
    expect(drifted).toMatchObject(
      dedupes ? { kind: 'unknown', cause: 'HTTP_409' } : { kind: 'accepted' },
    );
    expect(effects()).toBe(dedupes ? 1 : 2);
  });

  test('defer, without and with a wait', async () => {
    const { sender, effects, meet } = await open(stand);
    meet({ kind: 'defer' });
    const deferred = { kind: 'deferred', code: stand.deferredAs, overload: true };
    expect(await sender.send(SENT)).toEqual(deferred);
    meet({ kind: 'defer', retryAfter: { seconds: 90 } });
    expect(await sender.send(SENT)).toEqual({ ...deferred, retryAfterSeconds: 90 });
    expect(effects()).toBe(0);
  });

  test('reject', async () => {
    const { sender, effects, meet } = await open(stand);
    meet({ kind: 'reject' });
    expect(await sender.send(SENT)).toEqual({ kind: 'rejected', code: stand.rejectedAs });
    expect(effects()).toBe(0);
  });

  test('credentials refused: the channel stops, the reminder is not judged', async () => {
    const { sender, effects, meet } = await open(stand);
    for (const status of [401, 403] as const) {
      meet({ kind: 'auth-failure', status });
      expect(await sender.send(SENT)).toMatchObject({ kind: 'channel-stopped' });
    }
    expect(effects()).toBe(0);
  });

  test.each<[ProviderBehaviour, RegExp, number]>([
    [{ kind: 'hang', accepted: false }, /^TIMEOUT$/, 0],
    [{ kind: 'hang', accepted: true }, /^TIMEOUT$/, 1],
    [{ kind: 'reset', accepted: false }, /^RESET$/, 0],
    [{ kind: 'reset', accepted: true }, /^RESET$/, 1],
    // The reset that cuts the answer off may overtake the bytes before it.
    [{ kind: 'cut' }, /^(CUT_BODY|RESET)$/, 1],
    [{ kind: 'server-error', status: 500, accepted: false }, /^HTTP_500$/, 0],
    [{ kind: 'server-error', status: 500, accepted: true }, /^HTTP_500$/, 1],
    [{ kind: 'server-error', status: 502, accepted: true }, /^HTTP_502$/, 1],
    [{ kind: 'server-error', status: 503, accepted: true }, /^HTTP_503$/, 1],
    [{ kind: 'no-receipt', accepted: true }, /^NO_RECEIPT$/, 1],
    [{ kind: 'no-receipt', accepted: false }, /^NO_RECEIPT$/, 0],
  ])('field report 7, 11: %o is unknown, after one request', async (behaviour, cause, seen) => {
    const { sender, effects, calls, meet } = await open(stand);
    meet(behaviour);
    expect(await sender.send(SENT)).toMatchObject({
      kind: 'unknown',
      cause: expect.stringMatching(cause),
    });
    expect(effects()).toBe(seen);
    expect(calls()).toHaveLength(1);
  });

  test('field report 4: a slow commit is unknown, and surfaces after our abort', async () => {
    const { sender, effects, meet, clock } = await open(stand);
    meet({ kind: 'slow-commit', commitMs: 4_000 });
    expect(await sender.send(SENT)).toMatchObject({ kind: 'unknown', cause: 'TIMEOUT' });
    expect(effects()).toBe(0);
    if (dedupes) {
      const meanwhile = await sender.send(RETRIED);
      expect(meanwhile).toMatchObject({ kind: 'unknown', cause: 'HTTP_409' });
    }
    clock.advance(sender.profile.commitSeconds * 1000);
    expect(effects()).toBe(1);
    if (!dedupes) return;
    expect(await sender.send(RETRIED)).toMatchObject({ kind: 'accepted' });
    expect(effects()).toBe(1);
  });

  test('field report 36, 43: the key travels where the profile says, in its narrow alphabet', async () => {
    const { sender, calls } = await open(stand);
    await sender.send(SENT);
    await sender.send(RETRIED);
    const [first, second] = calls().map(({ key }) => key);
    expect(first).toBe(stand.effectKey(SENT));
    expect(first).toMatch(/^[A-Za-z0-9._-]{1,100}$/);
    expect(second).toBe(first);
  });

  test('field report 44: the request is frozen, whatever the attempt and the hop', async () => {
    const { sender, calls } = await open(stand);
    await sender.send(SENT);
    await sender.send(RETRIED);
    const [first, second] = calls().map(({ text }) => text);
    expect(second).toBe(first);
    expect(sender.content(RETRIED.reminder)).toBe(sender.content(SENT.reminder));
    expect(sender.content(DRIFTED.reminder)).not.toBe(sender.content(SENT.reminder));
  });

  test('nothing of it is sent once the lease does not cover the call any more', async () => {
    const { sender, effects, calls, clock } = await open(stand);
    const late = { ...SENT, startBy: clock.now() - 1 };
    expect(await sender.send(late)).toEqual({ kind: 'deferred', code: 'LEASE_TOO_SHORT' });
    expect(calls()).toHaveLength(0);
    expect(effects()).toBe(0);
    const inTime = { ...SENT, startBy: clock.now() };
    expect(await sender.send(inTime)).toMatchObject({ kind: 'accepted' });
  });
});

test.each(DEDUPING)(
  'field report 29: the window of $provider ends where its profile says',
  async (stand) => {
    const { sender, effects, clock } = await open(stand);
    const windowMs = (sender.profile.windowSeconds ?? 0) * 1000;
    const first = await sender.send(SENT);
    clock.advance(windowMs - 1);
    expect(await sender.send(RETRIED)).toEqual(first);
    expect(effects()).toBe(1);
    clock.advance(1);
    await sender.send(RETRIED);
    expect(effects()).toBe(2);
  },
);

type Open = Awaited<ReturnType<typeof open>>;

/**
 * The proof of a class. A provider that claims to dedupe answers a repeat (the first answer lost)
 * with the first receipt and shows one effect; any other shows two, which is why it is blind.
 */
async function proveClass({ sender, effects, meet }: Open): Promise<void> {
  meet({ kind: 'reset', accepted: true });
  expect(await sender.send(SENT)).toMatchObject({ kind: 'unknown' });
  const second = await sender.send(RETRIED);
  expect(second).toMatchObject({ kind: 'accepted' });
  if (sender.profile.providerClass !== 'dedupes') return expect(effects()).toBe(2);
  expect(await sender.send(RETRIED)).toEqual(second);
  expect(effects()).toBe(1);
}

describe.each(DEDUPING)('field report 34: the suite catches $provider when it lies', (stand) => {
  test('its provider takes the key and does not dedupe', async () => {
    const opened = await open(stand, { providerClass: 'blind' });
    await expect(proveClass(opened)).rejects.toThrow(/expected/);
    expect(opened.effects()).toBeGreaterThan(1);
  });

  test('its sender does not send the key', async () => {
    const opened = await open(stand, { deaf: true });
    await expect(proveClass(opened)).rejects.toThrow(/expected/);
  });
});
