import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBreaker } from '#app/breaker-control.ts';
import { CONSUMER_METRICS } from '#config/metrics.ts';
import { pause, resume } from '#core/breaker.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { breakerOf, operator } from '#test/support/breaker-stand.ts';
import { dynamoError } from '#test/support/dynamo-answers.ts';
import { openPipelineStand } from '#test/support/pipeline-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

describe('a pause by an operator', () => {
  it('leaves queue and ledger as they are, and holds in mid-run', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 1 });
    await changeBreaker(stand.controls, (breaker) => pause(breaker, operator(stand, 'HOLD')));
    stand.publish(5);
    const before = stand.queue.model.stats(stand.queueName, stand.clock.now());
    const calls = stand.queue.surface.calls.counts();
    for (let tick = 0; tick < 5; tick += 1) expect((await stand.consume()).end).toBe('paused');
    expect(stand.queue.model.stats(stand.queueName, stand.clock.now())).toEqual(before);
    expect(stand.queue.surface.calls.counts()).toEqual(calls);
    expect(stand.provider.effects.total).toBe(0);

    await changeBreaker(stand.controls, (breaker) => resume(breaker, operator(stand, 'GO_ON')));
    expect((await stand.consume()).end).toBe('queue-empty');
    expect(stand.provider.effects.total).toBe(5);
  });

  it('is noticed by a run that is under way', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 1 });
    stand.publish(60);
    let records = 0;
    const third = Promise.withResolvers<void>();
    stand.table.rule(({ operation, body }) => {
      if (operation !== 'PutItem' || !body.includes('"state":{"S":"SENT"}')) return undefined;
      records += 1;
      void stand.clock.sleep(5_000);
      if (records < 3) return undefined;
      if (records === 3) third.resolve();
      // Held back until the pause is written.
      return { kind: 'delay', until: paused };
    });
    const paused = third.promise.then(() =>
      changeBreaker(stand.controls, (breaker) => pause(breaker, operator(stand, 'HOLD'))),
    );
    const run = await stand.consume();
    expect(run.end).toBe('stopped');
    expect(stand.provider.effects.total).toBeLessThan(60);
  });

  it('resuming starts with one send at once and doubles per clean run', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 8 });
    await changeBreaker(stand.controls, (breaker) => resume(breaker, operator(stand, 'GO_ON')));
    const steps: unknown[] = [];
    for (let tick = 0; tick < 5; tick += 1) {
      const { mode } = await breakerOf(stand);
      steps.push(mode.kind === 'limited' ? mode.concurrency : mode.kind);
      if (tick === 1) {
        // A run without anything to prove leaves the limit where it is.
        await stand.consume();
        expect((await breakerOf(stand)).mode).toEqual(mode);
      }
      stand.publish(4);
      await stand.consume();
    }
    expect(steps).toEqual([1, 2, 4, 'running', 'running']);
  });

  it('of two clean runs at once, one doubles', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 8 });
    await changeBreaker(stand.controls, (breaker) => resume(breaker, operator(stand, 'GO_ON')));
    stand.publish(40);
    await Promise.all([stand.fresh()(), stand.fresh()()]);
    expect((await breakerOf(stand)).mode).toEqual({ kind: 'limited', concurrency: 2 });
  });
});

describe('a breaker that cannot be read', () => {
  it('is not taken for one that runs', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(3);
    stand.table.always('GetItem', dynamoError('InternalServerError', 500));
    const run = await stand.consume();
    expect(run).toMatchObject({ end: 'breaker-unreadable', tally: { pulls: 0 } });
    expect(stand.metric('RunsPaused')).toBe(1);
  });

  it('of a newer release is left alone', async () => {
    const stand = await openPipelineStand(engine);
    await stand.controls.write('breaker', { format: 'breaker/9' }, 0);
    stand.publish(3);
    expect((await stand.consume()).end).toBe('breaker-unreadable');
    expect(stand.provider.effects.total).toBe(0);
  });
});

describe('a calm run', () => {
  it('publishes every count, zeros included, but those that most will never need', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(3);
    await stand.consume();
    const seldom = [
      'breakerTrips',
      'unreadableMessages',
      'resentByPolicy',
      'duplicatesByPolicy',
      'closeOccurrences',
    ];
    for (const [key, name] of Object.entries(CONSUMER_METRICS)) {
      if (seldom.includes(key)) expect(stand.metric(name), name).toBeUndefined();
      else expect(stand.metric(name), name).toBeDefined();
    }
    expect(stand.metric('EndToEndSeconds')).toHaveLength(3);
  });

  it('reads the breaker once and writes nothing to it', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(30);
    await stand.consume();
    const breakerCalls = stand.table.requests.filter(({ body }) =>
      body.includes('control#breaker'),
    );
    expect(breakerCalls.map(({ operation }) => operation)).toEqual(['GetItem']);
  });

  it('field report 49: heavy redelivery moves the duplicates alone', async () => {
    const stand = await openPipelineStand(engine);
    stand.queue.faults.rule('queue.ack', 0.3, { kind: 'redeliver-acked' });
    stand.publish(60);
    const runs: Awaited<ReturnType<typeof stand.consume>>[] = [];
    for (let tick = 0; tick < 12; tick += 1) {
      runs.push(await stand.consume());
      await stand.clock.sleep(61_000);
    }
    const sum = (pick: (run: (typeof runs)[number]) => number) =>
      runs.reduce((total, run) => total + pick(run), 0);
    expect(sum(({ tally }) => tally.duplicatesAbsorbed)).toBeGreaterThan(10);
    expect(sum(({ tally }) => tally.receipts)).toBe(60);
    expect(sum(({ tally }) => tally.terminal.SENT)).toBe(60);
    expect((await breakerOf(stand)).mode.kind).toBe('running');
    const findings = (await stand.check()).findings.filter(({ severity }) => severity === 'page');
    expect(findings).toEqual([]);
  });
});
