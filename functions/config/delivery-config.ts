import * as z from 'zod';
import { count, figure } from '#config/faults.ts';
import { DEFAULT_LADDER_SECONDS, MAX_DELAY_SECONDS } from '#core/backoff.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';

const DAY = 86_400;

/** Figures of the send protocol that a deployment may set; every one has a default. */
export const deliverySchema = z.strictObject({
  futureToleranceSeconds: figure('seconds', 0, 3600).default(30),
  useBySeconds: figure('seconds', 60, 3650 * DAY).default(2 * DAY),
  ttlDays: count('days', 1, 10_000).default(120),
  ladderSeconds: z
    .array(figure('seconds', 1, MAX_DELAY_SECONDS))
    .min(1, { error: 'is empty; allowed: at least one wait' })
    .max(20, { error: 'is too long; allowed: at most 20 waits' })
    .default([...DEFAULT_LADDER_SECONDS]),
  leaseSeconds: figure('seconds', 1, 600).default(45),
  skewSeconds: figure('seconds', 0, 300).default(5),
  settleSeconds: figure('seconds', 1, 3600).default(30),
  holdJitterSeconds: figure('seconds', 0, 60).default(5),
  channelStoppedSeconds: figure('seconds', 1, DAY).default(300),
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
