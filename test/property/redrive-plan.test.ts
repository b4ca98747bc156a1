import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import { runRedrive } from '#app/redrive/run-redrive.ts';
import type { ClaimToken } from '#core/brand.ts';
import type { Delivery } from '#core/delivery.ts';
import { LEDGER_STATES } from '#core/ledger-record.ts';
import { REOPENED } from '#core/reopen.ts';
import { bodyHashOf } from '#core/send-key.ts';
import { PROVIDER_CLASSES } from '#core/send-result.ts';
import { QueueModel } from '#infra/local/queue-emulator/queue-model.ts';
import type { Sender } from '#ports';
import { aDelivery, aRow, DUE_AT, FIRST_EPOCH, SETTINGS } from '#test/support/core-data.ts';
import { HandClock } from '#test/support/hand-clock.ts';
import { MemoryControls } from '#test/support/memory-controls.ts';
import { MemoryLedger } from '#test/support/memory-ledger.ts';
import { MemoryDeadLetters } from '#test/support/memory-queue.ts';
import { rowChanges, rules } from '#test/support/redrive-rows.ts';

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
