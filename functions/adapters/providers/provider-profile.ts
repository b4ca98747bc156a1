import type { ProviderClass } from '#core/send-result.ts';

/** What a status or code of a provider proves about one send. */
export const STATUS_MEANINGS = [
  'accepted',
  'rejected',
  'deferred',
  'unknown',
  'channel-stopped',
] as const;
export type StatusMeaning = (typeof STATUS_MEANINGS)[number];

/** Statuses that a provider means otherwise than the common table does. */
export type StatusTable = Readonly<Record<number, StatusMeaning>>;

/** Where the send key travels, and in which of its forms. */
export type KeyRule = {
  /**
   * `hex`: the send key. `uuid`: version 8, of the same digest. `uuid4`: the same with version 4 in
   * its place, for providers that have been known to accept no other.
   */
  readonly form: 'hex' | 'uuid' | 'uuid4';
  /**
   * `metadata`: the provider does not dedupe by it, but carries it along (tags, context, event
   * reports), so that a person can find the message again. `nowhere`: the provider takes no key. A
   * member of the body never counts as content.
   */
  readonly place: 'header' | 'body' | 'metadata' | 'nowhere';
  /** The header's or the member's name; '' for `nowhere`. */
  readonly name: string;
};

/** A header, or dot paths into the JSON body, the first that leads somewhere: `data.id|id`. */
export type ReceiptPlace = { readonly place: 'body' | 'header'; readonly path: string };

/** Where an answer names its receipt. */
export type ReceiptRule = ReceiptPlace & {
  /**
   * True: a 2xx that names none proves nothing and is unknown (providers have answered 200 for
   * hours while throwing every message away). False: the provider is declared to give none.
   */
  readonly required: boolean;
  /** The code of a refusal that this provider words as a 2xx with an empty receipt. */
  readonly emptyMeans?: string;
};

/**
 * Codes by which a provider says more than its status does, wherever they stand. Only listed ones
 * count: a vendor's word that we do not know never makes an outcome more certain.
 */
export type CodeRule = {
  readonly place: 'body' | 'header';
  /** As a receipt's path; the first value that is listed decides. */
  readonly path: string;
  readonly meanings: Readonly<Record<string, Exclude<StatusMeaning, 'accepted'>>>;
};

/** All that is particular about one provider; each vendor is one entry of this shape. */
export type ProviderProfile = {
  readonly provider: string;
  readonly providerClass: ProviderClass;
  /** `dedupes` only: how long the provider remembers a key. */
  readonly windowSeconds: number | null;
  /** After our abort, how long an accepted request may still surface. */
  readonly commitSeconds: number;
  readonly key: KeyRule;
  readonly receipt: ReceiptRule;
  readonly statuses: StatusTable;
  readonly codes?: CodeRule;
  /** The body says `ok: false` under a 2xx when it refuses: no receipt, and no proof either. */
  readonly okMember?: string;
  /** A service that we know nothing of: class, window, paths and statuses are its channel's to say. */
  readonly declaredByChannel?: true;
  /** Where a person, holding a receipt, sees what became of it. */
  readonly lookUp: string | null;
};

/**
 * What statuses mean unless a profile says otherwise. Not listed: 2xx accepted, other 4xx
 * rejected, everything else unknown.
 *
 * 401/402/403 speak of the channel, not of the reminder, which must not be burnt for it. 408 and
 * 409 can follow work that was done. 425 is a refusal to do anything yet. 5xx says that something
 * broke, not when.
 */
export const COMMON_STATUSES: StatusTable = {
  401: 'channel-stopped',
  402: 'channel-stopped',
  403: 'channel-stopped',
  408: 'unknown',
  409: 'unknown',
  425: 'deferred',
  429: 'deferred',
};

/** The meaning of a status under a profile's table, the common table, and the default, in order. */
export function meaningOf(status: number, table: StatusTable): StatusMeaning {
  const listed = table[status] ?? COMMON_STATUSES[status];
  if (listed !== undefined) return listed;
  if (status >= 200 && status < 300) return 'accepted';
  return status >= 400 && status < 500 ? 'rejected' : 'unknown';
}
