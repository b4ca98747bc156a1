import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClaimToken } from '#core/brand.ts';
import { type Delivery, useByOf } from '#core/delivery.ts';
import { isTerminal, LEDGER_STATES, type LedgerRecord } from '#core/ledger-record.ts';
import {
  HEALTHY,
  planRedrive,
  type RedriveDecision,
  type RedriveRules,
} from '#core/plan-redrive.ts';
import { confirmRedriven, REOPENED } from '#core/reopen.ts';
import { bodyHashOf } from '#core/send-key.ts';
import { BLIND_POLICIES, PROVIDER_CLASSES } from '#core/send-result.ts';
import { aDelivery, aRow, DAY_MS, DUE_AT, FIRST_EPOCH, SETTINGS } from '#test/support/core-data.ts';
import { rowChanges, rules } from '#test/support/redrive-rows.ts';

const NEW_TOKEN = 't_redrive' as ClaimToken;

const deliveries = fc
  .record({
    attempt: fc.nat(20),
    providerClass: fc.constantFrom(...PROVIDER_CLASSES),
    blindPolicy: fc.constantFrom(...BLIND_POLICIES),
    content: fc.constantFrom('one', 'other'),
    provider: fc.constantFrom('push-service', 'another-service'),
  })
  .map(({ attempt, content, ...profile }) => {
    const windowSeconds = profile.providerClass === 'dedupes' ? 86_400 : null;
    return aDelivery({ attempt }, { ...profile, windowSeconds }, content);
  });

const cases = fc.record({
  delivery: deliveries,
  state: fc.constantFrom(...LEDGER_STATES),
  change: rowChanges,
  rules: rules.map((some): RedriveRules => ({ ...some, settings: SETTINGS })),
  now: fc.integer({ min: DUE_AT, max: DUE_AT + 4 * DAY_MS }),
  redrivenThisRun: fc.boolean(),
  unwell: fc.boolean(),
});

type Decided = {
  readonly row: LedgerRecord;
  readonly delivery: Delivery;
  readonly rules: RedriveRules;
  readonly now: number;
  readonly redrivenThisRun: boolean;
  readonly unwell: boolean;
  readonly decision: RedriveDecision;
};

/** Two hashes only, so that half of all copies conflict with their row. */
function decide(given: typeof cases extends fc.Arbitrary<infer Case> ? Case : never): Decided {
  const { delivery, state, change, now, redrivenThisRun, unwell } = given;
  const row: LedgerRecord = {
    ...aRow(state, {}, delivery),
    ...change,
    bodyHash: bodyHashOf('one', FIRST_EPOCH),
    attemptLimit: change.attempt + 1,
    provider: 'push-service',
  };
  const moment = {
    ...{ now, redrivenThisRun, token: NEW_TOKEN },
    health: unwell ? ({ kind: 'unhealthy', reason: 'CANARY' } as const) : HEALTHY,
  };
  const seen = { kind: 'valid', delivery, row: { kind: 'row', row } } as const;
  const decision = planRedrive(seen, given.rules, moment);
  return { ...{ row, delivery, now, redrivenThisRun, unwell }, rules: given.rules, decision };
}

const always = (check: (decided: Decided) => void) =>
  fc.assert(
    fc.property(cases, (given) => check(decide(given))),
    { numRuns: 5000 },
  );

const forced = ({ trigger, force }: RedriveRules) => trigger === 'requested' && force;

