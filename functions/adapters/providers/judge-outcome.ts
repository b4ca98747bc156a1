import type { HttpAnswer, HttpOutcome } from '#adapters/http/http-call.ts';
import { parseJson, readPlace } from '#adapters/providers/json-place.ts';
import {
  type CodeRule,
  meaningOf,
  type ProviderProfile,
  type ReceiptPlace,
  type StatusMeaning,
} from '#adapters/providers/provider-profile.ts';
import { RECEIPTLESS, readReceipt } from '#adapters/providers/receipt.ts';
import type { EpochMs } from '#core/brand.ts';
import { retryAfterSeconds } from '#core/retry-after.ts';
import { NO_RECEIPT, type QueryResult, type SendResult } from '#core/send-result.ts';

/** A gateway's word that the provider took too long: a sign of load, as our own time-out is. */
const TIMED_OUT_STATUSES: readonly number[] = [408, 504];

export type JudgingProfile = Pick<ProviderProfile, 'statuses' | 'receipt' | 'codes' | 'okMember'>;

/** What one send proved, by the provider's profile. Codes only: nothing that the provider wrote. */
export function judgeSend(outcome: HttpOutcome, profile: JudgingProfile, now: EpochMs): SendResult {
  switch (outcome.kind) {
    case 'answer':
      return judgeAnswer(outcome, profile, now);
    case 'not-sent':
      // A certificate that nobody vouches for is no sign of load.
      return outcome.cause === 'TLS'
        ? { kind: 'deferred', code: outcome.cause }
        : { kind: 'deferred', code: outcome.cause, overload: true };
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

function judgeAnswer(answer: HttpAnswer, profile: JudgingProfile, now: EpochMs): SendResult {
  const byStatus = meaningOf(answer.status, profile.statuses);
  const judged = byStatus === 'accepted' ? accepted(answer, profile) : undefined;
  // A receipt is proof: no code beside it may lead to another send.
  if (judged?.kind === 'accepted') return judged;
  const listed = profile.codes && listedCode(answer, profile.codes);
  const meaning = listed?.meaning ?? byStatus;
  const code = listed === undefined ? `HTTP_${answer.status}` : codeOf(answer.status, listed.code);
  switch (meaning) {
    case 'accepted':
      return judged ?? { kind: 'unknown', cause: NO_RECEIPT };
    case 'deferred': {
      const wait = retryAfterSeconds(answer.headers['retry-after'], answer.headers['date'], now);
      return {
        kind: 'deferred',
        code,
        ...(wait !== undefined && { retryAfterSeconds: wait }),
        // Every code that a table lists as a wait is a limit.
        ...((answer.status === 429 || listed !== undefined) && { overload: true }),
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

function accepted(answer: HttpAnswer, { receipt: rule, okMember }: JudgingProfile): SendResult {
  if (okMember !== undefined) {
    const said = readPlace(parseJson(answer.text), okMember);
    if (said.kind === 'value' && said.value === false) return { kind: 'unknown', cause: 'NOT_OK' };
  }
  const reading = readReceipt(answer, rule);
  if (reading.kind === 'receipt') return { kind: 'accepted', receipt: reading.receipt };
  if (reading.kind === 'empty' && rule.emptyMeans !== undefined) {
    return { kind: 'rejected', code: rule.emptyMeans };
  }
  return rule.required
    ? { kind: 'unknown', cause: NO_RECEIPT }
    : { kind: 'accepted', receipt: RECEIPTLESS };
}

type ListedCode = { readonly code: string; readonly meaning: StatusMeaning };

function listedCode(answer: HttpAnswer, rule: CodeRule): ListedCode | undefined {
  const body = rule.place === 'body' ? parseJson(answer.text) : undefined;
  for (const path of rule.path.split('|')) {
    const value =
      rule.place === 'header' ? answer.headers[path.toLowerCase()] : bodyValue(body, path);
    const code = shortCode(value);
    const meaning = Object.hasOwn(rule.meanings, code) ? rule.meanings[code] : undefined;
    if (meaning !== undefined) return { code, meaning };
  }
  return undefined;
}

function bodyValue(body: unknown, path: string): unknown {
  const reading = readPlace(body, path);
  return reading.kind === 'value' ? reading.value : undefined;
}

/** AWS writes `namespace#Name:url` where it means `Name`. */
function shortCode(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.replace(/^.*#/, '').replace(/:.*$/, '') : '';
}

/** A listed code is a word of our own table, so it may be shown. */
function codeOf(status: number, code: string): string {
  return `HTTP_${status}_${code.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

/**
 * What asking about an earlier send proved. Absent is a 404, or an empty list where the receipt
 * would be; anything that is neither a receipt nor one of these two cannot tell. An absence is
 * only as good as the time since the send: the caller waits out the provider's commit time.
 */
export function judgeQuery(outcome: HttpOutcome, place: ReceiptPlace): QueryResult {
  if (outcome.kind === 'invalid-request') return { kind: 'cannot-tell', cause: outcome.code };
  if (outcome.kind !== 'answer') return { kind: 'cannot-tell', cause: outcome.cause };
  const code = `HTTP_${outcome.status}`;
  if (outcome.status === 404) return { kind: 'absent' };
  if (outcome.status === 401 || outcome.status === 403) return { kind: 'channel-stopped', code };
  if (outcome.status !== 200) return { kind: 'cannot-tell', cause: code };
  const reading = readReceipt(outcome, place);
  if (reading.kind === 'receipt') return { kind: 'found', receipt: reading.receipt };
  return reading.kind === 'empty-list'
    ? { kind: 'absent' }
    : { kind: 'cannot-tell', cause: NO_RECEIPT };
}
