import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import { advance } from '#core/ledger-record.ts';
import { REOPENED } from '#core/reopen.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import type { DeadLetters, Ledger, Sender } from '#ports';
import { SETTINGS } from '#test/support/core-data.ts';
import { dynamoError } from '#test/support/dynamo-answers.ts';
import { openRedriveStand, QUEUE, type RedriveStand } from '#test/support/redrive-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const DLQ = `${QUEUE}.dlq`;
const THROTTLED = dynamoError('ProvisionedThroughputExceededException');

type Payloads = readonly Record<string, unknown>[];

async function plantExhausted(stand: RedriveStand, count: number): Promise<Payloads> {
  const payloads = Array.from({ length: count }, (_, index) => stand.payload(index));
  for (const payload of payloads) await stand.plantRow(payload, 'EXHAUSTED');
  stand.plantDeadLetters(...payloads);
  return payloads;
}

/** A calm run afterwards, and its consumer: everything sent, once, and counted once. */
async function expectFinished(stand: RedriveStand, payloads: Payloads): Promise<void> {
  stand.proxy.calm();
  stand.queue.faults.clear();
  stand.clock.advance(31_000);
  expect(await stand.redrive()).toMatchObject({ end: 'dead-letters-read', left: 0 });
  await stand.consume();
  for (const payload of payloads) {
    expect(await stand.rowOf(payload)).toMatchObject({ state: 'SENT', redriveCount: 1 });
    expect(stand.effectsOf(payload)).toBe(1);
  }
  expect(stand.deadLetters()).toEqual([]);
  expect(stand.live()).toEqual([]);
}

const withDeadLetters = (stand: RedriveStand, change: Partial<DeadLetters>): RedriveDeps => ({
  ...stand.deps,
  deadLetters: { ...stand.deps.deadLetters, ...change },
});
const withLedger = (stand: RedriveStand, change: Partial<RedriveDeps['ledger']>): RedriveDeps => {
  const { ledger } = stand.deps;
  const own: RedriveDeps['ledger'] = {
    read: (sendKey) => ledger.read(sendKey),
    claim: (row) => ledger.claim(row),
    replace: (row, seen) => ledger.replace(row, seen),
  };
  return { ...stand.deps, ledger: { ...own, ...change } };
};

