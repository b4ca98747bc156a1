import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import {
  type ProviderEmulator,
  startProviderEmulator,
} from '#infra/local/provider-emulator/provider-emulator.ts';
import { failureOf } from '#test/support/infrai-client.ts';
import { ProviderClient } from '#test/support/provider-client.ts';

const START = Date.UTC(2026, 6, 26, 9);
const clock = EmulatorClock.frozenAt(START);
let emulator: ProviderEmulator;

beforeAll(async () => {
  emulator = await startProviderEmulator({ clock });
});
afterAll(() => emulator.close());
beforeEach(() => {
  emulator.reset();
  clock.setNow(START);
});

const provider = new ProviderClient(() => emulator.url);

describe('behaviours of one call', () => {
  it('defers: 429 or 503, with seconds, with a date, with nothing', async () => {
    emulator.faults
      .script('default', { kind: 'defer', retryAfter: { seconds: 30 } })
      .script('default', { kind: 'defer', status: 503, retryAfter: { dateInSeconds: 60 } })
      .script('default', { kind: 'defer' });
    const seen: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { status, headers } = await provider.send('/send', 'k1');
      seen.push([status, headers.get('retry-after')]);
    }
    expect(seen).toEqual([
      [429, '30'],
      [503, 'Sun, 26 Jul 2026 09:01:00 GMT'],
      [429, null],
    ]);
    expect(emulator.effects.of('k1')).toBe(0);
  });

  it.each([
    ['reject', { kind: 'reject' } as const, 422],
    ['reject as gone', { kind: 'reject', status: 410, code: 'unsubscribed' } as const, 410],
    ['a broken key', { kind: 'auth-failure' } as const, 401],
    ['a forbidden one', { kind: 'auth-failure', status: 403 } as const, 403],
    ['a conflict', { kind: 'conflict' } as const, 409],
    ['one in progress', { kind: 'in-progress' } as const, 409],
    ['5xx before', { kind: 'server-error', status: 502, accepted: false } as const, 502],
    ['2xx that throws away', { kind: 'no-receipt', accepted: false } as const, 200],
  ])('%s: no effect', async (_name, behaviour, status) => {
    emulator.faults.script('default', behaviour);
    const answer = await provider.send('/send', 'k1');
    expect(answer.status).toBe(status);
    expect(answer.json?.['id']).toBeUndefined();
    expect(emulator.effects.of('k1')).toBe(0);
  });

  it.each([
    ['reset before', { kind: 'reset', accepted: false } as const, 0],
    ['reset after', { kind: 'reset', accepted: true } as const, 1],
    ['a cut answer', { kind: 'cut' } as const, 1],
  ])('%s: no answer, and the effect it says', async (_name, behaviour, effects) => {
    emulator.faults.script('default', behaviour);
    expect(await failureOf(provider.send('/send', 'k1'))).not.toBe('answered');
    expect(emulator.effects.of('k1')).toBe(effects);
    expect((await provider.send('/send', 'k1')).status).toBe(200);
    expect(emulator.effects.of('k1')).toBe(1);
  });

  it.each([
    ['before acceptance', false, 0],
    ['after it', true, 1],
  ])('hangs %s', async (_name, accepted, effects) => {
    emulator.faults.script('default', { kind: 'hang', accepted });
    const impatient = provider.send(
      '/send',
      'k1',
      { n: 1 },
      {
        headers: { authorization: 'Bearer any', 'idempotency-key': 'k1' },
        signal: AbortSignal.timeout(50),
      },
    );
    expect(await failureOf(impatient)).toBe('TimeoutError');
    expect(emulator.effects.of('k1')).toBe(effects);
  });

  it('2xx without a receipt, and 5xx that is not JSON, both after acceptance', async () => {
    emulator.faults
      .script('default', { kind: 'no-receipt' })
      .script('default', { kind: 'server-error', accepted: true });
    expect(await provider.send('/send', 'k1')).toMatchObject({ status: 200, json: {} });
    expect(await provider.send('/send', 'k2')).toMatchObject({ status: 500, json: undefined });
    expect([emulator.effects.of('k1'), emulator.effects.of('k2')]).toEqual([1, 1]);
  });

  it('commits late, even when the caller is gone, and is in progress until then', async () => {
    emulator.faults.script('default', { kind: 'slow-commit', commitMs: 8_000 });
    const impatient = provider.send(
      '/send',
      'k1',
      { n: 1 },
      {
        headers: { authorization: 'Bearer any', 'idempotency-key': 'k1' },
        signal: AbortSignal.timeout(50),
      },
    );
    expect(await failureOf(impatient)).toBe('TimeoutError');
    clock.advance(7_999);
    expect(emulator.effects.of('k1')).toBe(0);
    expect((await provider.send('/send', 'k1')).json).toEqual({
      error: { code: 'request_in_progress' },
    });
    clock.advance(1);
    expect(emulator.effects.of('k1')).toBe(1);
    expect((await provider.send('/send', 'k1')).status).toBe(200);
    expect(emulator.effects.of('k1')).toBe(1);
  });

  it('answers a late commit when it is done, to a caller that waits', async () => {
    emulator.faults.script('queryable', { kind: 'slow-commit', commitMs: 8_000 });
    const patient = provider.send('/send/queryable', 'k1');
    await expect.poll(() => emulator.model('queryable').uncommittedCount).toBe(1);
    expect(await provider.items('/messages/queryable', 'k1')).toEqual([]);
    clock.advance(8_000);
    expect((await patient).status).toBe(200);
    expect(await provider.items('/messages/queryable', 'k1')).toHaveLength(1);
  });

  it('answers slowly', async () => {
    emulator.faults.script('default', { kind: 'slow-answer', latencyMs: 60 });
    const startedAt = performance.now();
    await provider.send('/send', 'k1');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
  });

  it('breaks its own promise: an extra receipt for a known key', async () => {
    const first = await provider.send('/send', 'k1');
    emulator.faults.script('default', { kind: 'extra-receipt' });
    const second = await provider.send('/send', 'k1');
    expect(second.json?.['id']).not.toBe(first.json?.['id']);
    expect(emulator.effects.of('k1')).toBe(2);
  });

  it('draws behaviours by seeded probability', async () => {
    const run = async (seed: number): Promise<string> => {
      await using other = await startProviderEmulator({ seed });
      other.faults.rule('default', 0.5, { kind: 'defer' });
      const statuses: number[] = [];
      for (let n = 0; n < 40; n += 1) {
        const headers = { authorization: 'Bearer any', 'idempotency-key': `k${n}` };
        const answer = await fetch(`${other.url}/send`, { method: 'POST', headers, body: '{}' });
        await answer.text();
        statuses.push(answer.status);
      }
      return statuses.join(' ');
    };
    const first = await run(7);
    expect(first).toMatch(/200.*429|429.*200/);
    expect(await run(7)).toBe(first);
    expect(await run(8)).not.toBe(first);
  });
});

