import { type ReadBreaker, readBreaker } from '#app/breaker-control.ts';
import { deliverySettings } from '#config/delivery-config.ts';
import type { ClaimToken, EpochMs } from '#core/brand.ts';
import { planRun, resumeIfDue } from '#core/breaker.ts';
import type { Delivery } from '#core/delivery.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import { instantOf } from '#core/instant.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import { planAfterClaim } from '#core/plan-after-claim.ts';
import { planBeforeClaim } from '#core/plan-before-claim.ts';
import type { Reminder } from '#core/reminder.ts';
import type { SenderProfile } from '#core/send-result.ts';
import { windowOpen } from '#core/uncertain.ts';
import { backendFailure } from '#functions/ops/backend-failure.ts';
import { openDesk } from '#functions/ops/desk.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import {
  checkOccurrence,
  type Occurrence,
  type OccurrenceFlags,
  readOccurrence,
  sendKeyOf,
} from '#functions/ops/occurrence.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Output } from '#functions/ops/output.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import { consumerConfig } from '#functions/ops/target/target.ts';
import {
  type NextDelivery,
  withoutRowWords,
  withRowWords,
} from '#functions/ops/words/plan-words.ts';
import { historyWords, reasonWords, stateWords } from '#functions/ops/words/reason-words.ts';
import { instantWords, whenWords } from '#functions/ops/words/time-words.ts';

/** Whether the provider would still recognise our key, and until when. */
type Window =
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'open' | 'over'; readonly closesAt: EpochMs };

type Explanation = {
  readonly sendKey: string;
  readonly sendUuid: string | null;
  readonly now: EpochMs;
  readonly row: LedgerRecord | null;
  readonly next: NextDelivery;
  readonly window: Window;
  /** An acceptance whose row could not be written: the breaker remembers its receipt. */
  readonly unrecordedReceipt: string | null;
  /** Why nothing is consumed or sent at the moment; null when nothing is in the way. */
  readonly obstacle: string | null;
};

/** The life of one reminder: its row, its history, and what the next delivery would do. */
export async function explain(session: Session, flags: OccurrenceFlags): Promise<Ran> {
  checkOccurrence(flags);
  const target = await session.target();
  const config = consumerConfig(target);
  const { ledger, controls, senders, epochs } = await openDesk(target);
  const occurrence = readOccurrence(flags, config, epochs);
  const sendKey = sendKeyOf(occurrence);
  const [found, breaker] = await Promise.all([ledger.read(sendKey), readBreaker(controls)]);
  if (found.kind === 'failed') throw backendFailure('reading the row', found.code);
  const row = found.kind === 'row' ? found.row : null;
  const now = target.clock.now();
  const settings = deliverySettings(config.delivery);
  const channel = row?.channel ?? channelOf(occurrence);
  const profile = channel === null ? undefined : senders.get(channel)?.profile;
  if (profile === undefined && row === null && channel !== null) {
    throw new OpsError(
      EXIT.usage,
      'USAGE',
      `channel ${channel} is none of this stage's; allowed: ${[...senders.keys()].join(', ')}`,
    );
  }
  const explanation: Explanation = {
    sendKey,
    sendUuid: occurrence.kind === 'reminder' ? occurrence.identity.sendUuid : null,
    now,
    row,
    next: nextOf(occurrence, row, profile, settings, now),
    window: windowOf(row, profile, settings, now),
    unrecordedReceipt: unrecordedOf(breaker, sendKey),
    obstacle: obstacleOf(breaker, channel, now),
  };
  return {
    exit: EXIT.ok,
    data: documentOf(explanation),
    show: (out) => show(out, explanation),
  };
}

function channelOf(occurrence: Occurrence): string | null {
  return occurrence.kind === 'reminder' ? occurrence.reminder.channel : null;
}

/** The next delivery is taken to carry the row's own attempt and content, as its copy does. */
function nextOf(
  occurrence: Occurrence,
  row: LedgerRecord | null,
  profile: SenderProfile | undefined,
  settings: DeliverySettings,
  now: EpochMs,
): NextDelivery {
  if (row === null) {
    if (occurrence.kind === 'key') {
      return { does: 'unknown', words: 'no row: name the reminder by its fields to see more' };
    }
    return withoutRowWords(planBeforeClaim(occurrence, now, settings), now);
  }
  if (profile === undefined) {
    return {
      does: 'leave',
      words: `its channel ${row.channel} is not configured any more: it would be left as invalid`,
    };
  }
  const reminder: Reminder = {
    ...(occurrence.kind === 'reminder' ? occurrence.reminder : unnamed(row)),
    channel: row.channel,
    attempt: row.attempt,
    hop: 0,
  };
  const delivery: Delivery = {
    reminder,
    identity: { sendKey: row.sendKey, sendUuid: '', userRef: row.userRef },
    bodyHash: row.bodyHash,
    profile,
  };
  const before = planBeforeClaim(delivery, now, settings);
  if (before.kind === 'not-yet') return withoutRowWords(before, now);
  const token = '' as ClaimToken;
  const plan = planAfterClaim({ row, delivery, token, now, fraction: 0, settings });
  return withRowWords(plan, now);
}