describe('one dead letter in trouble never fails the rest', () => {
  test('the queue refuses a redrive: it stays, reopened and counted, and the next run takes it', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 6);
    const refusal = { kind: 'not-ok', status: 409, code: 'QUEUE_BUSY', retryable: false } as const;
    stand.queue.faults.script('queue.dlq.redrive', 'pass', 2).script('queue.dlq.redrive', refusal);

    const report = await stand.redrive();

    expect(report).toMatchObject({
      end: 'dead-letters-read',
      results: { redriven: 5, failed: 1, failedByCode: { 'queue:QUEUE_BUSY': 1 } },
      left: 1,
    });
    expect(report.summary).toContain('1 of these failed and stay');
    const rows = await Promise.all(payloads.map((payload) => stand.rowOf(payload)));
    expect(rows.filter((row) => row?.reason === REOPENED)).toHaveLength(1);
    stand.clock.advance(31_000);
    const plan = await stand.redrive({ mode: 'plan' });
    expect(plan.decisions).toMatchObject([{ reason: 'REOPENED_EARLIER', count: 1 }]);
    await expectFinished(stand, payloads);
  });

  test('refused three times over: its cap is untouched, since it was never redriven', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 1);
    const refusal = { kind: 'not-ok', code: 'QUEUE_BUSY', retryable: false } as const;
    for (let run = 0; run < 5; run += 1) {
      stand.queue.faults.script('queue.dlq.redrive', refusal);
      expect((await stand.redrive()).results?.failed).toBe(1);
      stand.clock.advance(31_000);
    }
    await expectFinished(stand, payloads);
  });

  test('a dead letter that vanishes in between is counted as such', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 4);
    let calls = 0;
    const deps = withDeadLetters(stand, {
      redrive(messageId) {
        calls += 1;
        if (calls === 2) stand.queue.model.ack({ queue: DLQ, messageId }, stand.clock.now());
        return stand.deps.deadLetters.redrive(messageId);
      },
    });
    const report = await stand.redrive(undefined, { deps });
    expect(report).toMatchObject({
      end: 'dead-letters-read',
      results: { redriven: 3, vanished: 1, failed: 0 },
    });
    await stand.consume();
    const effects = payloads.map((payload) => stand.effectsOf(payload));
    expect(effects.reduce((sum, count) => sum + count, 0)).toBe(3);
  });

  test('the answer to a redrive is lost: repeated under its key, redriven once', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 3);
    stand.queue.faults.script('queue.dlq.redrive', { kind: 'dropped', applied: true });
    expect((await stand.redrive()).results).toMatchObject({ redriven: 3, failed: 0 });
    expect(stand.queue.model.counters.redriven).toBe(3);
    await expectFinished(stand, payloads);
  });

  test('lost for good: it looks vanished, is alive, and is sent and counted once', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 3);
    let calls = 0;
    const deps = withDeadLetters(stand, {
      async redrive(messageId) {
        calls += 1;
        const answer = await stand.deps.deadLetters.redrive(messageId);
        return calls === 1 ? { kind: 'gone', code: 'QUEUE_MESSAGE_NOT_FOUND' } : answer;
      },
    });
    expect((await stand.redrive(undefined, { deps })).results).toMatchObject({ vanished: 1 });
    await expectFinished(stand, payloads);
  });

  test('a crash while one is read keeps that one', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 4);
    const [poison] = payloads;
    const push = stand.deps.senders.get('push') as Sender;
    const sender: Sender = {
      profile: push.profile,
      send: (request) => push.send(request),
      content(reminder) {
        if (reminder.reminderId === poison?.['reminder_id']) throw new TypeError('planted-text');
        return push.content(reminder);
      },
    };
    const deps = { ...stand.deps, senders: new Map([['push', sender]]) };
    const report = await stand.redrive(undefined, { deps });
    expect(report).toMatchObject({ results: { redriven: 3, kept: 1 } });
    expect(report.decisions).toContainEqual(
      expect.objectContaining({ reason: 'CRASHED', details: { TypeError: 1 } }),
    );
    expect(JSON.stringify(report)).not.toContain('planted-text');
  });
});

describe('a throttled ledger', () => {
  test('refuses to reopen one: it is neither redriven nor counted until it is written', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 5);
    const firstRowWrite = stand.proxy.requests.length;
    stand.proxy.rule(({ operation, body }) => {
      const rowWrites = stand.proxy.requests
        .slice(firstRowWrite)
        .filter((request) => request.operation === 'PutItem' && request.body.includes('"k1_'));
      const third = operation === 'PutItem' && body.includes('"k1_') && rowWrites.length === 3;
      return third ? THROTTLED : undefined;
    });
    const report = await stand.redrive();
    const code = 'ledger:ProvisionedThroughputExceededException';
    expect(report).toMatchObject({
      results: { redriven: 4, failed: 1, failedByCode: { [code]: 1 } },
      left: 1,
    });
    expect(stand.queue.model.counters.redriven).toBe(4);
    await expectFinished(stand, payloads);
  });

  test('field report 2: cannot be read, so nothing is taken for absent', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 4);
    stand.proxy.rule(({ operation, body }) =>
      operation === 'GetItem' && body.includes('"k1_') ? THROTTLED : undefined,
    );
    expect(await stand.redrive()).toMatchObject({
      decisions: [{ action: 'keep', reason: 'LEDGER_FAILED', count: 4 }],
    });
    await expectFinished(stand, payloads);
  });

  test('again and again: the run ends, says so, and everything is still there', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 20);
    stand.proxy.rule(({ body }) => (body.includes('"k1_') ? THROTTLED : undefined));
    expect(await stand.redrive({ mode: 'plan' })).toMatchObject({ end: 'ledger-failed' });
    expect(await stand.redrive()).toMatchObject({
      end: 'ledger-failed',
      endCode: 'ProvisionedThroughputExceededException',
      leaseGivenBack: true,
      left: 20,
    });
    await expectFinished(stand, payloads);
  });

  test('has reopened, and its answer is lost: counted once all the same', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 3);
    let rowWrites = 0;
    stand.proxy.rule(({ operation, body }) => {
      if (operation !== 'PutItem' || !body.includes('"k1_')) return undefined;
      rowWrites += 1;
      return rowWrites === 1 ? { kind: 'drop-answer' } : undefined;
    });
    expect((await stand.redrive()).results).toMatchObject({ redriven: 2, failed: 1 });
    await expectFinished(stand, payloads);
  });

  test('does not confirm a redrive: it is sent, and the report says that one may go uncounted', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 1);
    let rowWrites = 0;
    stand.proxy.rule(({ operation, body }) => {
      if (operation !== 'PutItem' || !body.includes('"k1_')) return undefined;
      rowWrites += 1;
      return rowWrites === 2 ? THROTTLED : undefined;
    });
    expect((await stand.redrive()).results).toMatchObject({ redriven: 1, unconfirmed: 1 });
    await expectFinished(stand, payloads);
  });

  test('cannot give the lease: nothing is done', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 2);
    stand.proxy.always('PutItem', THROTTLED);
    const report = await stand.redrive();
    expect(report).toMatchObject({ end: 'ledger-failed', examined: 0 });
    expect(stand.queue.model.counters.redriven).toBe(0);
  });

  test('a row that this release cannot read is kept, never replaced', async () => {
    const stand = await openRedriveStand(engine);
    const payloads = await plantExhausted(stand, 2);
    stand.proxy.rule(({ operation, body }) =>
      operation === 'GetItem' && body.includes('"k1_')
        ? { kind: 'rewrite', rewrite: (text) => text.replace('row/1', 'row/9') }
        : undefined,
    );
    expect(await stand.redrive()).toMatchObject({
      decisions: [{ reason: 'LEDGER_FAILED', details: { ROW_UNREADABLE: 2 } }],
    });
    await expectFinished(stand, payloads);
  });
});

