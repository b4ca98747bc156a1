import { identifyDelivery } from '#app/identify-delivery.ts';
import { publishKey } from '#app/settle-delivery.ts';
import { hopDelaySeconds } from '#core/backoff.ts';
import type { EpochMs, SendKey } from '#core/brand.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import { planBeforeClaim } from '#core/plan-before-claim.ts';
import type { Sender } from '#ports';
import type { SourceRecord } from './reminder-source.ts';

/** A reminder that may be published, with the key that makes a repeat collapse. */
export type Publishable = {
  readonly line: number;
  readonly sendKey: SendKey;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string;
  readonly delaySeconds: number;
};
export type Refused = { readonly line: number; readonly reason: string };

export type PublishPlan = {
  readonly publishable: readonly Publishable[];
  readonly refused: readonly Refused[];
  /** Lines whose send key an earlier line of the same file has. */
  readonly repeated: number;
};

export type PublishRules = {
  readonly senders: ReadonlyMap<string, Sender>;
  readonly epochs: readonly KeyEpoch[];
  readonly defaultChannel: string | null;
  readonly settings: DeliverySettings;
  readonly now: EpochMs;
  /** Null: until the reminder's own instant, in hops of at most seven days. */
  readonly delaySeconds: number | null;
  /** A label makes another message although the reminder was published before. */
  readonly again: string | null;
};

/**
 * Checks every record as the consumer would, before anything is published.
 *
 * The idempotency key is that of the reminder's first copy, `<send key>-0-0`: no copy that the
 * consumer ever makes has it, and a producer that keys its own publishes alike collapses with it.
 */
export function planPublish(records: readonly SourceRecord[], rules: PublishRules): PublishPlan {
  const publishable: Publishable[] = [];
  const refused: Refused[] = [];
  const seen = new Set<SendKey>();
  let repeated = 0;
  for (const record of records) {
    const read = 'fault' in record ? record.fault : readOne(record, rules);
    if (typeof read === 'string') refused.push({ line: record.line, reason: read });
    else if (seen.has(read.sendKey)) repeated += 1;
    else {
      seen.add(read.sendKey);
      publishable.push(read);
    }
  }
  return { publishable, refused, repeated };
}

/** The reminder, or why it is refused. */
function readOne(
  { line, payload }: Extract<SourceRecord, { readonly payload: unknown }>,
  rules: PublishRules,
): Publishable | string {
  const identified = identifyDelivery({ payload }, rules);
  if (identified.kind === 'invalid') return identified.reason;
  const { reminder, identity } = identified.delivery;
  // They name the copies that consumers make: a publish under one of those would swallow it.
  if (reminder.attempt !== 0 || reminder.hop !== 0) return 'ATTEMPT_AND_HOP_ARE_NOT_YOURS';
  if (planBeforeClaim({ reminder }, rules.now, rules.settings).kind === 'expire') {
    return 'USE_BY_PASSED';
  }
  const { sendKey } = identity;
  return {
    line,
    sendKey,
    payload: identified.payload,
    idempotencyKey:
      rules.again === null
        ? publishKey(sendKey, { attempt: 0, hop: 0 })
        : `${sendKey}-again-${rules.again}`,
    delaySeconds: rules.delaySeconds ?? hopDelaySeconds(reminder.scheduledAt.epochMs, rules.now),
  };
}
