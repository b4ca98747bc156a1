import type { EpochMs } from '#core/brand.ts';
import type { PlanAfterClaim } from '#core/plan-after-claim.ts';
import type { PlanBeforeClaim } from '#core/plan-before-claim.ts';
import { reasonWords } from '#functions/ops/words/reason-words.ts';
import { whenWords } from '#functions/ops/words/time-words.ts';

/** What the next delivery of a reminder would do, in a code and in words. */
export type NextDelivery = { readonly does: string; readonly words: string };

const WILL_SEND = 'it would be claimed and sent';

export function withoutRowWords(plan: PlanBeforeClaim, now: EpochMs): NextDelivery {
  switch (plan.kind) {
    case 'claim':
      return { does: 'send', words: WILL_SEND };
    case 'expire':
      return {
        does: 'expire',
        words: 'it would be recorded as expired and never sent: its use-by time is over',
      };
    case 'not-yet': {
      const { settlement } = plan;
      const until = settlement.kind === 'postpone' ? whenWords(settlement.until, now) : 'later';
      return { does: 'postpone', words: `it would be postponed to its instant, ${until}` };
    }
  }
}

export function withRowWords(plan: PlanAfterClaim, now: EpochMs): NextDelivery {
  if (plan.kind === 'take-over') {
    const why = reasonWords(plan.next.reason) ?? plan.next.reason;
    const does = plan.askFirst ? 'ask' : 'send';
    const then = plan.askFirst
      ? 'the provider would be asked; it is sent only when the provider proves that nothing arrived'
      : WILL_SEND;
    return { does, words: `${then} (${why})` };
  }
  const until = plan.settlement.kind === 'postpone' ? whenWords(plan.settlement.until, now) : null;
  switch (plan.outcome) {
    case 'duplicate':
      return { does: 'ack', words: 'it would be acked quietly: the row is final, nothing is sent' };
    case 'unproved':
      return { does: 'leave', words: 'it would be left: the row says sent without a receipt' };
    case 'held':
      return { does: 'postpone', words: `a worker holds it; it would be postponed to ${until}` };
    case 'not-due':
      return { does: 'postpone', words: `its next attempt is due ${until}; postponed until then` };
    case 'settling':
      return {
        does: 'postpone',
        words: `whether it was accepted cannot be told before ${until}; postponed until then`,
      };
    case 'exhausted':
      return {
        does: 'leave',
        words: 'it would be left and become a dead letter again; a redrive gives it new attempts',
      };
    case 'expired':
      return { does: 'expire', words: 'it would be recorded as expired: its use-by time is over' };
    case 'parked':
      return {
        does: 'leave',
        words: 'nothing would be sent: it rests until you decide (resolve sent | not-sent)',
      };
    case 'assumed-sent':
      return { does: 'assume-sent', words: 'it would be declared sent by the channel’s policy' };
  }
}
