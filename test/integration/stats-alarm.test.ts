import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATS_METRICS } from '#config/metrics.ts';
import type { Finding } from '#core/finding.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { dynamoError } from '#test/support/dynamo-answers.ts';
import { openPipelineStand, type PipelineStand } from '#test/support/pipeline-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const MINUTE_MS = 60_000;

/** One check a minute; the findings of the last one. */
async function minutes(stand: PipelineStand, count: number): Promise<readonly Finding[]> {
  let findings: readonly Finding[] = [];
  for (let minute = 0; minute < count; minute += 1) {
    await stand.clock.sleep(MINUTE_MS);
    findings = (await stand.check()).findings;
  }
  return findings;
}

function reasons(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ code, reason }) => `${code}:${reason}`);
}

/** What the function printed of its findings. */
function printed(stand: PipelineStand): readonly string[] {
  return stand.logged('finding').map((line) => `${line['code']}:${line['reason']}`);
}

/** The stats answer of the main queue with some figures replaced by JSON text. */
function tamper(stand: PipelineStand, figures: Readonly<Record<string, string>>): void {
  const path = `/v1/queue/stats/${stand.queueName}`;
  stand.service.rule((request) =>
    request.path === path
      ? {
          kind: 'rewrite',
          rewrite: (body) =>
            Object.entries(figures).reduce(
              (text, [name, json]) =>
                text.replace(
                  new RegExp(`"${name}":[^,}]+`),
                  json === '' ? '"left":0' : `"${name}":${json}`,
                ),
              body,
            ),
        }
      : undefined,
  );
}

describe('a calm quarter of an hour', () => {
  it('publishes every gauge and a heartbeat, and finds nothing', async () => {
    const stand = await openPipelineStand(engine);
    for (let tick = 0; tick < 15; tick += 1) {
      stand.publish(5);
      await stand.consume();
      expect(await minutes(stand, 1)).toEqual([]);
    }
    expect(stand.logged('finding')).toEqual([]);
    for (const name of Object.values(STATS_METRICS)) {
      expect(stand.metric(name), name).toEqual(expect.any(Number));
    }
    expect(stand.metric('StatsHeartbeat')).toBe(1);
    expect(stand.metric('Findings')).toBe(0);
    expect(stand.metric('BalanceUsd')).toBeGreaterThan(0);
  });

  it('twice in the same minute changes nothing that is remembered', async () => {
    const stand = await openPipelineStand(engine);
    await minutes(stand, 2);
    const [one, other] = await Promise.all([stand.check(), stand.check()]);
    expect(one.findings).toEqual(other.findings);
    await stand.clock.sleep(MINUTE_MS);
    expect((await stand.check()).history.readings).toHaveLength(3);
  });
});

