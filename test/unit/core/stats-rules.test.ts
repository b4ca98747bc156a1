import { describe, expect, it } from 'vitest';
import { FRESH_BREAKER, limit, pause, stopChannel, trip } from '#core/breaker.ts';
import type { Signals } from '#core/stats-signals.ts';
import {
  aMarker,
  calmSignals,
  codesOf,
  Judge,
  MINUTE_MS,
  queueSignal,
  STARTED_AT,
} from '#test/support/stats-signals.ts';

const NOTHING: readonly string[] = [];

describe('dead letters', () => {
  const dead = (at: number) => calmSignals(at, { deadLetters: 3 });

  it('call somebody when they are there for a quiet hour, not before', () => {
    const judge = new Judge();
    expect(codesOf(judge.minutes(0, 59, dead))).toEqual(NOTHING);
    expect(codesOf(judge.minutes(60, 60, dead))).toEqual(['DEAD_LETTERS_WAITING:ABOVE_ZERO']);
  });

  it('that were redriven in between start a new hour', () => {
    const judge = new Judge();
    judge.minutes(0, 45, dead);
    judge.minutes(46, 46, (at) => calmSignals(at));
    expect(codesOf(judge.minutes(47, 105, dead))).toEqual(NOTHING);
    expect(codesOf(judge.minutes(106, 107, dead))).toEqual(['DEAD_LETTERS_WAITING:ABOVE_ZERO']);
  });

  it('field report 82: do not go away because the data stop', () => {
    const judge = new Judge();
    judge.minutes(0, 30, dead);
    const silent = (at: number) =>
      calmSignals(at, {
        queue: { kind: 'failed' },
        deadLetters: null,
        failed: [{ source: 'queue', code: 'TIMEOUT' }],
      });
    expect(codesOf(judge.minutes(31, 90, silent))).toContain(
      'DEAD_LETTERS_WAITING:LAST_KNOWN_ABOVE_ZERO',
    );
  });

  it('field report 82: two hours without any reading count as dead letters all the while', () => {
    const judge = new Judge();
    judge.minutes(0, 1, dead);
    expect(codesOf(judge.minutes(121, 121, dead))).toEqual(['DEAD_LETTERS_WAITING:ABOVE_ZERO']);
  });
});

describe('the oldest message ages', () => {
  /** The oldest message waits since the start. */
  const ageing =
    (figures: { available?: number; inFlight?: number; delayed?: number }) =>
    (at: number): Signals =>
      calmSignals(at, {
        queue: queueSignal({ ...figures, oldestAgeSeconds: (at - STARTED_AT) / 1000 }),
      });

  it('while nothing is in flight: nobody consumes', () => {
    const judge = new Judge();
    expect(codesOf(judge.minutes(0, 18, ageing({ available: 9 })))).toEqual(NOTHING);
    expect(codesOf(judge.minutes(19, 19, ageing({ available: 9 })))).toEqual([
      'NOBODY_CONSUMING:CONSUMER_TAKES_NOTHING',
    ]);
  });

  it('while the breaker is open: the reason says so', () => {
    const breaker = pause(FRESH_BREAKER, { by: 'ann', reason: 'HOLD', at: STARTED_AT });
    const judge = new Judge();
    const findings = judge.minutes(0, 19, (at) => ({ ...ageing({ available: 9 })(at), breaker }));
    expect(codesOf(findings)).toEqual(['NOBODY_CONSUMING:BREAKER_PAUSED', 'BREAKER_PAUSED:HOLD']);
  });

  it('while the consumer is silent: the reason says so', () => {
    const judge = new Judge();
    const findings = judge.minutes(0, 19, (at) => ({
      ...ageing({ available: 9 })(at),
      marker: aMarker(STARTED_AT),
    }));
    expect(codesOf(findings)).toEqual([
      'NOBODY_CONSUMING:CONSUMER_SILENT',
      'CONSUMER_SILENT:NO_RUN_ENDED',
    ]);
  });

  it('together with what is in flight: the provider is slow', () => {
    const judge = new Judge();
    expect(codesOf(judge.minutes(0, 19, ageing({ available: 9, inFlight: 4 })))).toEqual([
      'SLOW_PROVIDER:IN_FLIGHT_AND_AGEING',
    ]);
  });

  it('together with what is in flight, beside delayed ones: a rising backlog shows it', () => {
    const rising = (at: number, minute: number) =>
      ageing({ available: 9 + minute, inFlight: 4, delayed: 50 })(at);
    expect(codesOf(new Judge().minutes(0, 19, rising))).toEqual([
      'SLOW_PROVIDER:IN_FLIGHT_AND_AGEING',
    ]);
    const level = ageing({ available: 9, inFlight: 4, delayed: 50 });
    expect(codesOf(new Judge().minutes(0, 60, level))).toEqual(NOTHING);
  });

  it('as one that is delayed: nothing is stale', () => {
    const judge = new Judge();
    expect(codesOf(judge.minutes(0, 60, ageing({ delayed: 500 })))).toEqual([
      'DELAYED_BACKLOG:ALL_DELAYED',
    ]);
    expect(judge.minutes(61, 61, ageing({ delayed: 500 }))[0]?.severity).toBe('info');
  });

  it('as one that is delayed, while the consumer takes what comes between two looks', () => {
    const judge = new Judge();
    const findings = judge.minutes(0, 120, (at, minute) => ({
      ...ageing({ available: 5, delayed: 500 })(at),
      marker: aMarker(at, { deliveries: minute * 5 }),
    }));
    expect(codesOf(findings)).toEqual(NOTHING);
  });

  it('is not judged by one look, nor by two', () => {
    const judge = new Judge();
    const old = (at: number) =>
      calmSignals(at, { queue: queueSignal({ available: 9, oldestAgeSeconds: 90_000 }) });
    expect(codesOf(judge.minutes(0, 3, old))).toEqual(NOTHING);
    expect(codesOf(judge.minutes(4, 4, old))).toHaveLength(1);
  });

  it('a doubled invocation does not make two looks of one', () => {
    const judge = new Judge();
    const old = (at: number) =>
      calmSignals(at, { queue: queueSignal({ available: 9, oldestAgeSeconds: 90_000 }) });
    judge.minutes(0, 2, old);
    judge.minutes(2, 2, (at) => old(at + 3000));
    expect(judge.history.readings).toHaveLength(3);
    expect(codesOf(judge.minutes(3, 3, old))).toEqual(NOTHING);
  });

  it('is judged at five minutes between two looks as well', () => {
    const judge = new Judge();
    const old = (at: number) =>
      calmSignals(at, { queue: queueSignal({ available: 9, oldestAgeSeconds: 90_000 }) });
    judge.minutes(0, 0, old);
    expect(codesOf(judge.minutes(5, 5, old))).toHaveLength(1);
  });
});

