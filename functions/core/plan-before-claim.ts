import type { EpochMs } from '#core/brand.ts';
import { type Delivery, postpone, type Settlement, useByOf } from '#core/delivery.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';

export type PlanBeforeClaim =
  | { readonly kind: 'claim' }
  /** Claim the key straight as EXPIRED: the reminder is late and has no row yet. */
  | { readonly kind: 'expire' }
  | { readonly kind: 'not-yet'; readonly settlement: Settlement };

/** What the clock alone says about a delivery. */
export function planBeforeClaim(
  delivery: Pick<Delivery, 'reminder'>,
  now: EpochMs,
  settings: DeliverySettings,
): PlanBeforeClaim {
  const { reminder } = delivery;
  const scheduledAt = reminder.scheduledAt.epochMs;
  if (scheduledAt > now + settings.futureToleranceSeconds * 1000) {
    return { kind: 'not-yet', settlement: postpone(scheduledAt, reminder, undefined) };
  }
  if (now > useByOf(reminder, settings.useBySeconds)) return { kind: 'expire' };
  return { kind: 'claim' };
}
