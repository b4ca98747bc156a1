import type { EpochMs } from '#core/brand.ts';

/** `page`: somebody must act. `warn`: worth a look. `info`: an explanation, so that nobody acts. */
export type Severity = 'page' | 'warn' | 'info';

/**
 * Everything that a check can find: how loud it is, and the runbook section that says what to do.
 * Alarm descriptions link the same sections. With `pagesAfterSeconds` it only warns until it has
 * been open for so long: one lost answer calls nobody.
 */
export const FINDINGS = {
  DEAD_LETTERS_WAITING: { severity: 'page', runbook: 'dead-letters' },
  NOBODY_CONSUMING: { severity: 'page', runbook: 'stale-queue' },
  SLOW_PROVIDER: { severity: 'warn', runbook: 'slow-provider' },
  DELAYED_BACKLOG: { severity: 'info', runbook: 'delayed-backlog' },
  QUEUE_MISSING: { severity: 'page', runbook: 'queue-missing', pagesAfterSeconds: 100 },
  PUBLISHES_UNCONFIRMED: { severity: 'page', runbook: 'publishes-unconfirmed' },
  STATS_INVALID: { severity: 'page', runbook: 'stats-invalid', pagesAfterSeconds: 100 },
  BALANCE_LOW: { severity: 'page', runbook: 'balance-low' },
  OUTCOMES_PARKED: { severity: 'page', runbook: 'outcomes-parked' },
  BREAKER_PAUSED: { severity: 'page', runbook: 'breaker-open' },
  BREAKER_LIMITED: { severity: 'warn', runbook: 'breaker-open' },
  CHANNEL_STOPPED: { severity: 'page', runbook: 'channel-stopped' },
  CONSUMER_SILENT: { severity: 'page', runbook: 'consumer-silent' },
  LEDGER_UNREADABLE: { severity: 'page', runbook: 'ledger-failing', pagesAfterSeconds: 100 },
  LEDGER_FAILING: { severity: 'warn', runbook: 'ledger-failing' },
  RECEIPTS_AHEAD: { severity: 'page', runbook: 'receipts-ahead' },
  TERMINAL_AHEAD: { severity: 'page', runbook: 'terminal-ahead' },
  CONTENT_CONFLICTS: { severity: 'page', runbook: 'content-conflicts' },
  INVALID_MESSAGES: { severity: 'page', runbook: 'invalid-messages' },
  DELIVERIES_CRASHED: { severity: 'page', runbook: 'deliveries-crashed' },
  RUNS_STOPPED_BY_BUDGET: { severity: 'warn', runbook: 'runs-stopped-by-budget' },
} as const satisfies Record<string, FindingKind>;

export type FindingKind = {
  readonly severity: Severity;
  readonly runbook: string;
  readonly pagesAfterSeconds?: number;
};

export type FindingCode = keyof typeof FINDINGS;

/** One thing that a check found: a code, its reason, and the figures behind it. No id of a user. */
export type Finding = {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** What makes it true: a code of ours, of the queue's or of a provider's. */
  readonly reason: string;
  /** The channel, figure or source that it is about; null when it is about the whole pipeline. */
  readonly subject: string | null;
  /** Since when it has been so, as far as is known. */
  readonly since: EpochMs;
  readonly seen: number | null;
  readonly allowed: number | null;
  /** Section of the runbook. */
  readonly runbook: string;
};

export function finding(
  code: FindingCode,
  what: Pick<Finding, 'reason' | 'since'> & Partial<Pick<Finding, 'subject' | 'seen' | 'allowed'>>,
): Finding {
  const { severity, runbook } = FINDINGS[code];
  return { code, severity, runbook, subject: null, seen: null, allowed: null, ...what };
}
