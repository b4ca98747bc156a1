import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONSUMER_METRICS, STATS_METRICS } from '#config/metrics.ts';
import { type History, simulate, type Transition } from '#test/support/alarm-simulator.ts';
import { calmDay, events, reading, silence } from '#test/support/metric-history.ts';
import { production, type Resource, resourcesOf, synthesise } from '#test/support/synthesise.ts';

const ALARM = 'AWS::CloudWatch::Alarm';
const alarms = alarmsOf(production());
const calm = calmDay();

type Case = {
  /** A day on which somebody must be called, and the latest minute of the call. */
  readonly fires: History;
  readonly by: number;
  /** A day that looks alike and is no reason to call anybody. */
  readonly keepsQuiet: History;
};

const NOON = 720;
const for_ = (minutes: number) => ({ from: NOON, to: NOON + minutes });
const HOUR = for_(60);

/** Each alarm of the template has its pair; a new alarm without one fails the suite. */
const CASES: Readonly<Record<string, Case>> = {
  StatsSilent: {
    fires: silence(calm, Object.values(STATS_METRICS), for_(120)),
    by: NOON + 25,
    keepsQuiet: silence(calm, [STATS_METRICS.heartbeat], for_(9)),
  },
  DeadLetters: {
    fires: reading(calm, STATS_METRICS.deadLetters, 500, for_(180)),
    by: NOON + 66,
    keepsQuiet: reading(calm, STATS_METRICS.deadLetters, 500, for_(50)),
  },
  StaleQueue: {
    fires: reading(calm, STATS_METRICS.staleSeconds, 1200, HOUR),
    by: NOON + 11,
    keepsQuiet: reading(calm, STATS_METRICS.oldestMessageAgeSeconds, 5000, HOUR),
  },
  QueueMissing: {
    fires: reading(calm, STATS_METRICS.queueMissing, 1, HOUR),
    by: NOON + 16,
    keepsQuiet: reading(calm, STATS_METRICS.queueMissing, 1, for_(4)),
  },
  PublishesUnconfirmed: {
    fires: reading(calm, STATS_METRICS.unconfirmedPublishes, 2, HOUR),
    by: NOON + 21,
    keepsQuiet: reading(calm, STATS_METRICS.unconfirmedPublishes, 2, for_(10)),
  },
  StatsInvalid: {
    fires: reading(calm, STATS_METRICS.invalidStats, 1, HOUR),
    by: NOON + 21,
    keepsQuiet: reading(calm, STATS_METRICS.invalidStats, 1, for_(10)),
  },
  OutcomesParked: {
    fires: reading(calm, STATS_METRICS.parkedRows, 1, HOUR),
    by: NOON + 36,
    keepsQuiet: reading(calm, STATS_METRICS.unresolvedRows, 40, HOUR),
  },
  ReceiptsUnrecorded: {
    fires: reading(calm, STATS_METRICS.unrecordedReceipts, 1, HOUR),
    by: NOON + 16,
    keepsQuiet: reading(calm, STATS_METRICS.unrecordedReceipts, 1, for_(4)),
  },
  BreakerOpen: {
    fires: reading(calm, STATS_METRICS.breaker, 2, HOUR),
    by: NOON + 11,
    keepsQuiet: reading(calm, STATS_METRICS.breaker, 1, HOUR),
  },
  ChannelStopped: {
    fires: reading(calm, STATS_METRICS.stoppedChannels, 1, HOUR),
    by: NOON + 16,
    keepsQuiet: reading(calm, STATS_METRICS.stoppedChannels, 1, for_(5)),
  },
  ConsumerSilent: {
    fires: reading(calm, STATS_METRICS.consumerSilentSeconds, 1500, HOUR),
    by: NOON + 11,
    keepsQuiet: reading(calm, STATS_METRICS.consumerSilentSeconds, 600, HOUR),
  },
  LedgerUnreadable: {
    fires: reading(calm, STATS_METRICS.ledgerUnreadable, 1, HOUR),
    by: NOON + 16,
    keepsQuiet: reading(calm, STATS_METRICS.ledgerUnreadable, 1, for_(4)),
  },
  BalanceLow: {
    fires: reading(calm, STATS_METRICS.balanceUsd, 4.99, HOUR),
    by: NOON + 21,
    keepsQuiet: reading(calm, STATS_METRICS.balanceUsd, 5, HOUR),
  },
  ReceiptsAhead: {
    fires: reading(calm, CONSUMER_METRICS.receiptsAhead, 1, HOUR),
    by: NOON + 11,
    keepsQuiet: events(calm, CONSUMER_METRICS.receiptsAhead, { atMinute: NOON, value: 3 }),
  },
  TerminalAhead: {
    fires: events(calm, CONSUMER_METRICS.terminalAhead, { atMinute: NOON, value: 1 }),
    by: NOON + 6,
    keepsQuiet: reading(calm, CONSUMER_METRICS.assumedSent, 5, HOUR),
  },
  ContentConflicts: {
    fires: events(calm, CONSUMER_METRICS.contentConflicts, { atMinute: NOON, value: 1 }),
    by: NOON + 6,
    keepsQuiet: reading(calm, CONSUMER_METRICS.duplicatesAbsorbed, 500, HOUR),
  },
  InvalidMessages: {
    fires: events(calm, CONSUMER_METRICS.invalidMessages, { atMinute: NOON, value: 1 }),
    by: NOON + 6,
    keepsQuiet: reading(calm, CONSUMER_METRICS.terminalRejected, 500, HOUR),
  },
  DeliveriesCrashed: {
    fires: reading(calm, CONSUMER_METRICS.crashedDeliveries, 1, for_(10)),
    by: NOON + 11,
    keepsQuiet: events(calm, CONSUMER_METRICS.crashedDeliveries, { atMinute: NOON, value: 1 }),
  },
  LedgerFailing: {
    fires: reading(calm, CONSUMER_METRICS.ledgerFailures, 10, for_(15)),
    by: NOON + 16,
    keepsQuiet: events(calm, CONSUMER_METRICS.ledgerFailures, { atMinute: NOON, value: 30 }),
  },
  ConsumerNotRunning: {
    fires: silence(calm, ['Invocations'], for_(180)),
    by: NOON + 40,
    // One run at concurrency 1 keeps every tick off until its timeout.
    keepsQuiet: silence(calm, ['Invocations'], for_(7)),
  },
  ConsumerErrors: {
    fires: reading(calm, 'Errors', 1, HOUR),
    by: NOON + 11,
    keepsQuiet: events(calm, 'Errors', { atMinute: NOON + 0.5, value: 1 }),
  },
  StatsErrors: {
    fires: reading(calm, 'Errors', 1, HOUR),
    by: NOON + 11,
    keepsQuiet: events(calm, 'Errors', { atMinute: NOON + 0.5, value: 1 }),
  },
  RedriveErrors: {
    fires: reading(calm, 'Errors', 1, for_(180)),
    by: NOON + 61,
    keepsQuiet: events(calm, 'Errors', { atMinute: NOON + 0.5, value: 1 }),
  },
  TableReadThrottled: {
    fires: throttled('ReadThrottleEvents', 0, 5),
    by: NOON + 11,
    keepsQuiet: throttled('ReadThrottleEvents', 0),
  },
  TableWriteThrottled: {
    fires: throttled('WriteThrottleEvents', 0, 5),
    by: NOON + 11,
    keepsQuiet: throttled('WriteThrottleEvents', 0),
  },
  LostInvocations: {
    fires: reading(calm, 'ApproximateNumberOfMessagesVisible', 1, HOUR),
    by: NOON + 6,
    keepsQuiet: events(calm, 'ApproximateNumberOfMessagesVisible', { atMinute: NOON, value: 0 }),
  },
};

