/**
 * What one call to a provider proved. Four outcomes, never two:
 * only name resolution failure, connection refused and connect timeout prove that nothing was sent.
 */
export type SendResult =
  | { readonly kind: 'accepted'; readonly receipt: string }
  | { readonly kind: 'rejected'; readonly code: string }
  | {
      readonly kind: 'deferred';
      readonly code: string;
      /** A floor for the next attempt, seconds; absent when the provider gave none or nonsense. */
      readonly retryAfterSeconds?: number;
      /** `overload` (429, connect trouble) lowers the consumer's concurrency. */
      readonly overload?: boolean;
    }
  | {
      readonly kind: 'unknown';
      readonly cause: string;
      /** A time-out lowers the consumer's concurrency as a 429 does. */
      readonly overload?: boolean;
    }
  /** 401/403: nothing was sent and nothing on this channel will be: stop it for this run. */
  | { readonly kind: 'channel-stopped'; readonly code: string };

/** What asking a queryable provider proved about an earlier send. */
export type QueryResult =
  | { readonly kind: 'found'; readonly receipt: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'cannot-tell'; readonly cause: string }
  | { readonly kind: 'channel-stopped'; readonly code: string };

/** After an unknown outcome: re-POST is safe inside a window / can be asked / neither. */
export type ProviderClass = 'dedupes' | 'queryable' | 'blind';
export const PROVIDER_CLASSES = ['dedupes', 'queryable', 'blind'] as const;

/** What to do where an outcome cannot be known. `resend` may duplicate, `assume-sent` may lose. */
export type BlindPolicy = 'park' | 'resend' | 'assume-sent';
export const BLIND_POLICIES = ['park', 'resend', 'assume-sent'] as const;

/** What decisions need to know of a channel's provider. */
export type SenderProfile = {
  readonly provider: string;
  readonly providerClass: ProviderClass;
  /** `dedupes` only: how long the provider remembers a key. Outside it counts as blind. */
  readonly windowSeconds: number | null;
  /** After our abort, how long an accepted request may still surface at the provider. */
  readonly commitSeconds: number;
  /** Our own bound on one call, from connect to the last byte. */
  readonly sendTimeoutMs: number;
  readonly blindPolicy: BlindPolicy;
};

/** The cause of an unknown outcome: a 2xx that names no receipt. Repeated ones trip the breaker. */
export const NO_RECEIPT = 'NO_RECEIPT';
