import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { LEDGER_TABLE } from '#config/table.ts';

/** Marks a ledger row and its layout. Another layout, even a newer one, is not guessed at. */
export const ROW_FORMAT = 'row/1';
/** Marks a control document and its layout. */
export const CONTROL_FORMAT = 'control/1';

/** The one partition of the sparse index. */
export const UNRESOLVED_SHARD = 'u';

/** Attribute names of a ledger row. Names count towards an item's size, so they are short words. */
export const ROW = {
  sendKey: LEDGER_TABLE.partitionKey,
  format: 'format',
  state: 'state',
  claimToken: 'token',
  claimedAt: 'claimedAt',
  leaseUntil: 'lease',
  attempt: 'attempt',
  attemptLimit: 'limit',
  firstSendAt: 'firstSend',
  notBefore: 'notBefore',
  bodyHash: 'body',
  receipt: 'receipt',
  provider: 'provider',
  channel: 'channel',
  redriveCount: 'redrives',
  userRef: 'user',
  scheduledAt: 'due',
  reason: 'reason',
  history: 'history',
  expiresAt: LEDGER_TABLE.timeToLiveAttribute,
  unresolvedShard: LEDGER_TABLE.unresolvedIndex.partitionKey,
  unresolvedSince: LEDGER_TABLE.unresolvedIndex.sortKey,
} as const;

/** Attribute names of a control document. */
export const CONTROL = {
  key: LEDGER_TABLE.partitionKey,
  format: 'format',
  version: 'version',
  /** Random per write: tells our own applied write from another's after a lost answer. */
  writeToken: 'token',
  /** The document as JSON text, so that any JSON value survives as it was. */
  json: 'json',
} as const;

/** The table as infra deploys it, for engines that know no CloudFormation. */
export function ledgerTableDefinition(tableName: string): CreateTableCommandInput {
  const { partitionKey, unresolvedIndex } = LEDGER_TABLE;
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: partitionKey, AttributeType: 'S' },
      { AttributeName: unresolvedIndex.partitionKey, AttributeType: 'S' },
      { AttributeName: unresolvedIndex.sortKey, AttributeType: 'N' },
    ],
    KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: unresolvedIndex.name,
        KeySchema: [
          { AttributeName: unresolvedIndex.partitionKey, KeyType: 'HASH' },
          { AttributeName: unresolvedIndex.sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  };
}