describe('whatever the row, the copy, the rules and the hour', () => {
  test('what may have been accepted goes back only where it can be settled without a guess', () => {
    always(({ row, delivery, rules: { trigger }, now, decision }) => {
      if (row.state !== 'UNKNOWN' && row.state !== 'CLAIMED') return;
      expect(decision.action).not.toBe('settle');
      if (decision.action !== 'redrive') return;
      const { profile } = delivery;
      expect(row.bodyHash).toBe(delivery.bodyHash);
      expect(row.reason).not.toBe('PARKED_REJECTED_AFTER_UNKNOWN');
      const same = row.provider === profile.provider;
      const inWindow = row.firstSendAt !== null && now < row.firstSendAt + DAY_MS;
      const dedupes = same && profile.providerClass === 'dedupes' && inWindow;
      const queryable = same && profile.providerClass === 'queryable';
      const byPolicy = trigger === 'requested' && profile.blindPolicy !== 'park';
      expect(dedupes || queryable || byPolicy).toBe(true);
    });
  });

  test('only final rows and late, unsent reminders are settled', () => {
    always(({ row, delivery, now, decision }) => {
      if (isTerminal(row.state)) expect(decision.action).toBe('settle');
      if (decision.action !== 'settle' || isTerminal(row.state)) return;
      expect(['DEFERRED', 'EXHAUSTED']).toContain(row.state);
      expect(now).toBeGreaterThan(useByOf(delivery.reminder, SETTINGS.useBySeconds));
    });
  });

  test('a written row has a fresh token, a greater count, and an attempt that did not fall', () => {
    always(({ row, decision }) => {
      if (decision.action !== 'redrive' || decision.write.kind === 'none') return;
      const { next } = decision.write;
      expect(next.claimToken).toBe(NEW_TOKEN);
      expect(next.redriveCount).toBe(row.redriveCount + 1);
      expect(next.attempt).toBeGreaterThanOrEqual(row.attempt);
      expect(next.attemptLimit).toBeGreaterThan(next.attempt + 1);
      expect(isTerminal(row.state)).toBe(false);
      if (next.state === 'UNKNOWN') expect(next.firstSendAt).toBe(row.firstSendAt);
      else expect(next.state).toBe('DEFERRED');
    });
  });

  test('an uncounted redrive was counted before; a counted one is below the cap or forced', () => {
    always(({ row, rules: given, redrivenThisRun, decision }) => {
      if (decision.action !== 'redrive') return;
      if (decision.write.kind === 'none') {
        expect(redrivenThisRun || row.reason === REOPENED).toBe(true);
      } else {
        expect(row.redriveCount < given.cap || forced(given)).toBe(true);
      }
    });
  });

  test('nothing goes to an unwell provider, and a living claim is left alone', () => {
    always(({ row, now, unwell, decision }) => {
      const alive = row.state === 'CLAIMED' && now < row.leaseUntil + SETTINGS.skewMs;
      if (unwell || alive) expect(decision.action).not.toBe('redrive');
      if (alive) expect(decision).toMatchObject({ action: 'keep', reason: 'CLAIM_ALIVE' });
    });
  });
});

/** What may befall a reminder between two redrives. */
const FATES = ['dies-before-claim', 'exhausted', 'unknown', 'run-died', 'unconfirmed'] as const;

test('no history of failures and crashes redrives more often than the cap and one for each lost confirmation', () => {
  fc.assert(
    fc.property(
      fc.nat(4),
      fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 40 }),
      fc.boolean(),
      (cap, fates, rowless) => {
        const delivery = aDelivery();
        let row = rowless ? undefined : aRow('EXHAUSTED');
        let redrives = 0;
        let unconfirmed = 0;
        let now = DUE_AT + 60_000;
        for (const fate of fates) {
          now += 1000;
          const decision = planRedrive(
            {
              kind: 'valid',
              delivery,
              row: row === undefined ? { kind: 'absent' } : { kind: 'row', row },
            },
            { cap, trigger: 'scheduled', force: false, settings: SETTINGS },
            { now, health: HEALTHY, redrivenThisRun: false, token: NEW_TOKEN },
          );
          if (decision.action !== 'redrive') continue;
          if (decision.write.kind !== 'none') row = decision.write.next;
          if (row === undefined) throw new Error('redriven without a row');
          // The run ends between the row and the queue: paid for, not redriven.
          if (fate === 'run-died') continue;
          redrives += 1;
          if (fate === 'unconfirmed') {
            unconfirmed += 1;
            continue;
          }
          row = confirmRedriven(row, now, SETTINGS);
          if (fate === 'exhausted') row = { ...row, state: 'EXHAUSTED', reason: 'HTTP_503' };
          if (fate === 'unknown') {
            row = { ...row, state: 'UNKNOWN', reason: 'TIMEOUT', firstSendAt: DUE_AT };
          }
        }
        expect(redrives).toBeLessThanOrEqual(cap + unconfirmed);
        expect(row?.redriveCount ?? 0).toBeLessThanOrEqual(cap);
      },
    ),
    { numRuns: 3000 },
  );
});
