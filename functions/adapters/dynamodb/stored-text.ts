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

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;
/** No code of ours looks like one of these, but a carelessly quoted answer may. */
const ADDRESS = /[^\s@]*@[^\s@]*/g;
const LONG_NUMBER = /\+?\d[\d ()-]{4,}\d/g;
/** Enough to see an address that the cut would halve, and no more of a document than that. */
const EXAMINED_LENGTH = 512;

/**
 * A reason as the row keeps it. Codes stay; of anything else, addresses and long numbers go and
 * other characters than those of codes and short notes become `_`. Text of a provider does not
 * belong here at all: no filter knows every secret.
 * @param length a longer reason is cut
 */
export function storedReason(reason: string, length = REASON_LENGTH): string {
  if (CODE.test(reason)) return reason.slice(0, length);
  const scrubbed = reason
    .slice(0, EXAMINED_LENGTH)
    .replace(ADDRESS, '_')
    .replace(LONG_NUMBER, '_')
    .replace(/[^\w.:/+-]/g, '_');
  return scrubbed.slice(0, length) || NOTHING;
}
