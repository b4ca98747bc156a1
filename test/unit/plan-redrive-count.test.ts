import { describe, expect, test } from 'vitest';
import { confirmRedriven, REDRIVEN, reopen } from '#core/reopen.ts';
import { aDelivery, aRow, DAY_MS, DUE_AT, SETTINGS } from '#test/support/core-data.ts';
import {
  BLIND,
  FORCED,
  NOW,
  plan,
  REQUESTED,
  SCHEDULED,
  TOKEN,
  UNWELL,
  written,
} from '#test/support/redrive-plan.ts';

describe('the cap is the ledger’s', () => {
  test.each([2, 3, 4])('field report 56: a cap of %i lets exactly so many redrives go', (cap) => {
    const rules = { ...SCHEDULED, cap };
    let row = aRow('EXHAUSTED');
    let redrives = 0;
    while (redrives < 10) {
      const decision = plan(row, { rules });
      if (decision.action === 'keep') {
        expect(decision).toMatchObject({ reason: 'AT_CAP', detail: 'TEST_EXHAUSTED' });
        break;
      }
      redrives += 1;
      const { attempt } = written(decision);
      row = { ...written(decision), state: 'EXHAUSTED', reason: 'TEST_EXHAUSTED', attempt };
    }
    expect(redrives).toBe(cap);
  });

  test.each(['DEFERRED', 'EXHAUSTED', 'UNKNOWN'] as const)('%s at the cap is kept', (state) => {
    const row = aRow(state, { redriveCount: 3 });
    expect(plan(row)).toMatchObject({ action: 'keep', reason: 'AT_CAP' });
    expect(plan(row, { rules: REQUESTED })).toMatchObject({ action: 'keep', reason: 'AT_CAP' });
  });

  test('a person may force it, and it goes on counting', () => {
    const decision = plan(aRow('EXHAUSTED', { redriveCount: 3 }), { rules: FORCED });
    expect(written(decision).redriveCount).toBe(4);
  });

  test('a cap of 0 redrives nothing, rows or none', () => {
    const rules = { ...SCHEDULED, cap: 0 };
    expect(plan(aRow('EXHAUSTED'), { rules })).toMatchObject({ reason: 'AT_CAP' });
    expect(plan({ kind: 'absent' }, { rules })).toMatchObject({ reason: 'AT_CAP' });
  });
});

describe('nothing is counted twice, nothing goes uncounted', () => {
  const reopened = reopen(
    aRow('EXHAUSTED', { redriveCount: 2 }),
    aDelivery(),
    TOKEN,
    NOW,
    SETTINGS,
  );

  test('field report 85: reopened and not redriven, as by a run that died, is not counted again', () => {
    const decision = plan(reopened);
    expect(decision).toMatchObject({
      action: 'redrive',
      reason: 'REOPENED_EARLIER',
      write: { kind: 'none' },
    });
  });

  test('field report 54: redriven and back without any claim is a redrive used up', () => {
    const confirmed = confirmRedriven(reopened, NOW, SETTINGS);
    expect(confirmed).toMatchObject({ reason: REDRIVEN, redriveCount: 3 });
    expect(plan(confirmed)).toMatchObject({ action: 'keep', reason: 'AT_CAP', detail: REDRIVEN });
  });

  test('a second dead letter of the reminder goes along in the same run without a write', () => {
    const confirmed = confirmRedriven(reopened, NOW, SETTINGS);
    for (const row of [reopened, confirmed, aRow('EXHAUSTED', { redriveCount: 3 })]) {
      expect(plan(row, { moment: { redrivenThisRun: true } })).toMatchObject({
        action: 'redrive',
        reason: 'SAME_REMINDER',
        write: { kind: 'none' },
      });
    }
  });

  test('but not when the first one has been sent meanwhile, or must not be sent', () => {
    const again = { redrivenThisRun: true };
    expect(plan(aRow('SENT'), { moment: again }).action).toBe('settle');
    expect(plan(aRow('UNKNOWN'), { moment: again, delivery: BLIND }).action).toBe('keep');
    expect(plan(reopened, { moment: { ...UNWELL, ...again } }).action).toBe('keep');
  });

  test('reopened and unknown by now beyond the window: kept', () => {
    const unknown = reopen(aRow('UNKNOWN'), aDelivery(), TOKEN, NOW, SETTINGS);
    expect(plan(unknown)).toMatchObject({ reason: 'REOPENED_EARLIER' });
    expect(plan(unknown, { moment: { now: DUE_AT + 1.5 * DAY_MS } })).toMatchObject({
      reason: 'PROVIDER_WINDOW_OVER',
    });
  });
});
