import { describe, expect, it } from 'vitest';
import {
  FRESH_BREAKER,
  limit,
  openChannel,
  pause,
  planRun,
  rampUp,
  readBreakerDocument,
  resume,
  resumeIfDue,
  stopChannel,
  trip,
} from '#core/breaker.ts';
import { OPERATOR, SINCE } from '#test/support/breaker-data.ts';

const LATER = SINCE + 60_000;

describe('the control row', () => {
  it('reads back what it is, and nothing that only resembles it', () => {
    const paused = pause(FRESH_BREAKER, OPERATOR);
    expect(readBreakerDocument(JSON.parse(JSON.stringify(paused)))).toEqual(paused);
    expect(readBreakerDocument({ ...paused, format: 'breaker/2' })).toBeUndefined();
    expect(readBreakerDocument({ ...paused, mode: { kind: 'limited', concurrency: 0 } })).toBe(
      undefined,
    );
    expect(readBreakerDocument(null)).toBeUndefined();
  });

  it('says who changed it, why and since when', () => {
    expect(pause(FRESH_BREAKER, OPERATOR)).toMatchObject({
      mode: { kind: 'paused', resumeAt: null },
      by: 'ann',
      reason: 'LOOKING_INTO_IT',
      since: SINCE,
    });
  });
});

describe('a pause', () => {
  it('allows no run', () => {
    expect(planRun(pause(FRESH_BREAKER, OPERATOR), 32, LATER)).toBeNull();
  });

  it('that waits for a person is not shortened by a trip that would end by itself', () => {
    const paused = pause(FRESH_BREAKER, OPERATOR);
    expect(trip(paused, 'RECORDS_FAILING', LATER)).toBe(paused);
  });

  it('that would end by itself is replaced by a trip that waits for a person', () => {
    const failing = trip(FRESH_BREAKER, 'RECORDS_FAILING', SINCE);
    expect(trip(failing, 'OTHER_RECEIPT', LATER)).toMatchObject({
      mode: { kind: 'paused', resumeAt: null },
      reason: 'OTHER_RECEIPT',
    });
  });

  it('for a failing ledger ends after ten minutes, slowly; any other does not end', () => {
    const failing = trip(FRESH_BREAKER, 'RECORDS_FAILING', SINCE);
    expect(resumeIfDue(failing, SINCE + 599_999)).toBe(failing);
    expect(resumeIfDue(failing, SINCE + 600_000).mode).toEqual({ kind: 'limited', concurrency: 1 });
    const other = trip(FRESH_BREAKER, 'OTHER_RECEIPT', SINCE);
    expect(resumeIfDue(other, SINCE + 600_000_000)).toBe(other);
  });

  it('is not brought back by evidence from before the resume', () => {
    const resumed = resume(pause(FRESH_BREAKER, OPERATOR), { ...OPERATOR, at: LATER });
    expect(trip(resumed, 'OTHER_RECEIPT', LATER - 1)).toBe(resumed);
    expect(trip(resumed, 'OTHER_RECEIPT', LATER).mode.kind).toBe('paused');
  });
});

describe('a slow start', () => {
  it('begins with one send at once and doubles per clean run up to the full figure', () => {
    let breaker = resume(pause(FRESH_BREAKER, OPERATOR), { ...OPERATOR, at: LATER });
    const steps = [];
    for (let run = 0; run < 6; run += 1) {
      steps.push(planRun(breaker, 32, LATER)?.concurrency);
      breaker = rampUp(breaker, 32, LATER);
    }
    expect(steps).toEqual([1, 2, 4, 8, 16, 32]);
    expect(breaker).toMatchObject({ mode: { kind: 'running' }, reason: 'RAMPED_UP' });
  });

  it('keeps on showing since when and why', () => {
    const limited = limit(FRESH_BREAKER, 2, OPERATOR);
    expect(rampUp(limited, 32, LATER)).toMatchObject({ since: SINCE, by: 'ann' });
  });

  it('never exceeds the configuration', () => {
    expect(planRun(limit(FRESH_BREAKER, 99, OPERATOR), 4, LATER)?.concurrency).toBe(4);
  });
});

describe('a stopped channel', () => {
  it('by an operator stays so until he opens it, and the others go on', () => {
    const stopped = stopChannel(FRESH_BREAKER, 'push', OPERATOR);
    const plan = planRun(stopped, 32, SINCE + 1e9);
    expect(plan?.stopped).toEqual(new Map([['push', 'LOOKING_INTO_IT']]));
    expect(plan?.probing.size).toBe(0);
    expect(planRun(openChannel(stopped, 'push'), 32, SINCE)?.stopped.size).toBe(0);
  });
});
