import type { KeepReason, RedriveReason, SettleReason } from '#core/plan-redrive.ts';
import type { RedriveMode } from '#core/redrive-request.ts';

type Reason = RedriveReason | SettleReason | KeepReason;

/** Reasons that read alike are added up; in the order in which a person wants to know. */
const PHRASES: readonly (readonly [
  reasons: readonly Reason[],
  planned: string,
  performed: string,
])[] = [
  [['EXHAUSTED', 'DEFERRED', 'NO_ROW', 'REOPENED_EARLIER'], 'would be sent', 'redriven to be sent'],
  [
    ['UNKNOWN_DEDUPES', 'UNKNOWN_QUERYABLE'],
    'unknown would be settled with their provider',
    'unknown redriven to be settled with their provider',
  ],
  [
    ['UNKNOWN_BY_POLICY'],
    'unknown would be settled by policy',
    'unknown redriven to be settled by policy',
  ],
  [
    ['SAME_REMINDER'],
    'further copies of the same reminders would go along',
    'further copies of the same reminders redriven',
  ],
  [['FORCED_INVALID'], 'invalid would be redriven by force', 'invalid redriven by force'],
  [['SENT'], 'already sent (settled)', 'already sent (settled)'],
  [['REJECTED'], 'refused for good (settled)', 'refused for good (settled)'],
  [
    ['EXPIRED', 'USE_BY_PASSED'],
    'past their use-by time (settled)',
    'past their use-by time (settled)',
  ],
  [['DECISION_NEEDED'], 'unknown kept for a decision', 'unknown kept for a decision'],
  [['PROVIDER_WINDOW_OVER'], "past the provider's window", "past the provider's window"],
  [['AT_CAP'], 'at their cap', 'at their cap'],
  [['CONTENT_CONFLICT'], 'with changed content', 'with changed content'],
  [['PROVIDER_UNHEALTHY'], 'waiting for an unwell provider', 'waiting for an unwell provider'],
  [['CLAIM_ALIVE'], 'in a worker’s hands', 'in a worker’s hands'],
  [['INVALID_PAYLOAD'], 'invalid (kept)', 'invalid (kept)'],
  [['LEDGER_FAILED', 'CRASHED'], 'could not be judged', 'could not be judged'],
];

/** "38 would be sent, 11 already sent (settled), 2 unknown kept for a decision, 1 at their cap". */
export function redriveWords(
  mode: RedriveMode,
  decisions: readonly { readonly reason: string; readonly count: number }[],
  end: string,
  failed: number,
): string {
  const parts = PHRASES.flatMap(([reasons, planned, performed]) => {
    const counted = decisions.filter(({ reason }) =>
      (reasons as readonly string[]).includes(reason),
    );
    const count = counted.reduce((total, group) => total + group.count, 0);
    return count === 0 ? [] : [`${count} ${mode === 'plan' ? planned : performed}`];
  });
  const what = parts.length === 0 ? 'no dead letters looked at' : parts.join(', ');
  const trouble = failed === 0 ? '' : `; ${failed} of these failed and stay`;
  return end === 'dead-letters-read' ? what + trouble : `${what}${trouble}; stopped early: ${end}`;
}