describe('the queue is gone', () => {
  const gone = (at: number) =>
    calmSignals(at, { queue: { kind: 'missing', code: 'QUEUE_NOT_FOUND' }, deadLetters: null });

  it('after it was seen: vanished; one look warns, three page', () => {
    const judge = new Judge();
    judge.minutes(0, 0, (at) => calmSignals(at));
    const first = judge.minutes(1, 1, gone);
    expect(codesOf(first)).toEqual(['QUEUE_MISSING:VANISHED']);
    expect(first[0]?.severity).toBe('warn');
    expect(judge.minutes(2, 3, gone)[0]?.severity).toBe('page');
  });

  it('and never was there', () => {
    expect(codesOf(new Judge().minutes(0, 0, gone))).toEqual(['QUEUE_MISSING:NEVER_SEEN']);
  });
});

describe('publishes that the stats deny', () => {
  const dueAt = STARTED_AT + 3_600_000;
  const copies = [{ dueAt, count: 4 }];
  const published = (delayed: number | null) => (at: number) =>
    calmSignals(at, { queue: queueSignal({ delayed }), marker: { ...aMarker(at), copies } });

  it('three looks that count none of them call somebody', () => {
    const judge = new Judge();
    expect(codesOf(judge.minutes(0, 1, published(0)))).toEqual(NOTHING);
    const findings = judge.minutes(2, 2, published(0));
    expect(codesOf(findings)).toEqual(['PUBLISHES_UNCONFIRMED:NONE_DELAYED']);
    expect(findings[0]?.seen).toBe(4);
  });

  it('one that is counted is enough, since a repeated publish makes no new message', () => {
    expect(codesOf(new Judge().minutes(0, 30, published(1)))).toEqual(NOTHING);
  });

  it('a figure that was refused denies nothing', () => {
    expect(codesOf(new Judge().minutes(0, 30, published(null)))).toEqual(NOTHING);
  });

  it('copies that are due are no longer expected', () => {
    const judge = new Judge();
    judge.minutes(0, 58, published(1));
    expect(codesOf(judge.minutes(59, 90, published(0)))).toEqual(NOTHING);
  });
});

