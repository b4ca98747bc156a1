import type { EpochMs } from '#core/brand.ts';
import { type Delivery, isDue, postpone, type Settlement, useByOf } from '#core/delivery.ts';
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
  if (!isDue(reminder, now, settings)) {
    const settlement = postpone(reminder.scheduledAt.epochMs, reminder, undefined);
    return { kind: 'not-yet', settlement };
  }
  if (now > useByOf(reminder, settings.useBySeconds)) return { kind: 'expire' };
  return { kind: 'claim' };
}
