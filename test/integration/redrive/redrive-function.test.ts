import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONSUMER_METRICS, REDRIVE_METRICS } from '#config/metrics.ts';
import { createRedrive } from '#functions/redrive/redrive.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import type { Clock } from '#ports';
import { openPipelineStand, type PipelineStand } from '#test/support/pipeline-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

/** The function as Lambda has it; the consumer ticks whenever the redrive waits. */
function redriveOf(stand: PipelineStand, settings: Readonly<Record<string, number>> = {}) {
  const clock: Clock = {
    now: () => stand.clock.now(),
    async sleep(ms) {
      await stand.clock.sleep(ms);
      await stand.consume();
    },
  };
  const env = { ...stand.env, REDRIVE: JSON.stringify(settings) };
  const handler = createRedrive(env, clock, seededRandom(11));
  return (event?: unknown) =>
    handler(event, { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 590_000 });
}

/** Everything available dies, as under a worker that ends each time. */
async function dieAll({ queue, queueName, clock }: PipelineStand): Promise<void> {
  for (let delivery = 1; delivery <= 3; delivery += 1) {
    for (let left = 100; left > 0; left -= 10) {
      queue.model.consume({ queue: queueName, maxMessages: 10, leaseMs: 1 }, clock.now());
    }
    await clock.sleep(2);
  }
}

describe('the redrive function', () => {
  test('on its schedule: dead letters go through its canary to one send each', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(12);
    await dieAll(stand);
    const redrive = redriveOf(stand);

    const report = await redrive();

    expect(report).toMatchObject({
      mode: 'redrive',
      trigger: 'scheduled',
      end: 'dead-letters-read',
      results: { redriven: 12, rowsCreated: 12 },
      canaries: [{ channel: 'push', verdict: 'passed' }],
      left: 0,
      leaseGivenBack: true,
    });
    await stand.consume();
    expect(stand.provider.effects.total).toBe(12);
    expect(stand.provider.effects.duplicated().size).toBe(0);
    expect(stand.metric(REDRIVE_METRICS.redriven)).toBe(12);
    expect(stand.metric(REDRIVE_METRICS.canariesFailed)).toBe(0);
    expect(stand.metric(REDRIVE_METRICS.runs)).toBe(1);
  });

  test('the rows that it makes are counted as keys claimed: receipts never run ahead of keys', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(4);
    await dieAll(stand);
    await redriveOf(stand, { canarySize: 0 })();
    await stand.consume();
    const published = (metric: string) =>
      stand.lines.reduce((sum, line) => sum + Number(line[metric] ?? 0), 0);
    expect(published(CONSUMER_METRICS.receipts)).toBe(4);
    expect(published(CONSUMER_METRICS.keysClaimed)).toBe(4);
  });

  test('a dry run on request: a plan with its summary, and no count is published', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(3);
    stand.publish(1, { user_id: '' });
    await dieAll(stand);
    const report = await redriveOf(stand)({ mode: 'plan' });
    expect(report).toMatchObject({
      mode: 'plan',
      trigger: 'requested',
      results: null,
      totals: { redrive: 3, settle: 0, keep: 1 },
      summary: '3 would be sent, 1 invalid (kept)',
    });
    expect(stand.metric(REDRIVE_METRICS.runs)).toBeUndefined();
    expect(stand.logged('redrive_run')).toMatchObject([{ mode: 'plan', toRedrive: 3, toKeep: 1 }]);
    expect(stand.logged('dead_letter')).toEqual([]);
  });

  test('an unknown field is refused by name, before anything is read', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(1);
    await dieAll(stand);
    const refused = redriveOf(stand)({ mode: 'redrive', fliter: { userId: 'planted-user' } });
    await expect(refused).rejects.toMatchObject({
      code: 'REDRIVE_REQUEST_INVALID',
      message: expect.stringContaining('unknown field "fliter"'),
    });
    expect(stand.service.requests).toEqual([]);
    expect(stand.table.requests).toEqual([]);
  });

  test('field report 76: neither the run’s lines nor its report hold an id, a text or a secret', async () => {
    const stand = await openPipelineStand(engine);
    const planted = ['planted-user', 'planted-reminder', 'planted-text', 'ann@example.test'];
    const data = { text: 'planted-text', to: 'ann@example.test' };
    stand.publish(2, { user_id: 'planted-user', data });
    stand.publish(1, { user_id: 'planted-user', reminder_id: 'planted-reminder', channel: 'fax' });
    await dieAll(stand);
    const redrive = redriveOf(stand, { canarySize: 0 });
    const filter = { userId: 'planted-user', reminderId: 'planted-reminder' };
    const reports = [
      await redrive({ mode: 'plan', filter }),
      await redrive({ mode: 'plan', filter: { userId: 'planted-user' } }),
      await redrive(),
    ];
    expect(reports.map(({ totals }) => totals.redrive)).toEqual([0, 2, 2]);
    const everything = JSON.stringify([stand.lines, reports]);
    for (const text of [...planted, 'ifr_test', 'a-secret-that', 'a-token-that']) {
      expect(everything).not.toContain(text);
    }
    const runLines = [...stand.logged('redrive_run'), ...stand.logged('redrive_decision')];
    expect(JSON.stringify(runLines)).not.toMatch(/k1_|qmsg_/);
  });

  test('every fault of its configuration is named at load', () => {
    const load = () =>
      createRedrive({ REDRIVE: JSON.stringify({ cap: -1, runLeaseSeconds: 60, limit: 5 }) });
    expect(load).toThrow(/REDRIVE\.cap[\s\S]*/);
    expect(load).toThrow(/STAGE[\s\S]*REDRIVE/);
    const nested = () =>
      createRedrive({
        REDRIVE: JSON.stringify({ runLeaseSeconds: 60, runBudgetSeconds: 130 }),
      });
    expect(nested).toThrow(/REDRIVE\.runLeaseSeconds: is 60; it must be at least .* \(150 s\)/);
    expect(nested).toThrow(/REDRIVE\.runBudgetSeconds: is 130; it must exceed/);
  });

  test('secrets that are missing fail the invocation with a code, and the next one reads again', async () => {
    const stand = await openPipelineStand(engine);
    const env: Record<string, string> = { ...stand.env };
    delete env['INFRAI_API_KEY'];
    const handler = createRedrive(env, stand.clock, seededRandom(3));
    const invocation = { awsRequestId: 'r', getRemainingTimeInMillis: () => 590_000 };
    await expect(handler(undefined, invocation)).rejects.toMatchObject({ code: 'SECRET_MISSING' });
    env['INFRAI_API_KEY'] = 'ifr_test';
    expect((await handler(undefined, invocation)).end).toBe('dead-letters-read');
  });
});