describe('each alarm condition, provoked', () => {
  it('dead letters that stay for a quiet hour, and the invalid messages behind them', async () => {
    const stand = await openPipelineStand(engine);
    await stand.consume();
    await minutes(stand, 1);
    stand.publish(2, { user_id: '' });
    for (let tick = 0; tick < 4; tick += 1) {
      await stand.consume();
      await stand.clock.sleep(61_000);
    }
    expect(reasons(await minutes(stand, 1))).toContain('INVALID_MESSAGES:NO_KEY_CAN_BE_MADE');
    const later = await minutes(stand, 60);
    expect(reasons(later)).toContain('DEAD_LETTERS_WAITING:ABOVE_ZERO');
    expect(stand.metric('DeadLetters')).toBe(2);
    expect(printed(stand)).toContain('DEAD_LETTERS_WAITING:ABOVE_ZERO');
  });

  it('nobody consumes', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(3);
    const findings = await minutes(stand, 20);
    expect(reasons(findings)).toEqual([
      'NOBODY_CONSUMING:CONSUMER_SILENT',
      'CONSUMER_SILENT:NEVER_RAN',
    ]);
    expect(stand.metric('StaleSeconds')).toBe(20 * 60);
  });

  it('a slow provider', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(20);
    stand.queue.model.consume(
      { queue: stand.queueName, maxMessages: 5, visibilityTimeoutSeconds: 40_000 },
      stand.clock.now(),
    );
    expect(reasons(await minutes(stand, 20))).toContain('SLOW_PROVIDER:IN_FLIGHT_AND_AGEING');
    expect(stand.metric('StaleSeconds')).toBe(0);
  });

  it('a queue that has vanished, and one that never was', async () => {
    const stand = await openPipelineStand(engine);
    await minutes(stand, 1);
    stand.queue.model.delete(stand.queueName);
    const [warned] = await minutes(stand, 1);
    expect(warned).toMatchObject({ code: 'QUEUE_MISSING', reason: 'VANISHED', severity: 'warn' });
    const [paged] = await minutes(stand, 2);
    expect(paged).toMatchObject({ code: 'QUEUE_MISSING', severity: 'page' });
    expect(stand.metric('QueueMissing')).toBe(1);

    const never = await openPipelineStand(engine);
    never.queue.model.delete(never.queueName);
    expect(reasons(await minutes(never, 1))).toEqual(['QUEUE_MISSING:NEVER_SEEN']);
  });

  it('postponed copies that the queue does not have', async () => {
    const stand = await openPipelineStand(engine);
    const inTwoHours = new Date(stand.clock.now() + 7_200_000).toISOString();
    stand.publish(3, { scheduled_at: inTwoHours });
    expect((await stand.consume()).tally.postponed).toBe(3);
    expect(reasons(await minutes(stand, 5))).toEqual([]);
    stand.queue.model.delete(stand.queueName);
    stand.queue.model.create({ name: stand.queueName, deadLetterQueue: `${stand.queueName}.dlq` });
    expect(reasons(await minutes(stand, 3))).toEqual(['PUBLISHES_UNCONFIRMED:NONE_DELAYED']);
    expect(stand.metric('UnconfirmedPublishes')).toBe(3);
  });

  it.each([
    ['a string', '"7"', 'NOT_A_NUMBER'],
    ['null', 'null', 'NULL'],
    ['negative', '-1', 'NEGATIVE'],
    ['missing', '', 'MISSING'],
    ['infinite', '1e400', 'NOT_FINITE'],
  ])('field report 59: dlq_count as %s', async (_what, json, fault) => {
    const stand = await openPipelineStand(engine);
    tamper(stand, { dlq_count: json });
    const { findings } = await stand.check();
    expect(findings).toMatchObject([
      { code: 'STATS_INVALID', reason: fault, subject: 'dlq_count' },
    ]);
    expect(stand.metric('InvalidStats')).toBe(1);
    // What the dead-letter queue says of itself stands in.
    expect(stand.metric('DeadLetters')).toBe(0);
  });

  it('field report 59: a figure without any valid source is not published at all', async () => {
    const stand = await openPipelineStand(engine);
    tamper(stand, { oldest_message_age_seconds: '-1' });
    await stand.check();
    expect(stand.metric('OldestMessageAgeSeconds')).toBeUndefined();
    expect(stand.metric('StaleSeconds')).toBeUndefined();
    expect(stand.metric('QueueAvailable')).toBe(0);
    expect(stand.metric('StatsHeartbeat')).toBe(1);
    expect(JSON.stringify(stand.lines)).not.toMatch(/NaN|Infinity/);
  });

  it('stats that do not come at all', async () => {
    const stand = await openPipelineStand(engine);
    stand.queue.faults.rule('queue.stats', 1, {
      kind: 'not-ok',
      code: 'INTERNAL',
      retryable: false,
    });
    const findings = await minutes(stand, 3);
    expect(findings).toMatchObject([
      { code: 'STATS_INVALID', subject: 'queue', reason: 'INTERNAL', severity: 'page' },
      { code: 'STATS_INVALID', subject: 'dlq', reason: 'INTERNAL', severity: 'page' },
    ]);
  });

  it('a balance that runs out', async () => {
    const stand = await openPipelineStand(engine);
    stand.queue.model.account.balanceUsd = 4.99;
    expect(reasons((await stand.check()).findings)).toEqual(['BALANCE_LOW:BELOW_FLOOR']);
    expect(stand.metric('BalanceUsd')).toBe(4.99);
  });

  it('outcomes that are parked', async () => {
    const stand = await openPipelineStand(engine, { providerClass: 'blind' });
    stand.publish(2);
    stand.provider.faults.rule('push', 1, { kind: 'reset', accepted: true });
    await stand.consume();
    expect(reasons((await stand.check()).findings)).toEqual([
      'OUTCOMES_PARKED:UNKNOWN_AND_RESTING',
    ]);
    expect(stand.metric('ParkedRows')).toBe(2);
    expect(stand.metric('UnresolvedRows')).toBe(2);
  });

  it('outcomes that a later delivery settles are no finding', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(2);
    stand.provider.faults.script('push', { kind: 'reset', accepted: true }, 2);
    await stand.consume();
    expect((await stand.check()).findings).toEqual([]);
    expect(stand.metric('UnresolvedRows')).toBe(2);
    expect(stand.metric('ParkedRows')).toBe(0);
  });

  it('a consumer that no longer ends its runs', async () => {
    const stand = await openPipelineStand(engine);
    await stand.consume();
    expect(reasons(await minutes(stand, 14))).toEqual([]);
    expect(reasons(await minutes(stand, 1))).toEqual(['CONSUMER_SILENT:NO_RUN_ENDED']);
    await stand.consume();
    expect(reasons(await minutes(stand, 1))).toEqual([]);
  });

  it('a ledger that cannot be read: gauges of the queue and the heartbeat still come', async () => {
    const stand = await openPipelineStand(engine);
    stand.table.always('GetItem', dynamoError('AccessDeniedException'));
    const findings = await minutes(stand, 3);
    expect(reasons(findings)).toEqual(['LEDGER_UNREADABLE:AccessDeniedException']);
    expect(stand.metric('LedgerUnreadable')).toBe(1);
    expect(stand.metric('QueueAvailable')).toBe(0);
    expect(stand.metric('BreakerLevel')).toBeUndefined();
    expect(stand.metric('StatsHeartbeat')).toBe(1);
  });

  it('a ledger that refuses writes', async () => {
    const stand = await openPipelineStand(engine);
    await stand.consume();
    await minutes(stand, 1);
    stand.table.rule(({ operation, body }) =>
      operation === 'PutItem' && body.includes('"k1_')
        ? dynamoError('AccessDeniedException')
        : undefined,
    );
    stand.publish(3);
    await stand.consume();
    expect(stand.provider.effects.total).toBe(0);
    expect(reasons(await minutes(stand, 1))).toContain('LEDGER_FAILING:CALLS_FAIL');
  });

  it('receipts ahead of rows', async () => {
    const stand = await openPipelineStand(engine);
    await stand.consume();
    await minutes(stand, 1);
    stand.table.rule(({ operation, body }) =>
      operation === 'PutItem' && body.includes('"state":{"S":"SENT"}')
        ? dynamoError('InternalServerError', 500)
        : undefined,
    );
    stand.publish(1);
    await stand.consume();
    expect(reasons(await minutes(stand, 1))).toContain('RECEIPTS_AHEAD:ACCEPTED_NOT_RECORDED');
    expect(stand.metric('UnrecordedReceipts')).toBe(1);
    expect(stand.metric('ReceiptsAhead')).toBe(1);
  });

  it('the same reminder with another content', async () => {
    const stand = await openPipelineStand(engine);
    await stand.consume();
    await minutes(stand, 1);
    const one = { user_id: 'u_1', reminder_id: 'r_1', scheduled_at: '2026-07-26T09:00:00Z' };
    stand.publish(1, { ...one, data: { ends: 'today' } });
    stand.publish(1, { ...one, data: { ends: 'tomorrow' } });
    await stand.consume();
    expect(reasons(await minutes(stand, 1))).toContain('CONTENT_CONFLICTS:SAME_KEY_OTHER_BODY');
  });

  it('runs that end with their budget', async () => {
    const stand = await openPipelineStand(engine, { concurrency: 1 });
    await stand.consume();
    await minutes(stand, 1);
    stand.publish(30);
    stand.table.rule(({ operation, body }) => {
      if (operation === 'PutItem' && body.includes('"state":{"S":"SENT"}')) {
        void stand.clock.sleep(30_000);
      }
      return undefined;
    });
    expect((await stand.consume()).end).toBe('run-budget');
    expect(reasons(await minutes(stand, 1))).toContain(
      'RUNS_STOPPED_BY_BUDGET:BACKLOG_OUTLIVES_RUNS',
    );
    expect(stand.metric('RunsStoppedByBudget')).toBe(1);
  });
});

