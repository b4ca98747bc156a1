import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBreaker, readBreaker } from '#app/breaker-control.ts';
import { CONSUMER_METRICS } from '#config/metrics.ts';
import { type Breaker, pause, resume } from '#core/breaker.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { dynamoError } from '#test/support/dynamo-answers.ts';
import type { ProxiedRequest } from '#test/support/faulty-proxy.ts';
import { openPipelineStand, type PipelineStand } from '#test/support/pipeline-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

async function breakerOf({ controls }: PipelineStand): Promise<Breaker> {
  const answer = await readBreaker(controls);
  if (answer.kind === 'failed') throw new Error(answer.code);
  return answer.breaker;
}

/** Writes of a ledger row in this state. */
function writesOf(state: string) {
  return ({ operation, body }: ProxiedRequest) =>
    operation === 'PutItem' && body.includes(`"state":{"S":"${state}"}`)
      ? dynamoError('InternalServerError', 500)
      : undefined;
}

function operator(stand: PipelineStand, reason: string) {
  return { by: 'ann', reason, at: stand.clock.now() };
}

describe('a provider that mints an extra receipt', () => {
  it('trips the breaker, and consumption stops by itself', async () => {
    const stand = await openPipelineStand(engine);
    const { table, clock, provider } = stand;
    stand.publish(1);
    table.rule(writesOf('SENT'));
    expect((await stand.consume()).tally).toMatchObject({ receipts: 1, receiptsAhead: 1 });
    expect((await breakerOf(stand)).unrecorded).toHaveLength(1);

    table.calm();
    provider.faults.script('push', { kind: 'extra-receipt' });
    await clock.sleep(70_000);
    const resent = await stand.fresh()();
    expect(resent.end).toBe('stopped');
    expect(await breakerOf(stand)).toMatchObject({
      mode: { kind: 'paused', resumeAt: null },
      reason: 'OTHER_RECEIPT',
      by: 'breaker',
    });
    expect(stand.logged('breaker_tripped')).toHaveLength(1);

    stand.publish(20);
    for (let tick = 0; tick < 3; tick += 1) {
      await clock.sleep(60_000);
      const run = await stand.fresh()();
      expect(run).toMatchObject({ end: 'paused', tally: { deliveries: 0, pulls: 0 } });
    }
    const [found] = (await stand.check()).findings.filter(({ code }) => code === 'BREAKER_PAUSED');
    expect(found).toMatchObject({ reason: 'OTHER_RECEIPT', severity: 'page' });
    expect(stand.metric('BreakerLevel')).toBe(2);
  });

  it('while the first worker is only late: it finds the other receipt in the row', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(1);
    const secondIsDone = Promise.withResolvers<void>();
    const firstRecords = Promise.withResolvers<void>();
    let held = false;
    stand.table.rule((request) => {
      if (held || writesOf('SENT')(request) === undefined) return undefined;
      held = true;
      firstRecords.resolve();
      return { kind: 'delay', until: secondIsDone.promise };
    });
    const first = stand.consume();
    await firstRecords.promise;
    await stand.clock.sleep(70_000);
    stand.provider.faults.script('push', { kind: 'extra-receipt' });
    expect((await stand.fresh()()).tally.terminal.SENT).toBe(1);
    secondIsDone.resolve();
    expect((await first).tally.lostClaims).toBe(1);
    expect((await breakerOf(stand)).reason).toBe('OTHER_RECEIPT');
    expect((await stand.consume()).end).toBe('paused');
  });

  it('one that answers with the first receipt is what it should be', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(1);
    stand.table.rule(writesOf('SENT'));
    await stand.consume();
    stand.table.calm();
    await stand.clock.sleep(70_000);
    expect((await stand.consume()).tally).toMatchObject({ receipts: 1, terminal: { SENT: 1 } });
    expect(await breakerOf(stand)).toMatchObject({ mode: { kind: 'running' }, unrecorded: [] });
  });
});

