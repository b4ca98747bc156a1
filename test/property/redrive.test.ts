import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import { runRedrive } from '#app/redrive/run-redrive.ts';
import type { ClaimToken } from '#core/brand.ts';
import { type Delivery, useByOf } from '#core/delivery.ts';
import { isTerminal, LEDGER_STATES, type LedgerRecord } from '#core/ledger-record.ts';
import {
  HEALTHY,
  planRedrive,
  type RedriveDecision,
  type RedriveRules,
} from '#core/plan-redrive.ts';
import { confirmRedriven, REDRIVEN, REOPENED } from '#core/reopen.ts';
import { bodyHashOf } from '#core/send-key.ts';
import { BLIND_POLICIES, PROVIDER_CLASSES } from '#core/send-result.ts';
import { QueueModel } from '#infra/local/queue-emulator/queue-model.ts';
import type { Sender } from '#ports';
import { aDelivery, aRow, DAY_MS, DUE_AT, FIRST_EPOCH, SETTINGS } from '#test/support/core-data.ts';
import { HandClock } from '#test/support/hand-clock.ts';
import { MemoryControls } from '#test/support/memory-controls.ts';
import { MemoryLedger } from '#test/support/memory-ledger.ts';
import { MemoryDeadLetters } from '#test/support/memory-queue.ts';

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

const rowChanges = fc.record({
  attempt: fc.nat(20),
  redriveCount: fc.nat(5),
  notBefore: fc.option(fc.integer({ min: DUE_AT, max: DUE_AT + 3 * DAY_MS })),
  firstSendAt: fc.option(fc.integer({ min: DUE_AT, max: DUE_AT + 2 * DAY_MS })),
  leaseUntil: fc.integer({ min: DUE_AT, max: DUE_AT + DAY_MS }),
  reason: fc.constantFrom(
    'HTTP_503',
    REOPENED,
    REDRIVEN,
    'PARKED_BLIND',
    'PARKED_REJECTED_AFTER_UNKNOWN',
  ),
});

const rules = fc.record({
  cap: fc.nat(4),
  trigger: fc.constantFrom('scheduled' as const, 'requested' as const),
  force: fc.boolean(),
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

type Letter = {
  readonly key: number;
  readonly attempt: number;
  readonly channel: (typeof PROVIDER_CLASSES)[number] | 'unknown-channel';
  readonly text: string;
};
const letters = fc.record<Letter>({
  key: fc.nat(7),
  attempt: fc.nat(2),
  channel: fc.constantFrom(...PROVIDER_CLASSES, 'unknown-channel'),
  text: fc.constantFrom('one', 'other'),
});
const plantedRows = fc.array(
  fc.record({
    key: fc.nat(7),
    channel: fc.constantFrom(...PROVIDER_CLASSES),
    state: fc.constantFrom(...LEDGER_STATES),
    change: rowChanges,
  }),
  { maxLength: 8 },
);

test('a plan equals its result on any set of dead letters, copies of one reminder included', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(letters, { maxLength: 25 }),
      plantedRows,
      rules,
      async (dead, rows, { cap, trigger, force }) => {
        // Two worlds alike: which of two copies with different texts comes first is the queue's
        // choice, and it may choose otherwise the second time.
        const [planned, done] = [await worldOf(dead, rows, cap), await worldOf(dead, rows, cap)];
        const order = { force: trigger === 'requested' && force, filter: {} };
        const run = ({ deps, clock }: typeof done, mode: 'plan' | 'redrive') =>
          runRedrive(
            mode === 'redrive' && trigger === 'scheduled'
              ? { kind: 'scheduled' }
              : { kind: 'requested', request: { ...order, mode } },
            deps,
            { endsAt: clock.now() + 400_000 },
            () => {},
          );
        // A request may rely on policies, a schedule may not: without any they are compared.
        if (trigger === 'scheduled') for (const world of [planned, done]) world.parkPolicies();
        const plan = await run(planned, 'plan');
        const result = await run(done, 'redrive');
        expect(result.decisions).toEqual(plan.decisions);
        expect(result.results?.failed).toBe(0);
        expect(result.left).toBe(plan.totals.keep);
        for (const row of done.ledger.rows.values()) {
          if (row.claimToken.startsWith('t_run')) expect(row.reason).not.toBe(REOPENED);
        }
      },
    ),
    { numRuns: 150 },
  );
});