function throttled(metric: string, ...minutes: readonly number[]): History {
  return events(calm, metric, ...minutes.map((after) => ({ atMinute: NOON + after, value: 50 })));
}

describe('every alarm of the template', () => {
  it('has a history that must fire it and one that must not', () => {
    expect(Object.keys(alarms).sort()).toEqual(Object.keys(CASES).sort());
  });

  it.each(Object.keys(CASES))('%s fires in time, once, and ends after its cause', (id) => {
    const { fires, by } = caseOf(id);
    const called = alarmTimes(id, fires);
    expect(called).toHaveLength(1);
    expect(called[0]).toBeGreaterThanOrEqual(NOON);
    expect(called[0]).toBeLessThanOrEqual(by);
    expect(transitions(id, fires).at(-1)?.state).toBe('OK');
  });

  it.each(Object.keys(CASES))('%s keeps quiet on a day that only looks alike', (id) => {
    expect(alarmTimes(id, caseOf(id).keepsQuiet)).toEqual([]);
  });

  it.each(Object.keys(CASES))('%s keeps quiet on a calm day', (id) => {
    expect(alarmTimes(id, calm)).toEqual([]);
  });

  it('says what to do, links its runbook section, names its missing-data policy, and speaks', () => {
    for (const [id, { Properties }] of Object.entries(alarms)) {
      expect(Properties['AlarmDescription'], id).toMatch(
        /^.+\. .+\. Runbook: infra\/RUNBOOK\.md#[a-z-]+$/,
      );
      expect(Properties['TreatMissingData'], id).toMatch(/^(breaching|notBreaching|ignore)$/);
      expect(Properties['AlarmActions'], id).toHaveLength(1);
      expect(Properties['OKActions'], id).toHaveLength(1);
    }
  });
});

