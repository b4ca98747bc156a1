import { preparationMs } from '#config/channel-facts.ts';
import type { ChannelConfig, ChannelsConfig } from '#config/channels.ts';
import type { DeliveryConfig } from '#config/delivery-config.ts';
import type { DrainConfig } from '#config/drain-config.ts';
import type { ConfigFault } from '#core/errors.ts';

const DAY = 86_400;
/** Longest way back of a message: queue retention 30 d and maximum delay 7 d. */
const QUEUE_HORIZON_DAYS = 37;
/** EventBridge Scheduler and cron runs of the queue's vendor share this limit. */
export const CRON_LIMIT_SECONDS = 900;

/**
 * send timeout + commit time + skew < lease < visibility timeout, and TTL beyond every way back:
 * each inequality that fails is a way to send twice, so each is named with its figures.
 */
export function nestedTimeFaults(
  channels: ChannelsConfig,
  delivery: DeliveryConfig,
  visibilityTimeoutSeconds: number,
): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  for (const [name, channel] of Object.entries(channels)) {
    const sendSeconds =
      longestSendMs(channel) / 1000 + channel.commitSeconds + delivery.skewSeconds;
    if (sendSeconds >= delivery.leaseSeconds) {
      faults.push({
        setting: `CHANNELS.${name}`,
        problem: `sendTimeoutMs (with look-ups before it) + commitSeconds + skewSeconds is ${sendSeconds} s; it must be below leaseSeconds (${delivery.leaseSeconds} s), or a second worker could take over while the provider still accepts`,
      });
    }
    faults.push(...windowFaults(name, channel, delivery));
  }
  if (delivery.leaseSeconds >= visibilityTimeoutSeconds) {
    faults.push({
      setting: 'DELIVERY.leaseSeconds',
      problem: `is ${delivery.leaseSeconds} s; it must be below visibilityTimeoutSeconds (${visibilityTimeoutSeconds} s), or every redelivery meets a claim that is still alive`,
    });
  }
  const neededDays = QUEUE_HORIZON_DAYS + Math.ceil(delivery.useBySeconds / DAY);
  if (delivery.ttlDays <= neededDays) {
    faults.push({
      setting: 'DELIVERY.ttlDays',
      problem: `is ${delivery.ttlDays}; it must exceed ${neededDays} days (queue retention 30 + delay 7 + use-by), or a row could vanish while its message can still come back`,
    });
  }
  return faults;
}

/** A window that is over before the first repeat could be sent is none: every unknown would park. */
function windowFaults(
  name: string,
  channel: ChannelConfig,
  delivery: DeliveryConfig,
): readonly ConfigFault[] {
  if (channel.provider !== 'http' || channel.class !== 'dedupes') return [];
  if (channel.windowSeconds === undefined) return [];
  const { settleSeconds, leaseSeconds, skewSeconds } = delivery;
  const waitSeconds = Math.max(settleSeconds, channel.commitSeconds + skewSeconds);
  const neededSeconds = waitSeconds + leaseSeconds + skewSeconds;
  if (channel.windowSeconds > neededSeconds) return [];
  return [
    {
      setting: `CHANNELS.${name}.windowSeconds`,
      problem: `is ${channel.windowSeconds} s; it must exceed the larger of settleSeconds and commitSeconds + skewSeconds, plus leaseSeconds + skewSeconds (${neededSeconds} s), or no unknown outcome is ever sent again within it; a provider that forgets so soon is class blind`,
    },
  ];
}

/**
 * From a provider's answer to the end of its delivery, milliseconds: the last try to record may
 * start just before its budget ends, then come a publish and an ack.
 */
export function finishMs(drain: DrainConfig): number {
  return drain.recordBudgetMs + drain.ledgerCallMs + 2 * drain.queueCallMs;
}

/** A provider's call with the look-ups before it, milliseconds. */
function longestSendMs(channel: ChannelConfig): number {
  return channel.sendTimeoutMs + preparationMs(channel);
}

/** The longest that one delivery can take, milliseconds: a run starts none it cannot finish. */
export function worstDeliveryMs(channels: ChannelsConfig, drain: DrainConfig): number {
  const longestSend = Math.max(...Object.values(channels).map(longestSendMs));
  const askAndSend = 2 * longestSend;
  const claimAndTakeOver = 2 * drain.ledgerCallMs;
  return claimAndTakeOver + askAndSend + finishMs(drain);
}

export function runBudgetFaults(
  channels: ChannelsConfig,
  drain: DrainConfig,
): readonly ConfigFault[] {
  // The pull that brings the delivery takes its time first.
  const worstSeconds = (drain.queueCallMs + worstDeliveryMs(channels, drain)) / 1000;
  if (worstSeconds <= drain.runBudgetSeconds) return [];
  return [
    {
      setting: 'DRAIN.runBudgetSeconds',
      problem: `is ${drain.runBudgetSeconds}; it must be at least the ${worstSeconds} s that a pull and one delivery can take, or no reminder is ever started`,
    },
  ];
}
