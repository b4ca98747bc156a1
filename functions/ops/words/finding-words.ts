import type { FindingCode } from '#core/finding.ts';

/** What a finding means, and the first thing to do: a command where there is one. */
export const FINDING_WORDS: Readonly<
  Record<FindingCode, { readonly what: string; readonly next: string }>
> = {
  DEAD_LETTERS_WAITING: {
    what: 'dead letters stay for longer than the redrive needs to clear them',
    next: 'dead-letters',
  },
  NOBODY_CONSUMING: {
    what: 'messages wait and age while none is in flight: nobody reads the queue',
    next: 'doctor',
  },
  SLOW_PROVIDER: {
    what: 'messages are worked on, and still age: the provider or a limit is slow',
    next: 'look at the provider’s status page and at the concurrency',
  },
  DELAYED_BACKLOG: {
    what: 'old messages, all of them delayed on purpose',
    next: 'nothing: they are not due',
  },
  QUEUE_MISSING: { what: 'the queue does not exist', next: 'doctor' },
  PUBLISHES_UNCONFIRMED: {
    what: 'the queue took postponed copies that its own count denies',
    next: 'pause --reason PUBLISHES_DENIED',
  },
  STATS_INVALID: {
    what: 'figures of the queue or the account cannot be read or believed',
    next: 'doctor',
  },
  BALANCE_LOW: {
    what: 'the balance is low; without credit no reminder can be postponed',
    next: 'top up the account at Infrai',
  },
  OUTCOMES_PARKED: {
    what: 'sends with an unknown outcome rest until a person decides them',
    next: 'unknowns',
  },
  BREAKER_PAUSED: {
    what: 'the breaker is open: nothing is consumed',
    next: 'mend its reason, then: resume --concurrency 1',
  },
  BREAKER_LIMITED: {
    what: 'the breaker lets few sends through and doubles with every clean run',
    next: 'nothing: it opens up by itself',
  },
  CHANNEL_STOPPED: {
    what: 'a provider refuses our credentials; its reminders are postponed',
    next: 'mend the channel’s secret, then: resume --channel <name>',
  },
  CONSUMER_SILENT: {
    what: 'no run of the consumer has come to its end for too long',
    next: 'doctor, then the consumer’s log',
  },
  LEDGER_UNREADABLE: {
    what: 'the ledger cannot be read; nothing is sent meanwhile',
    next: 'look at the table and the permissions on it',
  },
  LEDGER_FAILING: {
    what: 'calls to the ledger fail; those reminders wait',
    next: 'look at the table’s throttles',
  },
  RECEIPTS_AHEAD: {
    what: 'providers accepted reminders that no row records',
    next: 'pause --reason RECEIPTS_AHEAD, then the runbook',
  },
  TERMINAL_AHEAD: {
    what: 'rows say sent without a proof',
    next: 'pause --reason TERMINAL_AHEAD, then the runbook',
  },
  CONTENT_CONFLICTS: {
    what: 'one reminder came with two different bodies; only the first is sent',
    next: 'find the producer that changes a body without a new reminder id',
  },
  INVALID_MESSAGES: {
    what: 'messages came from which no send key can be made',
    next: 'dead-letters, then mend the producer',
  },
  DELIVERIES_CRASHED: {
    what: 'deliveries ended in an error that the consumer does not know',
    next: 'read their log lines; this is a bug to report',
  },
  RUNS_STOPPED_BY_BUDGET: {
    what: 'runs end by their budget with work left: the backlog outlives them',
    next: 'raise consumerConcurrency when the provider allows it',
  },
};
