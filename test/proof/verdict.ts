import { ASSUMED_RECEIPT, isTerminal } from '#core/ledger-record.ts';
import type { SenderProfile } from '#core/send-result.ts';
import type { World } from '#test/support/world.ts';

/**
 * What must hold for a reminder at any moment between two deliveries, whatever happened to it.
 * Empty when all is well; each entry is one broken promise.
 */
export function brokenPromises(world: World, payload: Record<string, unknown>): readonly string[] {
  const broken: string[] = [];
  const { profile } = world.provider.sender;
  const row = world.row(payload);
  const effects = world.effects(payload);
  const inQueues = messagesOf(world, payload);
  const mayDuplicate = resends(profile);
  if (effects > 1 && !mayDuplicate) broken.push(`${effects} effects for one key`);
  if (row === undefined) {
    if (effects > 0) broken.push('an effect without a row');
    if (inQueues === 0) broken.push('lost: no row and no message');
    return broken;
  }
  if (!isTerminal(row.state) && inQueues === 0) {
    broken.push(`lost: ${row.state} (${row.reason}) and no message in any queue`);
  }
  const provedUnsent = ['REJECTED', 'EXPIRED', 'EXHAUSTED', 'DEFERRED'].includes(row.state);
  if (provedUnsent && effects > 0 && !mayDuplicate) {
    broken.push(`${row.state} although the provider accepted it`);
  }
  if (row.state === 'SENT') broken.push(...brokenReceipt(world, row.sendKey, row.receipt));
  if (row.state !== 'SENT' && row.receipt !== null) broken.push(`${row.state} with a receipt`);
  return broken;
}

/** What must hold once nothing moves any more. */
export function brokenAtRest(world: World, payload: Record<string, unknown>): readonly string[] {
  const broken = [...brokenPromises(world, payload)];
  const row = world.row(payload);
  if (world.messages().length > 0) broken.push('the main queue is not empty');
  if (row?.state === 'UNKNOWN' && !row.reason.startsWith('PARKED_')) {
    broken.push(`at rest as UNKNOWN for ${row.reason}, which no person has to look at`);
  }
  if (row?.state === 'DEFERRED') broken.push('at rest as DEFERRED');
  return broken;
}

function brokenReceipt(world: World, sendKey: string, receipt: string | null): readonly string[] {
  const { profile } = world.provider.sender;
  if (receipt === null) return ['SENT without a receipt'];
  if (receipt === ASSUMED_RECEIPT) {
    return profile.blindPolicy === 'assume-sent' ? [] : ['SENT by assumption, against the policy'];
  }
  const known = world.provider.model.effects.records(sendKey);
  return known.some((record) => record.receipt === receipt)
    ? []
    : ['SENT with a receipt that the provider never gave'];
}

/** Where a policy lets an unknown outcome be sent anew. */
export function resends(profile: SenderProfile): boolean {
  return profile.providerClass !== 'queryable' && profile.blindPolicy === 'resend';
}

function messagesOf(world: World, payload: Record<string, unknown>): number {
  const all = [...world.messages(), ...world.deadLetters()];
  const { user_id, reminder_id } = payload;
  return all.filter((message) => {
    const other = message.payload as Record<string, unknown> | null;
    return other?.['user_id'] === user_id && other?.['reminder_id'] === reminder_id;
  }).length;
}
