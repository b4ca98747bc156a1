import type { DeliveryDeps } from '#app/delivery-deps.ts';
import type { Delivery } from '#core/delivery.ts';
import { epochFor } from '#core/key-epoch.ts';
import { parseReminder } from '#core/reminder.ts';
import { bodyHashOf, identify } from '#core/send-key.ts';
import type { QueueMessage, Sender } from '#ports';

export type IdentifiedDelivery =
  | {
      readonly kind: 'valid';
      readonly delivery: Delivery;
      readonly sender: Sender;
      readonly payload: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Validates the payload and names the reminder: nothing outside is touched. */
export function identifyDelivery(
  message: Pick<QueueMessage, 'payload'>,
  deps: Pick<DeliveryDeps, 'senders' | 'epochs' | 'defaultChannel'>,
): IdentifiedDelivery {
  const parsed = parseReminder(message.payload, deps.defaultChannel);
  if (!parsed.ok) return { kind: 'invalid', reason: parsed.reason };
  const { reminder, payload } = parsed;
  const sender = deps.senders.get(reminder.channel);
  if (sender === undefined) return { kind: 'invalid', reason: 'CHANNEL_NOT_CONFIGURED' };
  const epoch = epochFor(reminder.scheduledAt, deps.epochs);
  const content = JSON.stringify([reminder.channel, sender.content(reminder)]);
  return {
    kind: 'valid',
    payload,
    sender,
    delivery: {
      reminder,
      identity: identify(reminder, epoch),
      bodyHash: bodyHashOf(content, epoch),
      profile: sender.profile,
    },
  };
}
