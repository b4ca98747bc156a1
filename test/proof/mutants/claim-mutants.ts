import { type Mutant, SUITE } from './mutant.ts';

/** The right to send: who may have it, and for how long. */
export const CLAIM_MUTANTS: readonly Mutant[] = [
  {
    name: 'claim: the condition is dropped',
    file: 'functions/adapters/dynamodb/dynamo-ledger.ts',
    find: "expression: 'attribute_not_exists(#key)'",
    replace: "expression: 'attribute_not_exists(#key) OR attribute_exists(#key)'",
    suites: [SUITE.ledger],
  },
  {
    name: 'fence: the claim token is not compared',
    file: 'functions/adapters/dynamodb/dynamo-ledger.ts',
    find: "const sameToken = '#token = :token';",
    replace: "const sameToken = '(#token = :token OR attribute_exists(#token))';",
    suites: [SUITE.ledger],
  },
  {
    name: 'fence: the state is not compared',
    file: 'functions/adapters/dynamodb/dynamo-ledger.ts',
    find: "const sameState = '#state = :state';",
    replace: "const sameState = '(#state = :state OR attribute_exists(#state))';",
    suites: [SUITE.ledger],
  },
  {
    name: 'fence: a record makes a row where there is none',
    file: 'functions/adapters/dynamodb/dynamo-ledger.ts',
    find: "const rowExists = 'attribute_exists(#key)';",
    replace: "const rowExists = 'attribute_not_exists(#key) OR attribute_exists(#key)';",
    suites: [SUITE.ledger],
  },
  {
    name: 'the row is read eventually consistent',
    file: 'functions/adapters/dynamodb/ledger-table.ts',
    find: 'ConsistentRead: true',
    replace: 'ConsistentRead: false',
    suites: [SUITE.ledger],
  },
  {
    name: 'a lost answer to our own claim counts as somebody else’s claim',
    file: 'functions/adapters/dynamodb/dynamo-ledger.ts',
    find: "if (isOurWrite(found.row, row)) return { kind: 'claimed' };",
    replace: '',
    suites: [SUITE.ledger],
  },
  {
    name: 'an empty answer of anything at all is an applied claim',
    file: 'functions/adapters/dynamodb/ledger-table.ts',
    find: "if (typeof answer.ConsumedCapacity?.CapacityUnits === 'number') return;",
    replace: 'if (answer !== undefined) return;',
    suites: [SUITE.ledger],
  },
  {
    name: 'a ledger that fails is taken for an empty one',
    file: 'functions/app/claim-delivery.ts',
    find: "return ended(LEAVE, 'ledger-failed', answer.code);\n    case 'exists':",
    replace:
      "return { kind: 'claimed', row, askFirst: false, uncertain: false };\n    case 'exists':",
    suites: [SUITE.ended],
  },
  {
    name: 'a present SENT row does not block once its TTL is over',
    file: 'functions/core/plan-after-claim.ts',
    find: "if (isTerminal(row.state)) return { kind: 'settle', settlement: ACK, outcome: 'duplicate' };",
    replace:
      "if (isTerminal(row.state)) return row.expiresAt * 1000 < now ? claimDue(found) : { kind: 'settle', settlement: ACK, outcome: 'duplicate' };",
    suites: [SUITE.afterClaim, SUITE.duplicates],
  },
  {
    name: 'a claim whose lease is alive is taken over',
    file: 'functions/core/plan-after-claim.ts',
    find: 'return now < row.leaseUntil + settings.skewMs ? held(found) : settleUncertain(found);',
    replace: 'return now < 0 ? held(found) : settleUncertain(found);',
    suites: [SUITE.afterClaim, SUITE.duplicates],
  },
  {
    name: 'the take-over does not wait for the skew of clocks',
    file: 'functions/core/plan-after-claim.ts',
    find: 'return now < row.leaseUntil + settings.skewMs ?',
    replace: 'return now < row.leaseUntil ?',
    suites: [SUITE.afterClaim],
  },
  {
    name: 'a worker that wakes up late sends although its lease is over',
    file: 'functions/app/send-reminder.ts',
    find: "if (sent.now > startBy(errand)) return planNotSent(sent, 'LEASE_TOO_SHORT');",
    replace: '',
    suites: [SUITE.seeded],
  },
  {
    name: 'the attempt does not grow with a take-over',
    file: 'functions/core/plan-after-claim.ts',
    find: 'const attempt = Math.max(row.attempt + 1, delivery.reminder.attempt);',
    replace: 'const attempt = Math.max(row.attempt, delivery.reminder.attempt);',
    suites: [SUITE.ended],
  },
  {
    name: 'what a stale claim may have sent is forgotten',
    file: 'functions/core/plan-after-claim.ts',
    find: "reason: 'RESEND_SAME_KEY', keepFirstSend: true,",
    replace: "reason: 'RESEND_SAME_KEY', keepFirstSend: false,",
    suites: [SUITE.afterClaim],
  },
  {
    name: 'the nested times are not checked: a lease shorter than the send',
    file: 'functions/config/nested-times.ts',
    find: 'if (sendSeconds >= delivery.leaseSeconds) {',
    replace: 'if (sendSeconds < 0) {',
    suites: [SUITE.consumerConfig],
  },
];
