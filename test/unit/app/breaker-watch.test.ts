import { describe, expect, it } from 'vitest';
import { changeBreaker, readBreaker } from '#app/breaker-control.ts';
import { BreakerGuard, type GuardDeps } from '#app/breaker-guard.ts';
import type { BreakerWatch } from '#app/breaker-watch.ts';
import { type DeliveryReport, openReport } from '#app/delivery-report.ts';
import { openTally } from '#app/tally.ts';
import { FRESH_BREAKER, limit, pause } from '#core/breaker.ts';
import { type Evidence, withEvidence } from '#core/breaker-evidence.ts';
import { OPERATOR, unrecorded } from '#test/support/breaker-data.ts';
import { HandClock } from '#test/support/hand-clock.ts';
import { aClaimedRow, finished } from '#test/support/ledger-rows.ts';
import { MemoryControls } from '#test/support/memory-controls.ts';
import { MemoryLedger } from '#test/support/memory-ledger.ts';

function open(controls = new MemoryControls()) {
  const clock = new HandClock();
  const ledger = new MemoryLedger();
  const counted: string[] = [];
  const logged: string[] = [];
  const deps: GuardDeps = {
    controls,
    ledger,
    clock,
    concurrency: 8,
    tripsMetric: 'Trips',
    telemetry: {
      count: (metric) => counted.push(metric),
      log: (_level, event) => logged.push(event),
    },
  };
  return { controls, ledger, clock, counted, logged, deps, guard: new BreakerGuard(deps) };
}

async function watchOf(guard: BreakerGuard): Promise<BreakerWatch> {
  const start = await guard.start();
  if (start.kind !== 'go') throw new Error(start.kind);
  return start.watch;
}

function aReport(change: Partial<DeliveryReport> = {}): DeliveryReport {
  return {
    ...openReport('qmsg_1', 1),
    sendKey: 'k1_1',
    channel: 'push',
    attempt: 1,
    outcome: 'sent',
    reason: 'ACCEPTED',
    receipt: true,
    receiptId: 'rcpt_other',
    submissions: 1,
    ...change,
  };
}

async function modeOf(controls: MemoryControls): Promise<unknown> {
  const answer = await readBreaker(controls);
  return answer.kind === 'failed' ? answer.code : answer.breaker.mode.kind;
}

describe('a run that takes a key over', () => {
  it('sees what another run could not record meanwhile, and trips on another receipt', async () => {
    const { guard, controls, clock } = open();
    const watch = await watchOf(guard);
    await changeBreaker(controls, (breaker) => withEvidence(breaker, unrecorded(1, clock.now())));
    watch.observe(aReport({ takenOver: true }));
    await watch.settled();
    expect(watch.observe(aReport({ outcome: 'duplicate', receiptId: null }))).toBe('halt');
    expect(await modeOf(controls)).toBe('paused');
  });

  it('and gets the same receipt, makes good what was unrecorded', async () => {
    const { guard, controls, clock } = open();
    const watch = await watchOf(guard);
    await changeBreaker(controls, (breaker) => withEvidence(breaker, unrecorded(1, clock.now())));
    watch.observe(aReport({ takenOver: true, receiptId: 'rcpt_1' }));
    await watch.settled();
    await watch.end({ end: 'queue-empty', tally: openTally() });
    expect(await readBreaker(controls)).toMatchObject({
      breaker: { mode: { kind: 'running' }, unrecorded: [] },
    });
  });
});

