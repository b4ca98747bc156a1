import { type Mutant, SUITE } from './mutant.ts';

/** Redrive, breaker, figures and privacy. */
export const OPERATIONS_MUTANTS: readonly Mutant[] = [
  {
    name: 'reopened without a cap',
    file: 'functions/core/plan-redrive.ts',
    find: "if (redriveCount >= rules.cap && !forced(rules)) return keep('AT_CAP', detail);",
    replace: '',
    suites: [SUITE.planRedrive],
  },
  {
    name: 'redrive starts with attempt 0 again',
    file: 'functions/core/reopen.ts',
    find: 'const attempt = Math.max(exhausted ? row.attempt + 1 : row.attempt, copy);',
    replace: 'const attempt = copy;',
    suites: [SUITE.planRedrive, SUITE.planEqualsResult],
  },
  {
    name: 'redriven before the row is written',
    file: 'functions/app/redrive/act-on-dead-letter.ts',
    find: 'const written = decision.write === undefined ? null : await write(decision.write, deps);',
    replace:
      "if (decision.action === 'redrive') await deps.deadLetters.redrive(message.messageId);\n  const written = decision.write === undefined ? null : await write(decision.write, deps);",
    suites: [SUITE.redriveTrouble],
  },
  {
    name: 'a settled dead letter is not acked',
    file: 'functions/app/redrive/act-on-dead-letter.ts',
    find: "if (decision.action === 'settle') return ackOut(message, deps);",
    replace:
      "if (decision.action === 'settle') return message.messageId === '' ? ackOut(message, deps) : { kind: 'settled', late: false };",
    suites: [SUITE.planEqualsResult],
  },
  {
    name: 'a dead letter is acked although its row could not be read',
    file: 'functions/core/plan-redrive.ts',
    find: "return keep('LEDGER_FAILED', seen.row.code);",
    replace: "return settle('SENT', NO_WRITE, seen.row.code);",
    suites: [SUITE.planRedrive],
  },
  {
    name: 'a blind unknown is redriven without a person',
    file: 'functions/core/plan-redrive.ts',
    find: ": keep('DECISION_NEEDED', path.reason);",
    replace: ": 'UNKNOWN_BY_POLICY';",
    suites: [SUITE.planRedrive],
  },
  {
    name: 'a stale claim that waits for a person is listed nowhere',
    file: 'functions/core/plan-redrive.ts',
    find: "if (decision.action !== 'keep' || !saysLessThanParked(row)) return decision;",
    replace: "if (decision.action !== 'keep' || now > 0) return decision;",
    suites: [SUITE.fieldReports],
  },
  {
    name: 'two redrives run at once',
    file: 'functions/app/redrive/redrive-lease.ts',
    find: "if (leaseAlive(found.control, startedAt, settings.skewMs)) return { kind: 'another-run' };",
    replace:
      "if (startedAt < 0 && leaseAlive(found.control, 0, settings.skewMs)) return { kind: 'another-run' };",
    suites: [SUITE.redriveOverlap],
  },
  {
    name: 'a failed canary does not stop the run',
    file: 'functions/core/judge-canary.ts',
    find: 'if (bad.length > 0 && bad.length >= good + pending) return failed;',
    replace: "if (bad.length > 0 && bad.length >= good + pending) return { kind: 'passed' };",
    suites: [SUITE.canary],
  },
  {
    name: 'a missing figure is published as 0',
    file: 'functions/core/stats-reading.ts',
    find: 'if (fault === null) return value as number;',
    replace: "if (fault === null) return value as number;\n    if (fault === 'NULL') return 0;",
    suites: [SUITE.statsReading],
  },
  {
    name: 'two receipts of one key trip nothing',
    file: 'functions/core/breaker-evidence.ts',
    find: "return trip(breaker, 'OTHER_RECEIPT', evidence.at);",
    replace: 'return breaker;',
    suites: [SUITE.evidence, SUITE.breakerWatch],
  },
  {
    name: 'receipts without rows trip nothing',
    file: 'functions/core/breaker-evidence.ts',
    find: "return recent.length < UNRECORDED_TRIPS ? next : trip(next, 'RECORDS_FAILING', entry.at);",
    replace: 'return recent.length < UNRECORDED_TRIPS ? next : breaker;',
    suites: [SUITE.evidence],
  },
  {
    name: 'an unreadable breaker counts as closed',
    file: 'functions/core/breaker.ts',
    find: 'return parsed.success ? parsed.data : undefined;',
    replace: 'return parsed.success ? parsed.data : FRESH_BREAKER;',
    suites: [SUITE.breaker],
  },
  {
    name: 'the user id is logged',
    file: 'functions/app/process-delivery.ts',
    find: 'report.channel = reminder.channel;',
    replace: 'report.channel = reminder.userId;',
    suites: [SUITE.duplicates],
  },
  {
    name: 'the ledger keeps the user id',
    file: 'functions/core/send-key.ts',
    find: 'userRef: userRefOf(reminder.userId, epoch),',
    replace: 'userRef: reminder.userId || userRefOf(reminder.userId, epoch),',
    suites: [SUITE.duplicates],
  },
  {
    name: 'an address in a reason reaches the table',
    file: 'functions/adapters/dynamodb/stored-text.ts',
    find: ".replace(ADDRESS, '_')",
    replace: '',
    suites: [SUITE.rowCodec],
  },
];
