import fc from 'fast-check';
import { REDRIVEN, REOPENED } from '#core/reopen.ts';
import { DAY_MS, DUE_AT } from '#test/support/core-data.ts';

/** What a dead letter's row may hold, beside its key and state. */
export const rowChanges = fc.record({
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

/** What a run of the redrive may be told. */
export const rules = fc.record({
  cap: fc.nat(4),
  trigger: fc.constantFrom('scheduled' as const, 'requested' as const),
  force: fc.boolean(),
});
