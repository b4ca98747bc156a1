import * as z from 'zod';
import type { DeliveredMessage } from './queue-contract.ts';

/** The forms in which clients and articles disagree about the live service; all can be played. */
export const answerStyleSchema = z.strictObject({
  /** Around the messages of consume: `{items}`, `{messages}`, or `data` is the array itself. */
  consumeWrapper: z.enum(['items', 'messages', 'array']),
  payloadField: z.enum(['payload', 'body']),
  /** `json-string`: the payload comes as text, to be decoded once. */
  payloadForm: z.enum(['object', 'json-string']),
  /** Of consume and publish. */
  idField: z.enum(['message_id', 'id']),
  receiptField: z.enum(['none', 'receipt_handle', 'receipt']),
  /** What a receipt is worth: the message id again, or one delivery only. */
  receiptMeaning: z.enum(['message', 'delivery']),
  deliveryCountPresent: z.boolean(),
  /** Which field ack reads; the others are then refused. */
  ackField: z.enum(['any', 'message_id', 'receipt_handle']),
  /** `data` of a successful ack. */
  ackData: z.enum(['object', 'null', 'true']),
  /** HTTP status of QUEUE_MESSAGE_NOT_IN_FLIGHT; 200 plays `ok: false` under a success status. */
  lateAckStatus: z.union([z.literal(409), z.literal(404), z.literal(200)]),
});
export type AnswerStyle = z.infer<typeof answerStyleSchema>;

/** The likeliest form of each. */
export const DEFAULT_STYLE: AnswerStyle = {
  consumeWrapper: 'items',
  payloadField: 'payload',
  payloadForm: 'object',
  idField: 'message_id',
  receiptField: 'none',
  receiptMeaning: 'message',
  deliveryCountPresent: true,
  ackField: 'any',
  ackData: 'object',
  lateAckStatus: 409,
};

export function consumeData(messages: readonly DeliveredMessage[], style: AnswerStyle): unknown {
  const items = messages.map((message) => messageData(message, style));
  return style.consumeWrapper === 'array' ? items : { [style.consumeWrapper]: items };
}

function messageData(message: DeliveredMessage, style: AnswerStyle): Record<string, unknown> {
  const data: Record<string, unknown> = { [style.idField]: message.messageId };
  data[style.payloadField] =
    style.payloadForm === 'object' ? message.payload : JSON.stringify(message.payload);
  if (style.deliveryCountPresent) data['delivery_count'] = message.deliveryCount;
  if (style.receiptField !== 'none') data[style.receiptField] = receiptOf(message, style);
  if (message.headers !== null) data['headers'] = message.headers;
  return data;
}

function receiptOf(message: DeliveredMessage, style: AnswerStyle): string {
  return style.receiptMeaning === 'message'
    ? message.messageId
    : `${message.messageId}.${message.deliveryCount}`;
}

/** The message, and where the receipt says so the delivery, that an ack names. */
export function parseReceipt(receipt: string): { messageId: string; deliveryCount?: number } {
  const parts = /^(.+)\.(\d+)$/.exec(receipt);
  if (parts?.[1] === undefined) return { messageId: receipt };
  return { messageId: parts[1], deliveryCount: Number(parts[2]) };
}
