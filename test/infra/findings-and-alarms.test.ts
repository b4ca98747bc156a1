import { describe, expect, it } from 'vitest';
import { statsSchema } from '#config/stats-config.ts';
import { FRESH_BREAKER, pause, stopChannel, trip } from '#core/breaker.ts';
import { withEvidence } from '#core/breaker-evidence.ts';
import type { Finding, FindingCode } from '#core/finding.ts';
import type { Signals } from '#core/stats-signals.ts';
import { publishCheck } from '#functions/stats-alarm/publish-check.ts';
import { type Sample, simulate } from '#test/support/alarm-simulator.ts';
import { unrecorded } from '#test/support/breaker-data.ts';
import {
  aMarker,
  calmSignals,
  Judge,
  MINUTE_MS,
  queueSignal,
  STARTED_AT,
} from '#test/support/stats-signals.ts';
import { production, resourcesOf, synthesise } from '#test/support/synthesise.ts';

/**
 * The same readings, judged twice: by the rules of the stats function, and by the synthesised
 * alarms on the gauges that it publishes of them. An alarm waits so that it never flaps; a finding
 * says it at the first reading that proves it. Otherwise they must agree.
 */
const alarms = resourcesOf(synthesise(production()).service, 'AWS::CloudWatch::Alarm');
const DAY_MINUTES = 1440;
const NOON = 720;
const HOUR = 60;

type Signal = (at: number, minute: number) => Partial<Signals>;

/** A day that is calm but for `trouble` from noon on, for `minutes`. */
function day(trouble: Signal, minutes: number) {
  const judge = new Judge(statsSchema.parse({}));
  const gauges: Record<string, Sample[]> = {};
  const findings: (readonly Finding[])[] = [];
  for (let minute = 0; minute < DAY_MINUTES; minute += 1) {
    const at = STARTED_AT + minute * MINUTE_MS;
    const troubled = minute >= NOON && minute < NOON + minutes;
    const calm = calmSignals(at, { marker: aMarker(at, { deliveries: minute }) });
    const signals = troubled ? { ...calm, ...trouble(at, minute - NOON) } : calm;
    const found = judge.read(signals);
    findings.push(found);
    const gauge = (metric: string, value: number) => {
      gauges[metric] ??= [];
      gauges[metric].push({ atMinute: minute, value });
    };
    const telemetry = { log: () => {}, count: () => {}, sample: () => {}, gauge };
    publishCheck(telemetry, { signals, history: judge.history, findings: found });
  }
  return { gauges, findings };
}

function alarmMinutes(id: string, gauges: Readonly<Record<string, Sample[]>>): readonly number[] {
  const [alarm] = Object.entries(alarms).filter(([name]) =>
    new RegExp(`^PipelineAlarms${id}[0-9A-F]{8}$`).test(name),
  );
  if (alarm === undefined) throw new Error(`no alarm ${id}`);
  const changes = simulate(alarm[1], gauges, DAY_MINUTES);
  return changes.filter(({ state }) => state === 'ALARM').map(({ atMinute }) => atMinute);
}

const change = { by: 'ann', reason: 'HOLD', at: STARTED_AT };
const dead = (at: number): Partial<Signals> => ({
  deadLetters: 4,
  queue: queueSignal({ deadLetters: 4 }),
  marker: aMarker(at, { deliveries: NOON }),
});
const ageing: Signal = (at, minute) => ({
  queue: queueSignal({ available: 7, oldestAgeSeconds: minute * 60 }),
  marker: aMarker(at, { deliveries: NOON }),
});
const copies = [{ dueAt: STARTED_AT + 3 * 86_400_000, count: 3 }];

type Pair = {
  readonly finding: FindingCode;
  readonly trouble: Signal;
  /** Long enough for both, minutes. */
  readonly lasts: number;
  /** Too short for the alarm. */
  readonly passes: number;
};

