import { epochFor, type KeyEpoch } from '#core/key-epoch.ts';
import type { DeadLetterSeen } from '#core/plan-redrive.ts';
import type { FilterState, RedriveFilter } from '#core/redrive-request.ts';
import { userRefOf } from '#core/send-key.ts';

/**
 * Whether a dead letter is one that the request means. A user is matched by keyed reference, so
 * that the id of the request is compared with nothing that leaves this function.
 */
export function matchesFilter(
  filter: RedriveFilter,
  seen: DeadLetterSeen,
  epochs: readonly KeyEpoch[],
): boolean {
  if (filter.state !== undefined && stateOf(seen) !== filter.state) return false;
  if (filter.reason !== undefined && reasonOf(seen) !== filter.reason) return false;
  const { sendKey, reminderId, userId, channel, olderThan } = filter;
  const ofReminder = [sendKey, reminderId, userId, channel, olderThan];
  if (ofReminder.every((field) => field === undefined)) return true;
  if (seen.kind === 'invalid') return false;
  const { reminder, identity } = seen.delivery;
  if (sendKey !== undefined && identity.sendKey !== sendKey) return false;
  if (reminderId !== undefined && reminder.reminderId !== reminderId) return false;
  if (channel !== undefined && reminder.channel !== channel) return false;
  if (olderThan !== undefined && reminder.scheduledAt.epochMs >= olderThan.epochMs) return false;
  if (userId === undefined) return true;
  return userRefOf(userId, epochFor(reminder.scheduledAt, epochs)) === identity.userRef;
}

function stateOf(seen: DeadLetterSeen): FilterState | null {
  if (seen.kind === 'invalid') return 'INVALID';
  if (seen.row.kind === 'absent') return 'NONE';
  return seen.row.kind === 'row' ? seen.row.row.state : null;
}

function reasonOf(seen: DeadLetterSeen): string | null {
  if (seen.kind === 'invalid') return seen.reason;
  return seen.row.kind === 'row' ? seen.row.row.reason : null;
}