describe('receipts ahead of terminal rows', () => {
  it('field report 1: a ledger that takes no records stops consumption after a handful', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 2 });
    stand.publish(40);
    stand.table.rule(writesOf('SENT'));
    const run = await stand.consume();
    expect(run.end).toBe('stopped');
    // What was in hand when the first record failed: two sends and two slots to each channel.
    expect(run.tally.receiptsAhead).toBeLessThanOrEqual(8);
    expect((await breakerOf(stand)).reason).toBe('RECORDS_FAILING');
    expect((await stand.consume()).end).toBe('paused');
    expect(stand.provider.effects.duplicated().size).toBe(0);
  });

  it('a record that was applied although nobody answered is made good by the next delivery', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(1);
    stand.table.rule((request) => {
      const { operation, body } = request;
      if (writesOf('SENT')(request) !== undefined) return { kind: 'drop-answer' };
      const readsRow = operation === 'GetItem' && body.includes('k1_');
      return readsRow ? dynamoError('InternalServerError', 500) : undefined;
    });
    await stand.consume();
    expect((await breakerOf(stand)).unrecorded).toHaveLength(1);
    stand.table.calm();
    await stand.clock.sleep(70_000);
    expect((await stand.consume()).tally).toMatchObject({ duplicatesAbsorbed: 1, submissions: 0 });
    expect((await breakerOf(stand)).unrecorded).toEqual([]);
  });

  it('resumes by itself, slowly, once the table takes its word again, and loses nothing', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 4 });
    stand.publish(12);
    stand.table.rule(writesOf('SENT'));
    await stand.consume();
    stand.table.calm();
    const { mode } = await breakerOf(stand);
    const resumeAt = mode.kind === 'paused' ? (mode.resumeAt ?? 0) : 0;
    await stand.clock.sleep(resumeAt - stand.clock.now() - 1);
    expect((await stand.consume()).end).toBe('paused');
    await stand.clock.sleep(1);
    const ends: string[] = [];
    for (let tick = 0; tick < 8; tick += 1) {
      stand.publish(1);
      ends.push((await stand.consume()).end);
      await stand.clock.sleep(60_000);
    }
    expect(new Set(ends)).toEqual(new Set(['queue-empty']));
    expect(stand.provider.effects.keyCount).toBe(12 + 8);
    expect(stand.provider.effects.duplicated().size).toBe(0);
    expect((await breakerOf(stand)).mode.kind).toBe('running');
  });

  it('a trip that the unwell table did not take is not forgotten by its environment', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 2 });
    stand.publish(10);
    stand.table.rule((request) => {
      const controlWrite = request.operation === 'PutItem' && request.body.includes('control#');
      return controlWrite ? dynamoError('InternalServerError', 500) : writesOf('SENT')(request);
    });
    const run = await stand.consume();
    expect(run.end).toBe('stopped');
    expect((await breakerOf(stand)).mode.kind).toBe('running');
    const sends = stand.provider.effects.total;
    const next = await stand.consume();
    expect(next).toMatchObject({ end: 'breaker-unreadable', tally: { pulls: 0 } });
    stand.table.calm();
    expect((await stand.consume()).end).toBe('paused');
    expect(stand.provider.effects.total).toBe(sends);
    expect((await breakerOf(stand)).reason).toBe('RECORDS_FAILING');
  });
});

describe('2xx without a receipt', () => {
  it('field report 7: stops acking with a clear reason, and the messages stay', async () => {
    const stand = await openPipelineStand(engine, { providerClass: 'blind', concurrency: 4 });
    stand.publish(50);
    stand.provider.faults.rule('push', 1, { kind: 'no-receipt', accepted: false });
    const run = await stand.consume();
    expect(run.end).toBe('stopped');
    expect(run.tally).toMatchObject({ receipts: 0, acked: 0, terminal: { SENT: 0 } });
    expect(run.tally.submissions).toBeLessThanOrEqual(16);
    expect(await breakerOf(stand)).toMatchObject({
      mode: { kind: 'paused' },
      reason: 'NO_RECEIPTS',
    });
    expect((await stand.consume()).end).toBe('paused');
    expect(messagesIn(stand)).toBe(50);
  });
});

