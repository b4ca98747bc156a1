import {
  type DeliveredMessage,
  MAX_DELAY_SECONDS,
  MAX_MESSAGE_BYTES,
  type PublishMessageRequest,
  type QueueRefusal,
  refused,
} from './queue-contract.ts';
import type { StoredMessage } from './queue-state.ts';

/** Why a publish cannot be taken, or undefined. @param payloadJson undefined: no payload came */
export function publishFault(
  delaySeconds: number,
  payloadJson: string | undefined,
): QueueRefusal | undefined {
  if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > MAX_DELAY_SECONDS) {
    return refused(
      'VALIDATION_FAILED',
      `delay_seconds is ${delaySeconds}; a whole number from 0 to ${MAX_DELAY_SECONDS} is allowed`,
    );
  }
  if (payloadJson === undefined) return refused('VALIDATION_FAILED', 'payload is missing');
  // A UTF-16 unit is at most three bytes: short texts need no byte count.
  if (payloadJson.length * 3 <= MAX_MESSAGE_BYTES) return undefined;
  const bytes = Buffer.byteLength(payloadJson);
  if (bytes <= MAX_MESSAGE_BYTES) return undefined;
  return refused(
    'QUEUE_MESSAGE_TOO_LARGE',
    `the payload has ${bytes} bytes; at most ${MAX_MESSAGE_BYTES} are allowed`,
  );
}

/** A message that is in no queue yet. */
export function newMessage(
  id: string,
  payloadJson: string,
  request: PublishMessageRequest,
): StoredMessage {
  return {
    id,
    payloadJson,
    headers: request.headers ?? null,
    priority: request.priority ?? 0,
    origin: request.queue,
    state: 'available',
    deliveryCount: 0,
    availableFrom: 0,
    dueAt: 0,
    availableSince: 0,
    rank: 0,
    place: -1,
    agePlace: -1,
  };
}

/** What a consumer gets of a message that was just leased. */
export function delivery(message: StoredMessage): DeliveredMessage {
  return {
    messageId: message.id,
    payload: JSON.parse(message.payloadJson),
    deliveryCount: message.deliveryCount,
    leaseUntil: message.dueAt,
    headers: message.headers,
  };
}
