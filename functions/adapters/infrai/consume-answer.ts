import { isObject } from '#adapters/infrai/envelope.ts';
import type { QueueMessage } from '#ports';

/** Which field of a message names it in an ack: 28 sample clients against one observed article. */
export type AckField = 'message_id' | 'receipt_handle';

export type ConsumeReading = {
  readonly messages: readonly QueueMessage[];
  /** Entries without any id: they can be neither acked nor redriven, only left and counted. */
  readonly unreadable: number;
};

/**
 * Reads the `data` of a consume answer in every variant of the contract page: `{items}`,
 * `{messages}`, or a bare array. An empty pull may be null, since some servers write an empty list
 * that way. One odd entry never costs the others.
 *
 * @returns undefined when `data` is none of the variants: an answer that nobody can read must not
 *   look like an empty queue
 */
export function readConsumeData(data: unknown, ackField: AckField): ConsumeReading | undefined {
  const entries = entriesOf(data);
  if (entries === undefined) return undefined;
  const messages = entries.flatMap((entry) => readMessage(entry, ackField) ?? []);
  return { messages, unreadable: entries.length - messages.length };
}

function entriesOf(data: unknown): readonly unknown[] | undefined {
  if (data === null) return [];
  if (Array.isArray(data)) return data;
  if (!isObject(data)) return undefined;
  for (const name of ['items', 'messages']) {
    const list = data[name];
    if (Array.isArray(list)) return list;
    if (list === null) return [];
  }
  return undefined;
}

function readMessage(entry: unknown, ackField: AckField): QueueMessage | undefined {
  if (!isObject(entry)) return undefined;
  const messageId = idOf(entry['message_id']) ?? idOf(entry['id']);
  if (messageId === undefined) return undefined;
  const receipt = idOf(entry['receipt_handle']) ?? idOf(entry['receipt']);
  const count = entry['delivery_count'];
  return {
    messageId,
    payload: decodeOnce(entry['payload'] ?? entry['body']),
    deliveryCount: Number.isSafeInteger(count) ? (count as number) : null,
    ackHandle: ackField === 'receipt_handle' ? (receipt ?? messageId) : messageId,
  };
}

function idOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Once only: a string inside a JSON string is the producer's own value, not an encoding. */
function decodeOnce(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload ?? undefined;
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
