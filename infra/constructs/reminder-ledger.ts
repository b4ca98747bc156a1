import { Annotations, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { LEDGER_TABLE } from '#config/table.ts';
import { ConfigError, type ConfigFault } from '#core/errors.ts';
import { secretSourceFaults } from '#infra/constructs/own-faults.ts';
import { channelSources, type SecretSource } from '#infra/constructs/secret-sources.ts';
import {
  emptySecret,
  existingSecret,
  type SecretReference,
  sendKeySecret,
} from '#infra/constructs/secrets.ts';
import type { ChannelsSettings, KeyEpochSettings } from '#infra/constructs/settings.ts';
import { referWeakly } from '#infra/constructs/weak-reference.ts';

export type ReminderLedgerProps = {
  /** Default: one epoch, `first`, with a generated secret. Oldest first; a rotation adds one. */
  readonly keyEpochs?: readonly KeyEpochSettings[];
  /** The Infrai key. Default: created empty; somebody puts the value in by hand. */
  readonly apiKeySecret?: SecretSource;
  /** The pipeline's channels: of them only their secrets are looked at. */
  readonly channels?: ChannelsSettings;
  /**
   * A retained table by name, with the send-key secrets that it was filled under. Nothing is
   * created or changed at the table then.
   */
  readonly adoptTable?: string;
  /** For throw-away stages only: the table and the secrets go with the stack, nothing is backed up. */
  readonly disposable?: boolean;
};

/** The table by name and ARN: all that the functions' settings and policies need. */
export type LedgerTableReference = { readonly tableName: string; readonly tableArn: string };

export const DEFAULT_EPOCHS: readonly KeyEpochSettings[] = [{ id: 'first' }];

/**
 * What must outlive every release: the send ledger and the secrets of the send keys. Whoever loses
 * either forgets which reminders were sent, and sends them again. So both are kept when the stack
 * is deleted and when a change would replace them.
 */
export class ReminderLedger extends Construct {
  readonly table: LedgerTableReference;
  readonly keyEpochs: readonly KeyEpochSettings[];
  readonly apiKeySecret: SecretReference;
  /** By epoch id. */
  readonly keyEpochSecrets: ReadonlyMap<string, SecretReference>;
  /** By the names of `channelSources`. */
  readonly channelSecrets: ReadonlyMap<string, SecretReference>;

  /** @throws ConfigError naming every fault of the props at once */
  constructor(scope: Construct, id: string, props: ReminderLedgerProps = {}) {
    super(scope, id);
    this.keyEpochs = props.keyEpochs ?? DEFAULT_EPOCHS;
    const faults = ledgerFaults(props);
    if (faults.length > 0) throw new ConfigError(faults);

    const removal = props.disposable === true ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    this.table =
      props.adoptTable === undefined
        ? ledgerTable(this, removal)
        : TableV2.fromTableName(this, 'Table', props.adoptTable);
    this.keyEpochSecrets = new Map(
      this.keyEpochs.map(({ id: epoch, secretRef: secret = 'create' }) => [
        epoch,
        secret === 'create'
          ? sendKeySecret(this, `KeyEpoch-${epoch}`, { epoch, removal })
          : existingSecret(this, `KeyEpoch-${epoch}`, secret),
      ]),
    );
    this.apiKeySecret = this.#secret('InfraiApiKey', props.apiKeySecret, removal);
    this.channelSecrets = new Map(
      sourcesOf(props.channels).map(({ name, source }) => [
        name,
        this.#secret(`Channel-${name}`, source, removal),
      ]),
    );
    this.#warnOfNearEpochs();
  }

  #secret(id: string, source: SecretSource = 'create', removal: RemovalPolicy): SecretReference {
    return source === 'create'
      ? emptySecret(this, id, { removal })
      : existingSecret(this, id, source);
  }

  /** Warm functions keep their list for as long as they live; an hour covers every one of them. */
  #warnOfNearEpochs(): void {
    for (const { id, from } of this.keyEpochs) {
      const startsInMs = from === undefined || from === null ? 0 : Date.parse(from) - Date.now();
      if (startsInMs <= 0 || startsInMs > 3_600_000) continue;
      Annotations.of(this).addWarningV2(
        'remind-once:near-key-epoch',
        `key epoch ${id} starts within the hour; if this deployment is the one that adds it, move "from" further ahead, or old and new functions key one reminder differently`,
      );
    }
  }
}

function ledgerTable(scope: Construct, removal: RemovalPolicy): TableV2 {
  const keep = removal === RemovalPolicy.RETAIN;
  const { partitionKey, timeToLiveAttribute, unresolvedIndex } = LEDGER_TABLE;
  const table = new TableV2(scope, 'Table', {
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    billing: Billing.onDemand(),
    timeToLiveAttribute,
    globalSecondaryIndexes: [
      {
        indexName: unresolvedIndex.name,
        partitionKey: { name: unresolvedIndex.partitionKey, type: AttributeType.STRING },
        sortKey: { name: unresolvedIndex.sortKey, type: AttributeType.NUMBER },
        projectionType: ProjectionType.ALL,
      },
    ],
    removalPolicy: removal,
    deletionProtection: keep,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: keep },
  });
  referWeakly(table);
  return table;
}

/** What is wrong with the props of a ledger; empty when nothing is. */
export function ledgerFaults(props: ReminderLedgerProps): readonly ConfigFault[] {
  const keyEpochs = props.keyEpochs ?? DEFAULT_EPOCHS;
  const faults: ConfigFault[] = [
    ...secretSourceFaults('apiKeySecret', props.apiKeySecret),
    ...sourcesOf(props.channels).flatMap(({ name, source }) =>
      secretSourceFaults(`channels.${name}.secretRef`, source),
    ),
    ...keyEpochs.flatMap((epoch) =>
      secretSourceFaults(`keyEpochs.${epoch.id}.secretRef`, epoch.secretRef),
    ),
  ];
  if (props.adoptTable === undefined) return faults;
  if (!/^[\w.-]{3,255}$/.test(props.adoptTable)) {
    faults.push({ setting: 'adoptTable', problem: 'is no name of a DynamoDB table' });
  }
  for (const { id, secretRef = 'create' } of keyEpochs) {
    if (secretRef !== 'create') continue;
    faults.push({
      setting: `keyEpochs.${id}.secretRef`,
      problem:
        'would be generated; an adopted table needs the secret that it was filled under ({ arn } or { name }), or every sent reminder gets a new key and is sent again',
    });
  }
  return faults;
}

/** The ARN of the index that lists unresolved rows. */
export function unresolvedIndexArn(table: LedgerTableReference): string {
  return `${table.tableArn}/index/${LEDGER_TABLE.unresolvedIndex.name}`;
}

function sourcesOf(channels: ChannelsSettings = {}) {
  return Object.entries(channels).flatMap(([name, channel]) => channelSources(name, channel));
}
