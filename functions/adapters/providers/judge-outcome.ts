import type { HttpAnswer, HttpOutcome } from '#adapters/http/http-call.ts';
import {
  meaningOf,
  type ProviderProfile,
  type ReceiptRule,
} from '#adapters/providers/provider-profile.ts';
import { RECEIPTLESS, readReceipt } from '#adapters/providers/receipt.ts';
import type { EpochMs } from '#core/brand.ts';
import { retryAfterSeconds } from '#core/retry-after.ts';
import { NO_RECEIPT, type QueryResult, type SendResult } from '#core/send-result.ts';

/** A gateway's word that the provider took too long: a sign of load, as our own time-out is. */
const TIMED_OUT_STATUSES: readonly number[] = [408, 504];

/** What one send proved, by the provider's profile. Codes only: nothing that the provider wrote. */
export function judgeSend(
  outcome: HttpOutcome,
  profile: Pick<ProviderProfile, 'statuses' | 'receipt'>,
  now: EpochMs,
): SendResult {
  switch (outcome.kind) {
    case 'answer':
      return judgeAnswer(outcome, profile, now);
    case 'not-sent':
      return { kind: 'deferred', code: outcome.cause, overload: true };
    case 'unknown':
      return outcome.cause === 'TIMEOUT'
        ? { kind: 'unknown', cause: outcome.cause, overload: true }
        : { kind: 'unknown', cause: outcome.cause };
    case 'invalid-request':
      return { kind: 'rejected', code: outcome.code };
    default:
      return outcome satisfies never;
  }
}

function judgeAnswer(
  answer: HttpAnswer,
  profile: Pick<ProviderProfile, 'statuses' | 'receipt'>,
  now: EpochMs,
): SendResult {
  const code = `HTTP_${answer.status}`;
  const meaning = meaningOf(answer.status, profile.statuses);
  switch (meaning) {
    case 'accepted': {
      const receipt = provenReceipt(answer, profile.receipt);
      return receipt === undefined
        ? { kind: 'unknown', cause: NO_RECEIPT }
        : { kind: 'accepted', receipt };
    }
    case 'deferred': {
      const wait = retryAfterSeconds(answer.headers['retry-after'], answer.headers['date'], now);
      return {
        kind: 'deferred',
        code,
        ...(wait !== undefined && { retryAfterSeconds: wait }),
        ...(answer.status === 429 && { overload: true }),
      };
    }
    case 'unknown':
      return TIMED_OUT_STATUSES.includes(answer.status)
        ? { kind: 'unknown', cause: code, overload: true }
        : { kind: 'unknown', cause: code };
    case 'rejected':
      return { kind: 'rejected', code };
    case 'channel-stopped':
      return { kind: 'channel-stopped', code };
    default:
      return meaning satisfies never;
  }
}

function provenReceipt(answer: HttpAnswer, rule: ReceiptRule): string | undefined {
  const reading = readReceipt(answer, rule);
  if (reading.kind === 'receipt') return reading.receipt;
  return rule.required ? undefined : RECEIPTLESS;
}

/**
 * What asking about an earlier send proved. Absent is a 404, or an empty list where the receipt
 * would be; anything that is neither a receipt nor one of these two cannot tell. An absence is
 * only as good as the time since the send: the caller waits out the provider's commit time.
 */
export function judgeQuery(
  outcome: HttpOutcome,
  rule: Pick<ReceiptRule, 'place' | 'path'>,
): QueryResult {
  if (outcome.kind === 'invalid-request') return { kind: 'cannot-tell', cause: outcome.code };
  if (outcome.kind !== 'answer') return { kind: 'cannot-tell', cause: outcome.cause };
  const code = `HTTP_${outcome.status}`;
  if (outcome.status === 404) return { kind: 'absent' };
  if (outcome.status === 401 || outcome.status === 403) return { kind: 'channel-stopped', code };
  if (outcome.status !== 200) return { kind: 'cannot-tell', cause: code };
  const reading = readReceipt(outcome, rule);
  if (reading.kind === 'receipt') return { kind: 'found', receipt: reading.receipt };
  return reading.kind === 'empty-list'
    ? { kind: 'absent' }
    : { kind: 'cannot-tell', cause: NO_RECEIPT };
}