async function worldOf(
  dead: readonly Letter[],
  rows: typeof plantedRows extends fc.Arbitrary<infer Rows> ? Rows : never,
  cap: number,
) {
  const clock = new HandClock(DUE_AT + 3_600_000);
  const model = new QueueModel({ queues: ['q'] });
  const ledger = new MemoryLedger();
  let tokens = 0;
  let policies: 'mixed' | 'park' = 'mixed';
  const senders = new Map(
    PROVIDER_CLASSES.map((providerClass) => [
      providerClass,
      senderOf(providerClass, () => (policies === 'park' ? 'park' : 'resend')),
    ]),
  );
  const random = {
    fraction: () => 0.5,
    token: () => {
      tokens += 1;
      return `t_run_${tokens}`;
    },
  };
  const deps: RedriveDeps = {
    ...{ ledger, clock, random, senders, epochs: [FIRST_EPOCH], settings: SETTINGS },
    deadLetters: new MemoryDeadLetters(model, clock, 'q'),
    controls: new MemoryControls(),
    defaultChannel: null,
    limits: {
      ...{ maxPerRun: 1000, ratePerSecond: 100, canarySize: 0, cap, canaryWaitSeconds: 60 },
      ...{ runLeaseSeconds: 480, deadLetterLeaseSeconds: 30, worstDeadLetterMs: 1000 },
      queueCallMs: 1000,
    },
  };
  for (const { key, channel, state, change } of rows) {
    const delivery = deliveryOf({ key, channel, attempt: 0, text: 'one' });
    const row = { ...aRow(state, {}, delivery), ...change, provider: channel };
    await ledger.claim({ ...row, claimToken: `t_row_${key}` as ClaimToken });
  }
  for (const letter of dead) {
    const idempotencyKey = random.token();
    model.publish({ queue: 'q', payload: payloadOf(letter), idempotencyKey }, clock.now());
  }
  for (let delivery = 1; delivery <= 3; delivery += 1) {
    for (let pull = 0; pull < 4; pull += 1) {
      model.consume({ queue: 'q', maxMessages: 10, leaseMs: 1 }, clock.now());
    }
    await clock.sleep(2);
  }
  return {
    ...{ deps, clock, ledger },
    parkPolicies() {
      policies = 'park';
    },
  };
}

function payloadOf({ key, attempt, channel, text }: Letter): Record<string, unknown> {
  return {
    user_id: 'u_4471',
    reminder_id: `r_${key}_${channel}`,
    scheduled_at: new Date(DUE_AT).toISOString(),
    channel,
    data: { text },
    attempt,
  };
}

function deliveryOf(letter: Letter): Delivery {
  const { key, channel, text } = letter;
  const base = aDelivery({ reminderId: `r_${key}_${channel}`, channel }, {}, text);
  return { ...base, bodyHash: bodyHashOf(JSON.stringify([channel, text]), FIRST_EPOCH) };
}

function senderOf(
  providerClass: (typeof PROVIDER_CLASSES)[number],
  policy: () => 'park' | 'resend',
): Sender {
  return {
    get profile() {
      return {
        ...{ provider: providerClass, providerClass, commitSeconds: 5, sendTimeoutMs: 10_000 },
        windowSeconds: providerClass === 'dedupes' ? 86_400 : null,
        blindPolicy: policy(),
      };
    },
    content: ({ data }) => String(data?.['text']),
    send: async () => ({ kind: 'unknown', cause: 'A_REDRIVE_SENDS_NOTHING' }),
  };
}
