import type { HttpAnswer } from '#adapters/http/http-call.ts';
import { type PlaceReading, parseJson, readPlace } from '#adapters/providers/json-place.ts';
import type { ReceiptPlace } from '#adapters/providers/provider-profile.ts';

/** The receipt of an accepted send whose provider is declared to give none. */
export const RECEIPTLESS = 'receiptless';

/** A receipt goes into a ledger row that must stay under 1 KB, and into log lines. */
const MAX_RECEIPT_LENGTH = 200;

/** What an answer says at the receipt's place. */
export type ReceiptReading =
  | { readonly kind: 'receipt'; readonly receipt: string }
  /** The path leads into an empty list: the provider looked and has nothing. */
  | { readonly kind: 'empty-list' }
  /** The receipt's member is there, and empty. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'none' };

/** Reads the receipt of an answer by its provider's rule; a number counts as its digits. */
export function readReceipt(answer: HttpAnswer, place: ReceiptPlace): ReceiptReading {
  if (place.place === 'header') return asReceipt(answer.headers[place.path.toLowerCase()]);
  const body = parseJson(answer.text);
  let best: ReceiptReading = { kind: 'none' };
  for (const path of place.path.split('|')) {
    const reading = readingOf(readPlace(body, path));
    if (reading.kind === 'receipt') return reading;
    if (best.kind === 'none') best = reading;
  }
  return best;
}

function readingOf(place: PlaceReading): ReceiptReading {
  return place.kind === 'value' ? asReceipt(place.value) : place;
}

function asReceipt(value: unknown): ReceiptReading {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') return { kind: 'none' };
  if (text === '') return { kind: 'empty' };
  const receipt = text.replace(/[^!-~]/g, '').slice(0, MAX_RECEIPT_LENGTH);
  return receipt === '' ? { kind: 'none' } : { kind: 'receipt', receipt };
}