/** A row does not hold the reminder's ids; decisions do not read them. */
function unnamed(row: LedgerRecord): Reminder {
  const scheduledAt = instantOf(row.scheduledAt);
  return { userId: '', reminderId: '', scheduledAt, channel: row.channel, attempt: 0, hop: 0 };
}

function windowOf(
  row: LedgerRecord | null,
  profile: SenderProfile | undefined,
  settings: DeliverySettings,
  now: EpochMs,
): Window {
  if (profile === undefined) return { kind: 'none', why: 'its channel is not configured' };
  if (profile.providerClass !== 'dedupes' || profile.windowSeconds === null) {
    return { kind: 'none', why: `its provider is ${profile.providerClass}` };
  }
  if (row === null || row.firstSendAt === null) {
    return { kind: 'none', why: 'no send is open that it would have to remember' };
  }
  const closesAt =
    row.firstSendAt + profile.windowSeconds * 1000 - settings.skewMs - settings.leaseMs;
  return { kind: windowOpen(row, profile, now, settings) ? 'open' : 'over', closesAt };
}

function unrecordedOf(answer: ReadBreaker, sendKey: string): string | null {
  if (answer.kind === 'failed') return null;
  return answer.breaker.unrecorded.find((one) => one.sendKey === sendKey)?.receipt ?? null;
}

function obstacleOf(answer: ReadBreaker, channel: string | null, now: EpochMs): string | null {
  if (answer.kind === 'failed') return `the breaker cannot be read (${answer.code})`;
  const breaker = resumeIfDue(answer.breaker, now);
  const plan = planRun(breaker, 1, now);
  if (plan === null) return `the consumer is paused (${breaker.reason})`;
  const stopped = channel === null ? undefined : plan.stopped.get(channel);
  return stopped === undefined ? null : `channel ${channel} is stopped (${stopped})`;
}

function documentOf({ row, ...rest }: Explanation) {
  if (row === null) return { ...rest, row: null };
  // The token would let its reader write to the row.
  const { claimToken: _secret, history, ...shown } = row;
  const told = history.map((entry) => ({ ...entry, words: historyWords(entry) }));
  return { ...rest, row: { ...shown, history: told } };
}

function show(out: Output, { sendKey, sendUuid, now, row, ...rest }: Explanation): void {
  out.heading(sendKey);
  if (sendUuid !== null) out.line(`as UUID ${sendUuid}`);
  if (row === null) {
    out.line('The ledger has no row of it: no worker has ever claimed it, and nothing was sent.');
  } else {
    out.facts([
      ['state', `${row.state}: ${stateWords(row.state)}`],
      ['why', `${reasonWords(row.reason) ?? 'the provider’s or queue’s code'} [${row.reason}]`],
      ['due', whenWords(row.scheduledAt, now)],
      ['attempt', `${row.attempt}, the budget ends before ${row.attemptLimit}`],
      ['sent by', `${row.channel}, provider ${row.provider}`],
      ['receipt', row.receipt ?? 'none'],
      ['redrives', String(row.redriveCount)],
    ]);
    out.line('History:');
    for (const entry of row.history) {
      out.line(`  ${instantWords(entry.at)}  ${historyWords(entry)}`);
    }
  }
  out.line(`The next delivery: ${rest.next.words}`);
  out.line(`Provider's window: ${windowWords(rest.window, now)}`);
  if (rest.unrecordedReceipt !== null) {
    out.line(out.paint.yellow(`Accepted, and no row says so: receipt ${rest.unrecordedReceipt}`));
  }
  if (rest.obstacle !== null) out.line(out.paint.yellow(`At the moment ${rest.obstacle}.`));
}

function windowWords(window: Window, now: EpochMs): string {
  switch (window.kind) {
    case 'none':
      return `does not apply, ${window.why}`;
    case 'open':
      return `open until ${whenWords(window.closesAt, now)}: the same key makes no second effect`;
    case 'over':
      return `over since ${whenWords(window.closesAt, now)}: the provider counts as blind`;
  }
}