describe('sources', () => {
  it('field report 59: an invalid figure is a signal with its name and its fault', () => {
    const invalid = [{ figure: 'dlq_count', fault: 'NEGATIVE' as const }];
    const [found] = new Judge().minutes(0, 0, (at) => calmSignals(at, { invalid }));
    expect(found).toMatchObject({
      code: 'STATS_INVALID',
      reason: 'NEGATIVE',
      subject: 'dlq_count',
      severity: 'warn',
    });
  });

  it('one lost answer warns, an answer lost three times pages', () => {
    const judge = new Judge();
    const failed = [{ source: 'balance' as const, code: 'TIMEOUT' }];
    const lost = (at: number) => calmSignals(at, { failed });
    expect(judge.minutes(0, 0, lost)[0]?.severity).toBe('warn');
    judge.minutes(1, 1, (at) => calmSignals(at));
    expect(judge.minutes(2, 2, lost)[0]?.severity).toBe('warn');
    expect(judge.minutes(3, 4, lost)[0]?.severity).toBe('page');
  });

  it('a balance below the floor is found, at the floor it is not', () => {
    const at = (balanceUsd: number) => new Judge().read(calmSignals(STARTED_AT, { balanceUsd }));
    expect(codesOf(at(4.99))).toEqual(['BALANCE_LOW:BELOW_FLOOR']);
    expect(codesOf(at(5))).toEqual(NOTHING);
  });

  it('an unreadable ledger is found, and nothing is said of a consumer that nobody could ask', () => {
    const failing = { ledgerFailure: 'ThrottlingException', marker: null, breaker: null };
    const findings = new Judge().minutes(0, 60, (at) =>
      calmSignals(at, { ...failing, unresolved: null }),
    );
    expect(codesOf(findings)).toEqual(['LEDGER_UNREADABLE:ThrottlingException']);
  });

  it('parked outcomes are found, those that settle by themselves are not', () => {
    const rows = { rows: 7, oldestAt: STARTED_AT, complete: true };
    const read = (parked: number) =>
      new Judge().read(
        calmSignals(STARTED_AT, { unresolved: { ...rows, parked, oldestParkedAt: STARTED_AT } }),
      );
    expect(codesOf(read(0))).toEqual(NOTHING);
    expect(codesOf(read(2))).toEqual(['OUTCOMES_PARKED:UNKNOWN_AND_RESTING']);
  });
});

describe('the breaker', () => {
  const read = (breaker: typeof FRESH_BREAKER) =>
    new Judge().read(calmSignals(STARTED_AT + MINUTE_MS, { breaker }));

  it('is found open with its reason and since when', () => {
    const [found] = read(trip(FRESH_BREAKER, 'NO_RECEIPTS', STARTED_AT));
    expect(found).toMatchObject({
      code: 'BREAKER_PAUSED',
      reason: 'NO_RECEIPTS',
      since: STARTED_AT,
      severity: 'page',
      runbook: 'breaker-open',
    });
  });

  it('is found limited, which calls nobody', () => {
    const [found] = read(limit(FRESH_BREAKER, 2, { by: 'ann', reason: 'SLOW', at: STARTED_AT }));
    expect(found).toMatchObject({ code: 'BREAKER_LIMITED', severity: 'warn', seen: 2 });
  });

  it('names each stopped channel', () => {
    const change = { by: 'breaker', reason: 'HTTP_401', at: STARTED_AT };
    expect(read(stopChannel(FRESH_BREAKER, 'email', change))[0]).toMatchObject({
      code: 'CHANNEL_STOPPED',
      subject: 'email',
      reason: 'HTTP_401',
    });
  });
});

describe('the consumer', () => {
  it('is silent after a quarter of an hour without an ended run', () => {
    const judge = new Judge();
    const silent = (at: number) => calmSignals(at, { marker: aMarker(STARTED_AT) });
    expect(codesOf(judge.minutes(0, 14, silent))).toEqual(NOTHING);
    expect(codesOf(judge.minutes(15, 15, silent))).toEqual(['CONSUMER_SILENT:NO_RUN_ENDED']);
  });

  it('that never ran is silent since somebody watches', () => {
    const judge = new Judge();
    const never = (at: number) => calmSignals(at, { marker: null });
    expect(codesOf(judge.minutes(0, 14, never))).toEqual(NOTHING);
    expect(codesOf(judge.minutes(15, 15, never))).toEqual(['CONSUMER_SILENT:NEVER_RAN']);
  });

  it.each([
    ['receiptsAhead', 'RECEIPTS_AHEAD:ACCEPTED_NOT_RECORDED'],
    ['terminalAhead', 'TERMINAL_AHEAD:SENT_WITHOUT_RECEIPT'],
    ['contentConflicts', 'CONTENT_CONFLICTS:SAME_KEY_OTHER_BODY'],
    ['invalidMessages', 'INVALID_MESSAGES:NO_KEY_CAN_BE_MADE'],
    ['ledgerFailures', 'LEDGER_FAILING:CALLS_FAIL'],
    ['crashed', 'DELIVERIES_CRASHED:A_BUG_OR_A_POISON'],
    ['budgetStops', 'RUNS_STOPPED_BY_BUDGET:BACKLOG_OUTLIVES_RUNS'],
  ] as const)('%s that grow are found for a quarter of an hour', (total, expected) => {
    const judge = new Judge();
    const withTotal = (value: number) => (at: number) =>
      calmSignals(at, { marker: aMarker(at, { [total]: value }) });
    expect(codesOf(judge.minutes(0, 1, withTotal(7)))).toEqual(NOTHING);
    expect(codesOf(judge.minutes(2, 2, withTotal(8)))).toEqual([expected]);
    expect(codesOf(judge.minutes(3, 16, withTotal(8)))).toEqual([expected]);
    expect(codesOf(judge.minutes(17, 17, withTotal(8)))).toEqual(NOTHING);
  });
});

it('a finding keeps its beginning while it is open', () => {
  const judge = new Judge();
  const low = (at: number) => calmSignals(at, { balanceUsd: 1 });
  expect(judge.minutes(3, 9, low)[0]?.since).toBe(STARTED_AT + 3 * MINUTE_MS);
});
