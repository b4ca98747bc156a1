declare const brand: unique symbol;

/** A string that only its own constructor may make, so that two kinds of id never mix. */
export type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `k1_` + 64 hex digits: the identity of one reminder occurrence. Made by `core/send-key.ts`. */
export type SendKey = Branded<'SendKey'>;
/** Random per claim: the secret that fences every later write to the row. */
export type ClaimToken = Branded<'ClaimToken'>;
/** Epoch milliseconds, UTC. */
export type EpochMs = number;
