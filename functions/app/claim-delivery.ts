import type { DeliveryDeps } from '#app/delivery-deps.ts';
import type { DeliveryOutcome, DeliveryReport } from '#app/delivery-report.ts';
import type { ClaimToken } from '#core/brand.ts';
import { expiredRow, firstClaim } from '#core/claim.ts';
import { ACK, type Delivery, LEAVE, type Settlement } from '#core/delivery.ts';
import { isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import { contentConflict, planAfterClaim } from '#core/plan-after-claim.ts';

export type Claimed = {
  readonly kind: 'claimed';
  readonly row: LedgerRecord;
  readonly askFirst: boolean;
  readonly uncertain: boolean;
};
/** The delivery ends here: nothing is to be sent. */
export type Ended = {
  readonly kind: 'ended';
  readonly settlement: Settlement;
  readonly outcome: DeliveryOutcome;
  readonly reason: string;
};

/** A row can be moved under our eyes; after this many looks the next delivery is the better judge. */
const MAX_LOOKS = 3;

/**
 * Wins the right to send, or says why there is nothing to send. Without a claim write that the
 * ledger confirmed, there is no send.
 */
export async function claimDelivery(
  delivery: Delivery,
  late: boolean,
  deps: DeliveryDeps,
  report: DeliveryReport,
): Promise<Claimed | Ended> {
  const token = deps.random.token() as ClaimToken;
  const make = late ? expiredRow : firstClaim;
  const row = make(delivery, token, deps.clock.now(), deps.settings);
  const answer = await deps.ledger.claim(row);
  switch (answer.kind) {
    case 'failed':
      return ended(LEAVE, 'ledger-failed', answer.code);
    case 'exists':
      return settleWithRow(answer.row, delivery, deps, report);
    case 'claimed':
      report.keyClaimed = true;
      if (!late) return { kind: 'claimed', row, askFirst: false, uncertain: false };
      report.terminal = 'EXPIRED';
      return ended(ACK, 'expired', row.reason);
  }
}

async function settleWithRow(
  found: LedgerRecord,
  delivery: Delivery,
  deps: DeliveryDeps,
  report: DeliveryReport,
): Promise<Claimed | Ended> {
  const { clock, random, settings } = deps;
  report.contentConflict = contentConflict(found, delivery);
  let row = found;
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const token = random.token() as ClaimToken;
    const fraction = random.fraction();
    const plan = planAfterClaim({ row, delivery, token, now: clock.now(), fraction, settings });
    if (plan.kind === 'settle') return ended(plan.settlement, plan.outcome, row.reason);
    const answer = await deps.ledger.replace(plan.next, row);
    if (answer.kind === 'failed') return ended(LEAVE, 'ledger-failed', answer.code);
    if (answer.kind === 'replaced') {
      if (plan.kind === 'take-over') {
        report.takenOver = true;
        return { ...plan, kind: 'claimed', row: plan.next };
      }
      if (isTerminal(plan.next.state)) report.terminal = plan.next.state;
      return ended(plan.settlement, plan.outcome, plan.next.reason);
    }
    if (answer.row === undefined) return ended(LEAVE, 'lost-race', 'ROW_GONE');
    row = answer.row;
  }
  return ended(LEAVE, 'lost-race', 'ROW_KEEPS_MOVING');
}

function ended(settlement: Settlement, outcome: DeliveryOutcome, reason: string): Ended {
  return { kind: 'ended', settlement, outcome, reason };
}