describe('the runbook', () => {
  it('has the section that each alarm links', () => {
    const runbook = readFileSync(new URL('../../infra/RUNBOOK.md', import.meta.url), 'utf8');
    const anchors = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));
    for (const [id, { Properties }] of Object.entries(alarms)) {
      const [, section] = String(Properties['AlarmDescription']).split('#');
      expect(anchors, id).toContain(section);
    }
  });
});

describe('publishers', () => {
  it.each([1, 5, 15, 60])(
    'field report 81: ticks each %i minutes flap no alarm over a day',
    (minutes) => {
      const every = { consumer: minutes, redrive: minutes, stats: minutes };
      const slow = alarmsOf(production({ every }));
      const day = calmDay({ consumerEveryMinutes: minutes, statsEveryMinutes: minutes });
      for (const [id, alarm] of Object.entries(slow)) {
        expect(Number(alarm.Properties['Period']), id).toBeGreaterThanOrEqual(
          id.startsWith('Table') || id === 'LostInvocations' ? 300 : minutes * 60,
        );
        expect(calls(simulate(alarm, day)), `${id} every ${minutes} min`).toEqual([]);
      }
    },
  );

  it('field report 82: dead letters stay an alarm while the stats function is dead', () => {
    const dead = silence(
      reading(calm, STATS_METRICS.deadLetters, 500, for_(400)),
      Object.values(STATS_METRICS),
      { from: NOON + 120, to: NOON + 240 },
    );
    const states = transitions('DeadLetters', dead).filter(({ atMinute }) => atMinute > NOON);
    expect(states.map(({ state }) => state)).toEqual(['ALARM', 'OK']);
    expect(states[1]?.atMinute).toBeGreaterThan(NOON + 400);
  });

  it('field report 82: a dead stats function is one page of its own, and no other', () => {
    const dead = silence(calm, Object.values(STATS_METRICS), for_(120));
    expect(Object.keys(alarms).filter((id) => alarmTimes(id, dead).length > 0)).toEqual([
      'StatsSilent',
    ]);
  });

  it('a dead consumer is called by its missing invocations, and its counts raise nothing', () => {
    const counts = [...Object.values(CONSUMER_METRICS), 'Invocations', 'Errors'];
    const dead = silence(calm, counts, for_(180));
    expect(Object.keys(alarms).filter((id) => alarmTimes(id, dead).length > 0)).toEqual([
      'ConsumerNotRunning',
    ]);
  });

  it('a publisher that never once published is called too', () => {
    const never = silence(calm, Object.values(STATS_METRICS), { from: 0, to: 1440 });
    expect(alarmTimes('StatsSilent', never)).toHaveLength(1);
  });
});

describe('thresholds', () => {
  it('are those that the stats function judges by', () => {
    const tuned = alarmsOf(
      production({ stats: { balanceUsd: 50, staleSeconds: 300, deadLetterQuietSeconds: 1800 } }),
    );
    expect(tuned['BalanceLow']?.Properties['Threshold']).toBe(50);
    expect(tuned['StaleQueue']?.Properties['Threshold']).toBe(300);
    expect(tuned['DeadLetters']?.Properties['EvaluationPeriods']).toBe(6);
  });
});

/** As repository hosts make them of a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');
}

function alarmsOf(settings: Parameters<typeof synthesise>[0]): Readonly<Record<string, Resource>> {
  const found = Object.entries(resourcesOf(synthesise(settings).service, ALARM));
  return Object.fromEntries(
    found.map(([id, alarm]) => [/^PipelineAlarms(\w+)[0-9A-F]{8}$/.exec(id)?.[1] ?? id, alarm]),
  );
}

function transitions(id: string, history: History): readonly Transition[] {
  const alarm = alarms[id];
  if (alarm === undefined) throw new Error(`no alarm ${id}`);
  return simulate(alarm, history);
}

function alarmTimes(id: string, history: History): readonly number[] {
  return calls(transitions(id, history));
}

function calls(changes: readonly Transition[]): readonly number[] {
  return changes.filter(({ state }) => state === 'ALARM').map(({ atMinute }) => atMinute);
}

function caseOf(id: string): Case {
  const found = CASES[id];
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
}
