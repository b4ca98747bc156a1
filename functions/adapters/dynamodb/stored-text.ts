/** A provider's id is rarely beyond 64 characters; this leaves room and still bounds the row. */
export const RECEIPT_LENGTH = 256;
export const REASON_LENGTH = 64;

/** Stands for an empty text: no attribute of ours is ever empty. */
const NOTHING = '-';

/**
 * A receipt as the row keeps it: printable ASCII without spaces, at most 256 characters.
 * Two receipts are compared in this form, never raw.
 */
export function storedReceipt(receipt: string): string {
  return receipt.slice(0, RECEIPT_LENGTH).replace(/[^\x21-\x7e]/g, '_') || NOTHING;
}

/**
 * A reason as the row keeps it: anything but the characters of codes and short notes becomes `_`.
 * @param length a longer reason is cut
 */
export function storedReason(reason: string, length = REASON_LENGTH): string {
  return reason.slice(0, length).replace(/[^\w.:/+-]/g, '_') || NOTHING;
}
