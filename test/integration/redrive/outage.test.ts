import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeBreaker } from '#app/breaker-control.ts';
import { pause } from '#core/breaker.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import { HOUR_MS } from '#test/support/core-data.ts';
import { openRedriveStand, QUEUE, type RedriveStand } from '#test/support/redrive-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const DOWN: ProviderBehaviour = { kind: 'defer' };
/** Three attempts in a few minutes, so that an outage of an hour uses them up. */
const SHORT_LADDER = { ladderSeconds: [60, 300] };

function publish(stand: RedriveStand, payloads: readonly Record<string, unknown>[]): void {
  for (const payload of payloads) {
    const idempotencyKey = `producer-${payload['reminder_id']}`;
    stand.queue.model.publish({ queue: QUEUE, payload, idempotencyKey }, stand.clock.now());
  }
}

async function outage(
  stand: RedriveStand,
  count: number,
  behaviour = DOWN,
): Promise<Record<string, unknown>[]> {
  const payloads = Array.from({ length: count }, (_, index) => stand.payload(index));
  publish(stand, payloads);
  stand.provider.faults.rule('push', 1, behaviour);
  await stand.consumeUntil(stand.clock.now() + HOUR_MS);
  expect(stand.deadLetters().length).toBe(count);
  expect(stand.live()).toEqual([]);
  return payloads;
}

async function expectAllSentOnce(
  stand: RedriveStand,
  payloads: readonly Record<string, unknown>[],
) {
  for (const payload of payloads) {
    expect(stand.effectsOf(payload)).toBe(1);
    expect((await stand.rowOf(payload))?.state).toBe('SENT');
  }
  expect(stand.provider.effects.duplicated().size).toBe(0);
  expect(stand.deadLetters()).toEqual([]);
  expect(stand.live()).toEqual([]);
}

describe('an outage and its end', () => {
  test.each<[string, ProviderBehaviour, string]>([
    ['it refused every call', DOWN, '30 redriven to be sent'],
    [
      'nobody knows what it took on: nothing',
      { kind: 'server-error', accepted: false },
      '30 unknown redriven to be settled with their provider',
    ],
    [
      'nobody knows what it took on: everything',
      { kind: 'server-error', accepted: true },
      '30 unknown redriven to be settled with their provider',
    ],
  ])(
    '%s: a scheduled run brings every reminder to one accepted send',
    async (_name, behaviour, summary) => {
      const stand = await openRedriveStand(engine, {
        settings: SHORT_LADDER,
        limits: { canarySize: 5 },
      });
      const payloads = await outage(stand, 30, behaviour);
      stand.provider.faults.clear();
      stand.whileSleeping(() => stand.consume());

      const report = await stand.redrive();

      expect(report).toMatchObject({
        mode: 'redrive',
        trigger: 'scheduled',
        end: 'dead-letters-read',
        totals: { redrive: 30, settle: 0, keep: 0 },
        left: 0,
        results: { redriven: 30, failed: 0, vanished: 0, unconfirmed: 0 },
        canaries: [{ channel: 'push', redriven: 5, verdict: 'passed' }],
        summary,
      });
      await stand.consume();
      await expectAllSentOnce(stand, payloads);
      expect((await stand.rowOf(stand.payload(0)))?.redriveCount).toBe(1);
    },
  );

  test('while it lasts the canary fails, the run stops, and the rest is neither sent nor counted', async () => {
    const stand = await openRedriveStand(engine, {
      settings: SHORT_LADDER,
      limits: { canarySize: 4 },
      channels: ['push'],
    });
    const payloads = await outage(stand, 20);
    const sendsBefore = stand.provider.calls.counts();
    stand.whileSleeping(() => stand.consume());

    const report = await stand.redrive();

    expect(report).toMatchObject({
      end: 'canary-failed',
      endCode: 'CANARY_HTTP_429',
      results: { redriven: 4 },
      canaries: [{ redriven: 4, good: 0, verdict: 'failed', reason: 'HTTP_429' }],
    });
    expect(report.summary).toContain('stopped early: canary-failed');
    expect(stand.provider.calls.counts()).not.toEqual(sendsBefore);
    const rows = await Promise.all(payloads.map((payload) => stand.rowOf(payload)));
    expect(rows.filter((row) => row?.redriveCount === 1)).toHaveLength(4);
    expect(rows.filter((row) => row?.state === 'EXHAUSTED')).toHaveLength(16);
  });

  test('the next scheduled runs leave the provider alone for an hour; then a new canary goes', async () => {
    const stand = await openRedriveStand(engine, {
      settings: SHORT_LADDER,
      limits: { canarySize: 2 },
      channels: ['push'],
    });
    const payloads = await outage(stand, 6);
    stand.whileSleeping(() => stand.consume());
    expect((await stand.redrive()).end).toBe('canary-failed');
    await stand.consumeUntil(stand.clock.now() + HOUR_MS / 2);

    expect(await stand.redrive()).toMatchObject({
      end: 'dead-letters-read',
      totals: { redrive: 0, keep: 6 },
      decisions: [{ reason: 'PROVIDER_UNHEALTHY', count: 6, details: { CANARY_HTTP_429: 6 } }],
    });
    stand.provider.faults.clear();
    await stand.consumeUntil(stand.clock.now() + HOUR_MS / 2);
    expect(await stand.redrive()).toMatchObject({ results: { redriven: 6 }, left: 0 });
    await stand.consume();
    await expectAllSentOnce(stand, payloads);
  });

  test('a person’s request does not wait for that hour', async () => {
    const stand = await openRedriveStand(engine, {
      settings: SHORT_LADDER,
      limits: { canarySize: 2 },
      channels: ['push'],
    });
    const payloads = await outage(stand, 6);
    stand.whileSleeping(() => stand.consume());
    expect((await stand.redrive()).end).toBe('canary-failed');
    await stand.consumeUntil(stand.clock.now() + HOUR_MS / 2);
    stand.provider.faults.clear();
    const report = await stand.redrive({ mode: 'redrive' });
    expect(report).toMatchObject({ trigger: 'requested', results: { redriven: 6 } });
    await stand.consume();
    await expectAllSentOnce(stand, payloads);
  });
});

