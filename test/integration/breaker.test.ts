import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { breakerOf } from '#test/support/breaker-stand.ts';
import { dynamoError } from '#test/support/dynamo-answers.ts';
import type { ProxiedRequest } from '#test/support/faulty-proxy.ts';
import { openPipelineStand, type PipelineStand } from '#test/support/pipeline-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

/** Writes of a ledger row in this state. */
function writesOf(state: string) {
  return ({ operation, body }: ProxiedRequest) =>
    operation === 'PutItem' && body.includes(`"state":{"S":"${state}"}`)
      ? dynamoError('InternalServerError', 500)
      : undefined;
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