const PAIRS: Readonly<Record<string, Pair>> = {
  DeadLetters: { finding: 'DEAD_LETTERS_WAITING', trouble: dead, lasts: 120, passes: 50 },
  StaleQueue: { finding: 'NOBODY_CONSUMING', trouble: ageing, lasts: 120, passes: 14 },
  QueueMissing: {
    finding: 'QUEUE_MISSING',
    trouble: () => ({ queue: { kind: 'missing', code: 'QUEUE_NOT_FOUND' }, deadLetters: null }),
    lasts: HOUR,
    passes: 2,
  },
  PublishesUnconfirmed: {
    finding: 'PUBLISHES_UNCONFIRMED',
    trouble: (at, minute) => ({
      marker: { ...aMarker(at, { deliveries: NOON + minute }), copies },
    }),
    lasts: HOUR,
    passes: 2,
  },
  StatsInvalid: {
    finding: 'STATS_INVALID',
    trouble: () => ({ invalid: [{ figure: 'dlq_count', fault: 'NULL' }], deadLetters: null }),
    lasts: HOUR,
    passes: 2,
  },
  OutcomesParked: {
    finding: 'OUTCOMES_PARKED',
    trouble: (at) => ({
      unresolved: { rows: 2, parked: 2, oldestAt: at, oldestParkedAt: at, complete: true },
    }),
    lasts: 120,
    passes: 0,
  },
  ReceiptsUnrecorded: {
    finding: 'RECEIPTS_AHEAD',
    trouble: (at, minute) => ({
      breaker: withEvidence(FRESH_BREAKER, unrecorded(1, at)),
      marker: aMarker(at, { deliveries: NOON + minute, receiptsAhead: 1 }),
    }),
    lasts: HOUR,
    passes: 0,
  },
  BreakerOpen: {
    finding: 'BREAKER_PAUSED',
    trouble: () => ({ breaker: trip(FRESH_BREAKER, 'OTHER_RECEIPT', STARTED_AT) }),
    lasts: HOUR,
    passes: 0,
  },
  ChannelStopped: {
    finding: 'CHANNEL_STOPPED',
    trouble: () => ({ breaker: stopChannel(FRESH_BREAKER, 'push', change) }),
    lasts: HOUR,
    passes: 0,
  },
  ConsumerSilent: {
    finding: 'CONSUMER_SILENT',
    trouble: () => ({ marker: aMarker(STARTED_AT + NOON * MINUTE_MS, { deliveries: NOON }) }),
    lasts: 120,
    passes: 14,
  },
  LedgerUnreadable: {
    finding: 'LEDGER_UNREADABLE',
    trouble: () => ({ ledgerFailure: 'X', marker: null, breaker: null, unresolved: null }),
    lasts: HOUR,
    passes: 2,
  },
  BalanceLow: {
    finding: 'BALANCE_LOW',
    trouble: () => ({ balanceUsd: 4.99 }),
    lasts: HOUR,
    passes: 0,
  },
};

describe.each(Object.entries(PAIRS))('alarm %s and its finding', (id, pair) => {
  const isPage = (found: Finding) => found.code === pair.finding && found.severity === 'page';

  it('both call, the finding first, and it is open while the alarm begins', () => {
    const { gauges, findings } = day(pair.trouble, pair.lasts);
    const [called, ...again] = alarmMinutes(id, gauges);
    expect(called).toBeDefined();
    expect(again).toEqual([]);
    const first = findings.findIndex((found) => found.some(isPage));
    expect(first).toBeGreaterThanOrEqual(NOON);
    // CloudWatch sees a period once it is over: a few minutes after the reading that ended it.
    expect(first).toBeLessThanOrEqual(called ?? 0);
    expect((called ?? 0) - first).toBeLessThanOrEqual(36);
  });

  it('neither calls for a trouble that passes', () => {
    const { gauges, findings } = day(pair.trouble, pair.passes);
    expect(alarmMinutes(id, gauges)).toEqual([]);
    expect(findings.flat().filter(isPage)).toEqual([]);
  });
});

it('a delayed backlog, however old, calls neither', () => {
  const delayed: Signal = (_at, minute) => ({
    queue: queueSignal({ delayed: 500, oldestAgeSeconds: 86_400 + minute * 60 }),
  });
  const { gauges, findings } = day(delayed, 300);
  expect(alarmMinutes('StaleQueue', gauges)).toEqual([]);
  expect(findings.flat().filter(({ severity }) => severity !== 'info')).toEqual([]);
});

it('a breaker that an operator has opened calls as well: nobody forgets it overnight', () => {
  const { gauges } = day(() => ({ breaker: pause(FRESH_BREAKER, change) }), HOUR);
  expect(alarmMinutes('BreakerOpen', gauges)).toHaveLength(1);
});

it('every gauge alarm of the template has its finding here', () => {
  const own = Object.entries(alarms)
    .filter(([, { Properties }]) => Properties['Namespace'] === 'RemindOnce')
    .filter(([, { Properties }]) => Properties['TreatMissingData'] === 'ignore')
    .map(([name]) => /^PipelineAlarms(\w+)[0-9A-F]{8}$/.exec(name)?.[1]);
  expect(own.sort()).toEqual(Object.keys(PAIRS).sort());
});