describe('a canary', () => {
  test('nobody consumes: undecided, and nothing more is poured in', async () => {
    const stand = await openRedriveStand(engine, { limits: { canarySize: 3 }, channels: ['push'] });
    const payloads = Array.from({ length: 8 }, (_, index) => stand.payload(index));
    for (const payload of payloads) await stand.plantRow(payload, 'EXHAUSTED');
    stand.plantDeadLetters(...payloads);

    const report = await stand.redrive();

    expect(report).toMatchObject({
      end: 'canary-failed',
      endCode: 'CANARY_UNDECIDED',
      results: { redriven: 3 },
      canaries: [{ pending: 3, verdict: 'undecided' }],
    });
    expect(stand.live()).toHaveLength(3);
    expect(stand.deadLetters()).toHaveLength(5);
  });

  test('one channel’s failure does not keep another one back', async () => {
    const stand = await openRedriveStand(engine, { limits: { canarySize: 2 } });
    const sick = [0, 1, 2, 3].map((index) => stand.payload(index, { channel: 'sick' }));
    const well = [4, 5, 6, 7].map((index) => stand.payload(index));
    for (const payload of [...sick, ...well]) await stand.plantRow(payload, 'EXHAUSTED');
    stand.plantDeadLetters(...sick, ...well);
    stand.provider.faults.rule('sick', 1, DOWN);
    stand.whileSleeping(() => stand.consume());

    const report = await stand.redrive();

    expect(report.end).toBe('dead-letters-read');
    expect(report.canaries).toMatchObject([
      { channel: 'sick', verdict: 'failed' },
      { channel: 'push', verdict: 'passed' },
    ]);
    expect(report.results?.redriven).toBe(6);
    await stand.consume();
    for (const payload of well) expect(stand.effectsOf(payload)).toBe(1);
    expect(stand.deadLetters()).toHaveLength(2);
  });

  test('a reminder refused for good counts against it: the rest would end for ever too', async () => {
    const stand = await openRedriveStand(engine, { limits: { canarySize: 2 }, channels: ['push'] });
    const payloads = Array.from({ length: 6 }, (_, index) => stand.payload(index));
    for (const payload of payloads) await stand.plantRow(payload, 'EXHAUSTED');
    stand.plantDeadLetters(...payloads);
    stand.provider.faults.rule('push', 1, { kind: 'reject', status: 422 });
    stand.whileSleeping(() => stand.consume());
    expect(await stand.redrive()).toMatchObject({ end: 'canary-failed', results: { redriven: 2 } });
    expect(stand.deadLetters()).toHaveLength(4);
  });
});

describe('the breaker', () => {
  test('paused: nothing is redriven and nothing acked; a dry run says what could go', async () => {
    const stand = await openRedriveStand(engine);
    const [sent, due] = [stand.payload(0), stand.payload(1)];
    await stand.plantRow(sent, 'SENT');
    await stand.plantRow(due, 'EXHAUSTED');
    stand.plantDeadLetters(sent, due);
    const at = stand.clock.now();
    await changeBreaker(stand.deps.controls, (breaker) =>
      pause(breaker, { by: 'operator', reason: 'PLANNED_WORK', at }),
    );

    expect(await stand.redrive()).toMatchObject({
      end: 'consumer-paused',
      endCode: 'PLANNED_WORK',
      examined: 0,
    });
    expect(stand.deadLetters()).toHaveLength(2);
    expect(await stand.redrive({ mode: 'plan' })).toMatchObject({
      pausedReason: 'PLANNED_WORK',
      totals: { redrive: 1, settle: 1 },
    });
  });

  test('a stopped channel waits for its credentials', async () => {
    const stand = await openRedriveStand(engine);
    const payload = stand.payload(0);
    await stand.plantRow(payload, 'EXHAUSTED');
    stand.plantDeadLetters(payload);
    const stop = { reason: 'HTTP_401', since: 1, by: 'breaker', refusals: 1, probeAt: null };
    await changeBreaker(stand.deps.controls, (breaker) => ({
      ...breaker,
      channels: { push: stop },
    }));
    expect(await stand.redrive({ mode: 'redrive' })).toMatchObject({
      decisions: [{ reason: 'PROVIDER_UNHEALTHY', details: { CHANNEL_STOPPED_HTTP_401: 1 } }],
    });
  });

  test('one that cannot be read stops the run: it must not look like a closed one', async () => {
    const stand = await openRedriveStand(engine);
    await stand.deps.controls.write('breaker', { format: 'breaker/9' }, 0);
    stand.plantDeadLetters(stand.payload(0));
    expect(await stand.redrive()).toMatchObject({
      end: 'ledger-failed',
      endCode: 'BREAKER_UNREADABLE',
      leaseGivenBack: true,
    });
  });
});