describe('a run that sends again by policy', () => {
  const resent = aReport({ takenOver: true, policyAttempt: 1 });

  it('counts the duplicate once, and goes on', async () => {
    const { guard, controls, clock, counted, logged } = open();
    await changeBreaker(controls, (breaker) => withEvidence(breaker, unrecorded(1, clock.now())));
    const watch = await watchOf(guard);
    expect(watch.observe(resent)).toBe('go-on');
    await watch.settled();
    expect(watch.observe(resent)).toBe('go-on');
    await watch.end({ end: 'queue-empty', tally: openTally() });
    expect(watch.duplicatesByPolicy).toBe(1);
    expect({ counted, logged }).toEqual({ counted: [], logged: ['duplicate_by_policy'] });
    expect(await readBreaker(controls)).toMatchObject({
      breaker: { mode: { kind: 'running' }, unrecorded: [] },
    });
  });

  it('counts it also where the other acceptance came up in mid-run', async () => {
    const { guard, controls, clock, counted } = open();
    const watch = await watchOf(guard);
    await changeBreaker(controls, (breaker) => withEvidence(breaker, unrecorded(1, clock.now())));
    watch.observe(resent);
    await watch.settled();
    await watch.end({ end: 'queue-empty', tally: openTally() });
    expect(watch.duplicatesByPolicy).toBe(1);
    expect(counted).toEqual([]);
  });

  it('is a clean one when the worker that it replaced comes too late', async () => {
    const { guard, controls } = open();
    await changeBreaker(controls, () => limit(FRESH_BREAKER, 2, OPERATOR));
    const watch = await watchOf(guard);
    watch.observe(aReport({ outcome: 'lost-claim', reason: 'RESENT_BY_POLICY' }));
    await watch.end({ end: 'queue-empty', tally: { ...openTally(), receipts: 1 } });
    expect(await readBreaker(controls)).toMatchObject({ breaker: { mode: { concurrency: 4 } } });
  });
});

describe('the start of a run', () => {
  const row = finished(aClaimedRow(), 'SENT');
  const waiting = (receipt: string, at: number): Evidence => {
    const send = { sendKey: row.sendKey, attempt: 0, policyAttempt: null };
    return { kind: 'unrecorded', ...send, receipt, at };
  };

  async function startWith(receipt: string, reason: string, found = row) {
    const { guard, controls, clock, ledger, counted, logged } = open();
    ledger.rows.set(row.sendKey, { ...found, reason });
    await changeBreaker(controls, (breaker) =>
      withEvidence(breaker, waiting(receipt, clock.now())),
    );
    const start = await guard.start();
    const answer = await readBreaker(controls);
    if (answer.kind === 'failed') throw new Error(answer.code);
    const waits = answer.breaker.unrecorded.length;
    const duplicates = start.kind === 'go' ? start.watch.duplicatesByPolicy : 0;
    return { kind: start.kind, waits, trips: counted.length, duplicates, logged };
  }

  it('finds the record of an acceptance that waited for one', async () => {
    expect(await startWith('rcpt_0001', 'ACCEPTED')).toEqual({
      ...{ kind: 'go', waits: 0, trips: 0, duplicates: 0 },
      logged: [],
    });
  });

  it('trips where the record holds another receipt', async () => {
    expect(await startWith('rcpt_extra', 'ACCEPTED')).toMatchObject({
      kind: 'paused',
      waits: 0,
      trips: 1,
    });
  });

  it('counts a duplicate where policy resend explains the other receipt', async () => {
    const again = { state: 'CLAIMED', at: row.claimedAt, attempt: 1, reason: 'RESEND_BY_POLICY' };
    const history = [...row.history, again as (typeof row.history)[number]];
    expect(await startWith('rcpt_extra', 'ACCEPTED', { ...row, attempt: 1, history })).toEqual({
      ...{ kind: 'go', waits: 0, trips: 0, duplicates: 1 },
      logged: ['duplicate_by_policy'],
    });
  });

  it('takes the word of an operator and of a question, whatever receipt they name', async () => {
    for (const reason of ['RESOLVED_SENT', 'FOUND_AT_PROVIDER', 'ASSUMED_SENT_BY_POLICY']) {
      expect(await startWith('rcpt_extra', reason)).toMatchObject({ kind: 'go', waits: 0 });
    }
  });

  it('forgets what policy resend had given up once the row has ended without it', async () => {
    const again = { state: 'CLAIMED', at: row.claimedAt, attempt: 1, reason: 'RESEND_BY_POLICY' };
    const history = [...row.history, again as (typeof row.history)[number]];
    for (const state of ['REJECTED', 'EXPIRED'] as const) {
      const ended = { ...row, state, receipt: null, attempt: 1 };
      expect(await startWith('rcpt_lost', 'HTTP_422', { ...ended, history })).toMatchObject({
        ...{ kind: 'go', waits: 0, trips: 0, duplicates: 0 },
      });
      expect(await startWith('rcpt_lost', 'HTTP_422', ended)).toMatchObject({ waits: 1 });
    }
    const exhausted = { ...row, state: 'EXHAUSTED' as const, receipt: null, attempt: 1, history };
    expect(await startWith('rcpt_lost', 'HTTP_503', exhausted)).toMatchObject({ waits: 1 });
  });

  it('waits on while the row is not finished', async () => {
    const { guard, controls, clock, ledger } = open();
    ledger.rows.set(row.sendKey, finished(aClaimedRow({ sendKey: row.sendKey }), 'UNKNOWN'));
    await changeBreaker(controls, (breaker) => withEvidence(breaker, waiting('r', clock.now())));
    await guard.start();
    expect(await readBreaker(controls)).toMatchObject({
      breaker: { unrecorded: [{ receipt: 'r' }] },
    });
  });
});