describe('what is printed', () => {
  it('is one line a finding, with its reason, its beginning and its section of the runbook', async () => {
    const stand = await openPipelineStand(engine);
    stand.queue.model.account.balanceUsd = 1;
    await minutes(stand, 3);
    expect(stand.logged('finding')).toHaveLength(3);
    expect(stand.logged('finding')[2]).toMatchObject({
      level: 'ERROR',
      code: 'BALANCE_LOW',
      severity: 'page',
      reason: 'BELOW_FLOOR',
      seen: 1,
      allowed: 5,
      runbook: 'balance-low',
    });
    const sinces = stand.logged('finding').map((line) => line['since']);
    expect(new Set(sinces).size).toBe(1);
  });

  it('holds nothing of a reminder', async () => {
    const stand = await openPipelineStand(engine);
    stand.publish(5, { body: 'Hi Ann', email: 'ann@example.test' });
    await stand.consume();
    await stand.check();
    const text = JSON.stringify(stand.lines);
    expect(text).not.toMatch(/u_[1-5]"|r_[1-5]"|Ann|example\.test|only-tests-know/);
  });

  it('field report 82: without a whole reading there is no heartbeat', async () => {
    const stand = await openPipelineStand(engine);
    const { INFRAI_API_KEY: _left, ...rest } = stand.env;
    const { createStatsAlarm } = await import('#functions/stats-alarm/stats-alarm.ts');
    const handler = createStatsAlarm(rest, stand.clock);
    const invocation = { awsRequestId: 'one', getRemainingTimeInMillis: () => 50_000 };
    await expect(handler({}, invocation)).rejects.toMatchObject({ code: 'SECRET_MISSING' });
    expect(stand.metric('StatsHeartbeat')).toBeUndefined();
  });
});
