import * as z from 'zod/mini';
import { count, figure } from '#config/faults.ts';
import { DEFAULT_LADDER_SECONDS, MAX_DELAY_SECONDS } from '#core/backoff.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';

const DAY = 86_400;

/** Figures of the send protocol that a deployment may set; every one has a default. */
export const deliverySchema = z.strictObject({
  futureToleranceSeconds: z._default(figure('seconds', 0, 3600), 30),
  useBySeconds: z._default(figure('seconds', 60, 3650 * DAY), 2 * DAY),
  ttlDays: z._default(count('days', 1, 10_000), 120),
  ladderSeconds: z._default(
    z
      .array(figure('seconds', 1, MAX_DELAY_SECONDS))
      .check(
        z.minLength(1, { error: 'is empty; allowed: at least one wait' }),
        z.maxLength(20, { error: 'is too long; allowed: at most 20 waits' }),
      ),
    [...DEFAULT_LADDER_SECONDS],
  ),
  leaseSeconds: z._default(figure('seconds', 1, 600), 45),
  skewSeconds: z._default(figure('seconds', 0, 300), 5),
  settleSeconds: z._default(figure('seconds', 1, 3600), 30),
  holdJitterSeconds: z._default(figure('seconds', 0, 60), 5),
  channelStoppedSeconds: z._default(figure('seconds', 1, DAY), 300),
});
export type DeliveryConfig = z.output<typeof deliverySchema>;

export function deliverySettings(config: DeliveryConfig): DeliverySettings {
  return {
    futureToleranceSeconds: config.futureToleranceSeconds,
    useBySeconds: config.useBySeconds,
    ttlSeconds: config.ttlDays * DAY,
    ladderSeconds: config.ladderSeconds,
    leaseMs: config.leaseSeconds * 1000,
    skewMs: config.skewSeconds * 1000,
    settleSeconds: config.settleSeconds,
    holdJitterSeconds: config.holdJitterSeconds,
    channelStoppedSeconds: config.channelStoppedSeconds,
  };
}