describe('a row that moves between look and write', () => {
  const movedTo = (
    stand: RedriveStand,
    state: 'SENT' | 'CLAIMED',
  ): RedriveDeps['ledger']['replace'] => {
    let moved = false;
    return async (row, seen): ReturnType<Ledger['replace']> => {
      const { ledger } = stand.deps;
      if (!moved) {
        moved = true;
        const found = await ledger.read(row.sendKey);
        if (found.kind !== 'row') throw new Error('no row');
        const change = {
          ...{ state, reason: 'MOVED', claimToken: 't_other' as typeof row.claimToken },
          ...(state === 'SENT' && { receipt: 'rcpt_1' }),
          leaseUntil: stand.clock.now() + 60_000,
        };
        const now = stand.clock.now();
        await ledger.replace(advance(found.row, change, now, SETTINGS.ttlSeconds), found.row);
      }
      return ledger.replace(row, seen);
    };
  };

  test('to SENT by a worker: settled instead of redriven', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 1);
    const deps = withLedger(stand, { replace: movedTo(stand, 'SENT') });
    expect(await stand.redrive(undefined, { deps })).toMatchObject({
      decisions: [{ action: 'settle', reason: 'SENT', count: 1 }],
      results: { settled: 1, redriven: 0 },
    });
    expect(stand.queue.model.counters.redriven).toBe(0);
  });

  test('to a living claim: kept', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 1);
    const deps = withLedger(stand, { replace: movedTo(stand, 'CLAIMED') });
    expect(await stand.redrive(undefined, { deps })).toMatchObject({
      decisions: [{ action: 'keep', reason: 'CLAIM_ALIVE', count: 1 }],
    });
  });

  test('a row appears where there was none', async () => {
    const stand = await openRedriveStand(engine);
    const payload = stand.payload(0);
    stand.plantDeadLetters(payload);
    const deps = withLedger(stand, {
      async claim(row) {
        await stand.plantRow(payload, 'SENT');
        return stand.deps.ledger.claim(row);
      },
    });
    expect((await stand.redrive(undefined, { deps })).results).toMatchObject({ settled: 1 });
  });

  test('that keeps moving is left to the next run', async () => {
    const stand = await openRedriveStand(engine);
    await plantExhausted(stand, 1);
    const deps = withLedger(stand, {
      replace: async (_row, seen) => ({ kind: 'lost', row: seen as never }),
    });
    expect(await stand.redrive(undefined, { deps })).toMatchObject({
      decisions: [{ reason: 'LEDGER_FAILED', details: { ROW_KEEPS_MOVING: 1 } }],
      left: 1,
    });
  });
});