describe('a trip in mid-run', () => {
  it('sends nothing more of what is in hand and waits for its turn', async () => {
    const stand = await openPipelineStand(engine, { providerClass: 'blind', concurrency: 1 });
    stand.publish(20);
    stand.provider.faults.rule('push', 1, { kind: 'no-receipt', accepted: false });
    // Long against a record, so that the sixth send is under way when the fifth one trips.
    stand.provider.faults.latencyMs = 60;
    const run = await stand.consume();
    expect(run.tally.submissions).toBeLessThanOrEqual(6);
    expect(run.tally.outcomes['not-sent']).toBeGreaterThan(0);
    expect(messagesIn(stand)).toBe(20);
  });
});

/** Everything that the queue holds, wherever it is. */
function messagesIn({ queue, queueName, clock }: PipelineStand): number {
  const stats = queue.model.stats(queueName, clock.now());
  if (stats.kind === 'refused') throw new Error(stats.code);
  return stats.availableCount + stats.inFlightCount + stats.delayedCount + stats.dlqCount;
}

describe('terminal rows ahead of receipts', () => {
  it('stop acking: the message of an unproved row stays in the queue', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 1 });
    stand.publish(1);
    await stand.consume();
    const rows = stand.logged('delivery');
    const sendKey = rows[0]?.['sendKey'] as Parameters<typeof stand.ledger.read>[0];
    const read = await stand.ledger.read(sendKey);
    if (read.kind !== 'row') throw new Error(read.kind);
    await stand.ledger.replace({ ...read.row, receipt: null }, read.row);
    stand.queue.model.publish(
      {
        queue: stand.queueName,
        payload: {
          user_id: 'u_1',
          reminder_id: 'r_1',
          scheduled_at: new Date(read.row.scheduledAt).toISOString(),
        },
        idempotencyKey: 'published-again',
      },
      stand.clock.now(),
    );
    const run = await stand.consume();
    expect(run).toMatchObject({ end: 'stopped', tally: { acked: 0, terminalAhead: 1 } });
    expect((await breakerOf(stand)).reason).toBe('SENT_WITHOUT_RECEIPT');
    expect(messagesIn(stand)).toBe(1);
  });
});

describe('refused credentials', () => {
  it('stop their channel alone, for this run and the next ones, until a probe is accepted', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 4 });
    stand.provider.faults.rule('push', 1, { kind: 'auth-failure' });
    stand.publish(10, { channel: 'push' });
    stand.publish(10, { channel: 'email' });
    await stand.consume();
    expect(stand.provider.effects.total).toBe(10);
    const { channels, mode } = await breakerOf(stand);
    expect(mode.kind).toBe('running');
    expect(channels['push']).toMatchObject({ reason: 'HTTP_401', refusals: 1 });
    const [found] = (await stand.check()).findings.filter(({ code }) => code === 'CHANNEL_STOPPED');
    expect(found).toMatchObject({ subject: 'push', reason: 'HTTP_401' });

    stand.publish(3, { channel: 'push' });
    await stand.clock.sleep(30_000);
    const waiting = await stand.consume();
    expect(waiting.tally).toMatchObject({ submissions: 0 });

    await stand.clock.sleep(310_000);
    const probe = await stand.consume();
    expect(probe.tally.submissions).toBe(1);
    expect((await breakerOf(stand)).channels['push']?.refusals).toBe(2);

    stand.provider.faults.clear();
    for (let tick = 0; tick < 8; tick += 1) {
      await stand.clock.sleep(310_000);
      await stand.consume();
    }
    expect((await breakerOf(stand)).channels).toEqual({});
    expect(stand.provider.effects.keyCount).toBe(23);
  });
});

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
