/**
 * Names of the ledger table that its owner (infra), its adapter and the embedded engines share.
 * Changing a key or the index's keys replaces or rebuilds a table that must never lose a row.
 */
export const LEDGER_TABLE = {
  /** String. Ledger rows: the send key. Control documents: `control#<name>`. */
  partitionKey: 'pk',
  /** Number, epoch seconds. Storage hygiene only; no decision reads it. */
  timeToLiveAttribute: 'expiresAt',
  unresolvedIndex: {
    name: 'unresolved',
    /** String, always `u`: UNKNOWN rows are few, and one partition lists them oldest first. */
    partitionKey: 'unresolvedShard',
    /** Number, epoch milliseconds. */
    sortKey: 'unresolvedSince',
  },
} as const;

/** Partition-key prefix of control documents; send keys begin with `k1_`, so the two never meet. */
export const CONTROL_KEY_PREFIX = 'control#';