describe('control routes and restart', () => {
  const control = (path: string, body: unknown) =>
    provider.call(`/_emulator/${path}`, { method: 'POST', body: JSON.stringify(body) });

  it('drive clock, behaviours, directory and reset', async () => {
    expect((await control('clock', { advance_ms: 1_000 })).json).toEqual({
      now: START + 1_000,
      frozen: true,
    });
    const script = [{ route: 'blind', times: 2, fault: { kind: 'reset', accepted: true } }];
    expect((await control('faults', { script })).json).toMatchObject({ scriptedLeft: 2 });
    const wrong = await control('faults', { script: [{ route: 'blnd', fault: 'pass' }] });
    expect(wrong).toMatchObject({ status: 400, text: expect.stringContaining('script[0].route') });
    await control('directory', { users: { u1: 'bo@example.test' } });
    expect((await provider.call('/directory/u1')).json).toEqual({ address: 'bo@example.test' });
    await provider.send('/send', 'k1');
    await control('reset', {});
    expect((await provider.call('/_emulator/state')).json).toMatchObject({
      effects: { total: 0 },
      faults: { scriptedLeft: 0 },
      profiles: { blind: { providerClass: 'blind', uncommitted: 0 } },
    });
  });

  it('comes back on its port and remembers what it accepted, or forgets by choice', async () => {
    const { port } = emulator;
    const first = await provider.send('/send', 'k1');
    await emulator.close();
    expect(await failureOf(provider.send('/send', 'k1'))).not.toBe('answered');
    await emulator.start();
    expect(emulator.port).toBe(port);
    expect((await provider.send('/send', 'k1')).json).toEqual(first.json);
    await emulator.close();
    expect(await failureOf(provider.send('/send', 'k1'))).not.toBe('answered');
    await emulator.restart('dropped');
    expect(emulator.effects.total).toBe(0);
  });
});
