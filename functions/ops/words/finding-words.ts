import type { FindingCode } from '#core/finding.ts';

export type FindingWords = {
  readonly what: string;
  /** The first command to run; null where no command helps. */
  readonly command: string | null;
  /** What to do beside it, or instead. */
  readonly next: string | null;
};

/** What a finding means, and the first thing to do. */
export const FINDING_WORDS: Readonly<Record<FindingCode, FindingWords>> = {
  DEAD_LETTERS_WAITING: {
    what: 'dead letters stay for longer than the redrive needs to clear them',
    command: 'dead-letters',
    next: null,
  },
  NOBODY_CONSUMING: {
    what: 'messages wait and age while none is in flight: nobody reads the queue',
    command: 'doctor',
    next: null,
  },
  SLOW_PROVIDER: {
    what: 'messages are worked on, and still age: the provider or a limit is slow',
    command: null,
    next: 'look at the provider’s status page and at the concurrency',
  },
  DELAYED_BACKLOG: {
    what: 'old messages, all of them delayed on purpose',
    command: null,
    next: 'nothing: they are not due',
  },
  QUEUE_MISSING: { what: 'the queue does not exist', command: 'doctor', next: null },
  PUBLISHES_UNCONFIRMED: {
    what: 'the queue took postponed copies that its own count denies',
    command: 'pause --reason PUBLISHES_DENIED',
    next: 'then ask the vendor which is right',
  },
  STATS_INVALID: {
    what: 'figures of the queue or the account cannot be read or believed',
    command: 'doctor',
    next: null,
  },
  BALANCE_LOW: {
    what: 'the balance is low; without credit no reminder can be postponed',
    command: null,
    next: 'top up the account at Infrai',
  },
  OUTCOMES_PARKED: {
    what: 'sends with an unknown outcome rest until a person decides them',
    command: 'unknowns --parked',
    next: null,
  },
  BREAKER_PAUSED: {
    what: 'the breaker is open: nothing is consumed',
    command: 'resume --concurrency 1',
    next: 'mend its reason first',
  },
  BREAKER_LIMITED: {
    what: 'the breaker lets few sends through and doubles with every clean run',
    command: null,
    next: 'nothing: it opens up by itself',
  },
  CHANNEL_STOPPED: {
    what: 'a provider refuses our credentials, or somebody stopped it; its reminders wait',
    command: 'doctor',
    next: 'mend the channel’s secret, then resume it with --channel',
  },
  CONSUMER_SILENT: {
    what: 'no run of the consumer has come to its end for too long',
    command: 'doctor',
    next: 'then the consumer’s log',
  },
  LEDGER_UNREADABLE: {
    what: 'the ledger cannot be read; nothing is sent meanwhile',
    command: null,
    next: 'look at the table and the permissions on it',
  },
  LEDGER_FAILING: {
    what: 'calls to the ledger fail; those reminders wait',
    command: null,
    next: 'look at the table’s throttles',
  },
  RECEIPTS_AHEAD: {
    what: 'providers accepted reminders that no row records',
    command: 'pause --reason RECEIPTS_AHEAD',
    next: 'then the runbook',
  },
  TERMINAL_AHEAD: {
    what: 'rows say sent without a proof',
    command: 'pause --reason TERMINAL_AHEAD',
    next: 'then the runbook',
  },
  CONTENT_CONFLICTS: {
    what: 'one reminder came with two different bodies; only the first is sent',
    command: null,
    next: 'find the producer that changes a body without a new reminder id',
  },
  INVALID_MESSAGES: {
    what: 'messages came from which no send key can be made',
    command: 'dead-letters --state INVALID',
    next: 'then mend the producer',
  },
  DELIVERIES_CRASHED: {
    what: 'deliveries ended in an error that the consumer does not know',
    command: null,
    next: 'read their log lines; this is a bug to report',
  },
  RUNS_STOPPED_BY_BUDGET: {
    what: 'runs end by their budget with work left: the backlog outlives them',
    command: null,
    next: 'raise consumerConcurrency when the provider allows it',
  },
};
