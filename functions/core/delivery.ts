import type { EpochMs } from '#core/brand.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { Reminder } from '#core/reminder.ts';
import type { Identity } from '#core/send-key.ts';
import type { SenderProfile } from '#core/send-result.ts';

/** A valid delivery with everything that decisions read. */
export type Delivery = {
  readonly reminder: Reminder;
  readonly identity: Identity;
  readonly bodyHash: string;
  readonly profile: SenderProfile;
};

/** Which copy of a reminder a publish makes. */
export type CopyName = { readonly attempt: number; readonly hop: number };

/** How a delivery ends for the queue. */
export type Settlement =
  | { readonly kind: 'ack' }
  | { readonly kind: 'postpone'; readonly until: EpochMs; readonly copy: CopyName }
  | { readonly kind: 'leave' };

export const ACK: Settlement = { kind: 'ack' };
export const LEAVE: Settlement = { kind: 'leave' };

/**
 * The copy that a postponing delivery publishes. The server answers a repeated key with its first
 * result and makes nothing new, so a copy that published its own key and then acked itself would
 * have deleted the reminder. Hence: a delivery behind the row names the copy that its predecessor
 * owed (repeating makes good or collapses), any other names its own next hop.
 */
export function nextCopy(
  reminder: CopyName,
  row: Pick<LedgerRecord, 'attempt'> | undefined,
): CopyName {
  if (row !== undefined && reminder.attempt < row.attempt) return { attempt: row.attempt, hop: 0 };
  return { attempt: reminder.attempt, hop: reminder.hop + 1 };
}

export function postpone(
  until: EpochMs,
  reminder: CopyName,
  row: Pick<LedgerRecord, 'attempt'> | undefined,
): Settlement {
  return { kind: 'postpone', until, copy: nextCopy(reminder, row) };
}

/** The instant after which the reminder is never sent. */
export function useByOf(reminder: Reminder, useBySeconds: number): EpochMs {
  const byChannel = reminder.scheduledAt.epochMs + useBySeconds * 1000;
  return reminder.useBy === undefined ? byChannel : Math.min(byChannel, reminder.useBy.epochMs);
}

/** Whether the reminder's instant has come, within the tolerance: before it, nothing is claimed. */
export function isDue(
  reminder: Pick<Reminder, 'scheduledAt'>,
  now: EpochMs,
  settings: Pick<DeliverySettings, 'futureToleranceSeconds'>,
): boolean {
  return reminder.scheduledAt.epochMs <= now + settings.futureToleranceSeconds * 1000;
}
