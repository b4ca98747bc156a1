import { ASSUMED_RECEIPT, isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import type { SenderProfile } from '#core/send-result.ts';
import type { MemoryProvider } from '#test/support/memory-provider.ts';
import type { World } from '#test/support/world.ts';

/** All that can be known of one reminder from outside the workers. */
export type ReminderView = {
  readonly row: LedgerRecord | undefined;
  /** What the user saw. */
  readonly effects: number;
  /** Messages of it in the main queue and in the dead-letter queue. */
  readonly queued: number;
  readonly dead: number;
  readonly provider: MemoryProvider;
};

/**
 * What must hold for a reminder at any moment between two deliveries, whatever happened to it.
 * Empty when all is well; each entry is one broken promise.
 */
export function brokenPromises(view: ReminderView): readonly string[] {
  const { row, effects, provider } = view;
  const broken: string[] = [];
  const mayDuplicate = resends(provider.sender.profile);
  const messages = view.queued + view.dead;
  if (effects > 1 && !mayDuplicate) broken.push(`${effects} effects for one key`);
  if (row === undefined) {
    if (effects > 0) broken.push('an effect without a row');
    if (messages === 0) broken.push('lost: no row and no message');
    return broken;
  }
  if (!isTerminal(row.state) && messages === 0) {
    broken.push(`lost: ${row.state} (${row.reason}) and no message in any queue`);
  }
  const provedUnsent = ['REJECTED', 'EXPIRED', 'EXHAUSTED', 'DEFERRED'].includes(row.state);
  if (provedUnsent && effects > 0 && !mayDuplicate) {
    broken.push(`${row.state} although the provider accepted it`);
  }
  if (row.state === 'SENT') broken.push(...brokenReceipt(row, provider));
  if (row.state !== 'SENT' && row.receipt !== null) broken.push(`${row.state} with a receipt`);
  return broken;
}

/**
 * What must hold once nothing moves any more.
 * @param redriven whether dead letters were redriven until none moved; else they may still be due
 */
export function brokenAtRest(view: ReminderView, redriven: boolean): readonly string[] {
  const broken = [...brokenPromises(view)];
  const { row } = view;
  if (view.queued > 0) broken.push('the main queue is not empty');
  if (row === undefined || (view.dead > 0 && !redriven)) return broken;
  const parked = row.reason.startsWith('PARKED_') || (view.dead > 0 && byPolicyOnly(view.provider));
  if (row.state === 'UNKNOWN' && !parked) {
    broken.push(`at rest as UNKNOWN for ${row.reason}, which no person has to look at`);
  }
  if (row.state === 'DEFERRED') broken.push('at rest as DEFERRED');
  return broken;
}

function brokenReceipt(
  { sendKey, receipt }: LedgerRecord,
  { sender, model }: MemoryProvider,
): readonly string[] {
  if (receipt === null) return ['SENT without a receipt'];
  if (receipt === ASSUMED_RECEIPT) {
    return sender.profile.blindPolicy === 'assume-sent'
      ? []
      : ['SENT by assumption, against the policy'];
  }
  const known = model.findByReceipt(receipt, Number.MAX_SAFE_INTEGER);
  return known.kind === 'found' && known.record.key === sendKey
    ? []
    : ['SENT with a receipt that the provider never gave for it'];
}

/** A dead letter whose outcome only a policy could settle waits for a person, by protocol 6. */
function byPolicyOnly({ sender }: MemoryProvider): boolean {
  return sender.profile.providerClass === 'blind';
}

/** Where a policy lets an unknown outcome be sent anew. */
export function resends(profile: SenderProfile): boolean {
  return profile.providerClass !== 'queryable' && profile.blindPolicy === 'resend';
}

/** The view of the one reminder that a world is about. */
export function viewOf(world: World, payload: Record<string, unknown>): ReminderView {
  return {
    row: world.row(payload),
    effects: world.effects(payload),
    queued: world.messages().length,
    dead: world.deadLetters().length,
    provider: world.provider,
  };
}
