import type { HttpAnswer } from '#adapters/http/http-call.ts';
import type { ReceiptRule } from '#adapters/providers/provider-profile.ts';

/** The receipt of an accepted send whose provider is declared to give none. */
export const RECEIPTLESS = 'receiptless';

/** A receipt goes into a ledger row that must stay under 1 KB, and into log lines. */
const MAX_RECEIPT_LENGTH = 200;

/** What an answer says at the receipt's place. */
export type ReceiptReading =
  | { readonly kind: 'receipt'; readonly receipt: string }
  /** The path leads into an empty list: the provider looked and has nothing. */
  | { readonly kind: 'empty-list' }
  | { readonly kind: 'none' };

/** Reads the receipt of an answer by its provider's rule; a number counts as its digits. */
export function readReceipt(
  answer: HttpAnswer,
  rule: Pick<ReceiptRule, 'place' | 'path'>,
): ReceiptReading {
  if (rule.place === 'header') return asReceipt(answer.headers[rule.path.toLowerCase()]);
  let value = parseJson(answer.text);
  for (const step of rule.path.split('.')) {
    if (Array.isArray(value) && value.length === 0) return { kind: 'empty-list' };
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      return { kind: 'none' };
    }
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return asReceipt(value);
}

function asReceipt(value: unknown): ReceiptReading {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') return { kind: 'none' };
  const receipt = text.replace(/[^!-~]/g, '').slice(0, MAX_RECEIPT_LENGTH);
  return receipt === '' ? { kind: 'none' } : { kind: 'receipt', receipt };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
