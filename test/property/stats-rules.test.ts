import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readQueueStats } from '#core/stats-reading.ts';
import type { Signals } from '#core/stats-signals.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import {
  aMarker,
  calmSignals,
  codesOf,
  Judge,
  MINUTE_MS,
  queueSignal,
  STARTED_AT,
} from '#test/support/stats-signals.ts';

const DAY_MINUTES = 24 * 60;

/**
 * A calm and busy day as the service would tell it: waves of reminders, a big delayed backlog whose
 * age may or may not count as the queue's, a consumer each minute, a dead letter that the redrive
 * takes away, a provider that is slow for some minutes, a stats call that is lost now and then.
 */
function calmDay(seed: number): (at: number, minute: number) => Signals {
  const random = seededRandom(seed);
  const draw = (max: number) => Math.floor(random.fraction() * max);
  const countsDelayedAge = random.fraction() < 0.5;
  let deliveries = 0;
  let dead = 0;
  return (at, minute) => {
    const busy = 20 + Math.round(20 * Math.sin(minute / 120));
    deliveries += 1 + draw(busy);
    if (random.fraction() < 0.01) dead += 1;
    if (minute % 15 === 0) dead = 0;
    const slow = minute % 400 < 6;
    const lost = random.fraction() < 0.005;
    const marker = aMarker(at - draw(30) * 1000, { deliveries });
    if (lost) {
      const failed = [{ source: 'queue' as const, code: 'TIMEOUT' }];
      return calmSignals(at, { queue: { kind: 'failed' }, deadLetters: null, failed, marker });
    }
    return calmSignals(at, {
      marker,
      deadLetters: dead,
      balanceUsd: 50 - minute / 1000,
      queue: queueSignal({
        available: draw(busy),
        inFlight: slow ? 1 + draw(busy) : draw(3),
        delayed: 100 + draw(50),
        deadLetters: dead,
        oldestAgeSeconds: countsDelayedAge ? 6 * 86_400 + minute * 60 : draw(slow ? 300 : 60),
      }),
    });
  };
}

it('a calm day of readings calls nobody, whatever the waves', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
      const judge = new Judge();
      const day = calmDay(seed);
      for (let minute = 0; minute < DAY_MINUTES; minute += 1) {
        const findings = judge.read(day(STARTED_AT + minute * MINUTE_MS, minute));
        expect(codesOf(findings.filter(({ severity }) => severity === 'page'))).toEqual([]);
        const warned = findings.filter(({ severity }) => severity === 'warn');
        expect(warned.every(({ code }) => code === 'STATS_INVALID')).toBe(true);
      }
    }),
    { numRuns: 12 },
  );
});

it('a day that is read twice every minute finds what it finds when read once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
      const once = new Judge();
      const twice = new Judge();
      const [dayOnce, dayTwice] = [calmDay(seed), calmDay(seed)];
      for (let minute = 0; minute < 300; minute += 1) {
        const at = STARTED_AT + minute * MINUTE_MS;
        const findings = once.read(dayOnce(at, minute));
        const signals = dayTwice(at, minute);
        const doubled = twice.read({ ...signals, at: at - 2000 });
        expect(codesOf(twice.read(signals))).toEqual(codesOf(findings));
        expect(codesOf(doubled)).toEqual(codesOf(findings));
      }
    }),
    { numRuns: 8 },
  );
});

it('whatever is read, the memory stays small and every figure of it finite', () => {
  const figure = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null });
  const reading = fc.record({
    available: figure,
    inFlight: figure,
    delayed: figure,
    oldestAgeSeconds: figure,
    deadLetters: figure,
    gapMs: fc.integer({ min: 30_000, max: 10 * MINUTE_MS }),
  });
  fc.assert(
    fc.property(fc.array(reading, { minLength: 20, maxLength: 60 }), (readings) => {
      const judge = new Judge();
      let at = STARTED_AT;
      for (const { gapMs, deadLetters, ...figures } of readings) {
        at += gapMs;
        judge.read(calmSignals(at, { deadLetters, queue: queueSignal(figures) }));
      }
      const text = JSON.stringify(judge.history);
      expect(text.length).toBeLessThan(4096);
      expect(judge.history.readings.length).toBeLessThanOrEqual(12);
    }),
    { numRuns: 60 },
  );
});

it('field report 59: no JSON value at all makes a figure that is no count', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const { value, invalid } = readQueueStats({
        available_count: one,
        oldest_message_age_seconds: other,
      });
      for (const figure of Object.values(value)) {
        expect(figure === null || (Number.isFinite(figure) && figure >= 0)).toBe(true);
      }
      const given = Object.values(value).filter((figure) => figure !== null).length;
      expect(given + invalid.length).toBe(5);
    }),
  );
});