describe('a lost claim whose winner holds another receipt', () => {
  it('halts at once and pauses everybody, and is counted once', async () => {
    const { guard, controls, counted, logged } = open();
    const watch = await watchOf(guard);
    const lost = aReport({ outcome: 'lost-claim', reason: 'WINNER_HOLDS_OTHER_RECEIPT' });
    expect(watch.observe(lost)).toBe('halt');
    expect(watch.observe({ ...lost, sendKey: 'k1_2' })).toBe('halt');
    await watch.settled();
    expect(await modeOf(controls)).toBe('paused');
    expect(counted).toEqual(['Trips']);
    expect(logged).toEqual(['breaker_tripped']);
    expect((await guard.start()).kind).toBe('paused');
  });
});

describe('a row that says SENT without proof', () => {
  it('halts the acks as well', async () => {
    const watch = await watchOf(open().guard);
    expect(watch.observe(aReport({ outcome: 'unproved', receiptId: null }))).toBe('halt-acks');
    await watch.settled();
  });
});

describe('what another writes at the same time', () => {
  it('is kept beside what this run has seen', async () => {
    const { guard, controls, clock } = open();
    const watch = await watchOf(guard);
    watch.observe(aReport({ outcome: 'record-failed', sendKey: 'k1_7' }));
    await changeBreaker(controls, (breaker) => withEvidence(breaker, unrecorded(9, clock.now())));
    await watch.settled();
    const answer = await readBreaker(controls);
    if (answer.kind === 'failed') throw new Error(answer.code);
    expect(answer.breaker.unrecorded.map(({ sendKey }) => sendKey).sort()).toEqual([
      'k1_7',
      'k1_9',
    ]);
  });

  it('a pause is seen within a quarter of a minute', async () => {
    const { guard, controls, clock } = open();
    const watch = await watchOf(guard);
    await changeBreaker(controls, () => pause(FRESH_BREAKER, OPERATOR));
    expect(watch.observe(aReport())).toBe('go-on');
    await clock.sleep(15_000);
    watch.observe(aReport());
    await watch.settled();
    expect(watch.observe(aReport())).toBe('halt');
  });

  it('a lower limit ends the run without dropping what is in hand', async () => {
    const { guard, controls, clock } = open();
    const watch = await watchOf(guard);
    await changeBreaker(controls, () => limit(FRESH_BREAKER, 2, OPERATOR));
    await clock.sleep(15_000);
    watch.observe(aReport());
    await watch.settled();
    expect(watch.observe(aReport())).toBe('stop');
  });
});

describe('the end of a run', () => {
  const clean = { ...openTally(), receipts: 1 };

  it('doubles the limit after a clean one only', async () => {
    const { guard, controls } = open();
    await changeBreaker(controls, () => limit(FRESH_BREAKER, 2, OPERATOR));
    for (const tally of [openTally(), { ...clean, stoppedChannels: ['push'] }]) {
      await (await watchOf(guard)).end({ end: 'queue-empty', tally });
    }
    await (await watchOf(guard)).end({ end: 'queue-failed', tally: clean });
    const dirty = await watchOf(guard);
    dirty.observe(aReport({ outcome: 'record-failed' }));
    await dirty.end({ end: 'queue-empty', tally: clean });
    expect(await readBreaker(controls)).toMatchObject({ breaker: { mode: { concurrency: 2 } } });
    await (await watchOf(guard)).end({ end: 'run-budget', tally: clean });
    expect(await readBreaker(controls)).toMatchObject({ breaker: { mode: { concurrency: 4 } } });
  });

  it('of a calm one writes nothing', async () => {
    const { guard, controls } = open();
    const watch = await watchOf(guard);
    watch.observe(aReport());
    await watch.end({ end: 'queue-empty', tally: clean });
    expect(await controls.read('breaker')).toEqual({ kind: 'absent' });
  });
});
