import * as z from 'zod/mini';
import { type ChannelsConfig, channelsSchema, providerUrl, secretRef } from '#config/channels.ts';
import { type DeliveryConfig, deliverySchema } from '#config/delivery-config.ts';
import { dialectSchema, type InfraiDialect } from '#config/drain-config.ts';
import type { Environment } from '#config/environment.ts';
import type { FaultCollector } from '#config/faults.ts';
import { type KeyEpochsConfig, keyEpochsSchema } from '#config/key-epochs.ts';
import { DEFAULT_PIPELINE } from '#config/metrics.ts';

/** What all three functions and the command line share. */
export type SharedConfig = {
  readonly stage: string;
  /** Tells the pipelines of one account apart: the `service` of metrics and logs. */
  readonly pipeline: string;
  readonly queueName: string;
  readonly infraiBaseUrl: string;
  readonly infraiApiKeyRef: string;
  readonly dialect: InfraiDialect;
  readonly ledgerTable: string;
  readonly keyEpochs: KeyEpochsConfig;
  readonly channels: ChannelsConfig;
  readonly defaultChannel: string | null;
  readonly delivery: DeliveryConfig;
};

const name = (what: string, pattern: RegExp) =>
  z
    .string({ error: `is missing; set it to ${what}` })
    .check(z.regex(pattern, { error: `is not ${what}` }));

/** Reads the shared part; faults are noted in `faults`, and undefined comes back with them. */
export function readSharedConfig(
  env: Environment,
  faults: FaultCollector,
): SharedConfig | undefined {
  const stage = faults.check('STAGE', name('a stage name', /^[a-z][a-z0-9-]{0,31}$/), env['STAGE']);
  const pipeline = faults.check(
    'PIPELINE',
    name('a pipeline name', /^[a-z][a-z0-9-]{0,47}$/),
    env['PIPELINE'] ?? DEFAULT_PIPELINE,
  );
  const queueName = faults.check(
    'QUEUE_NAME',
    name('a queue name', /^[\w.-]{1,128}$/),
    env['QUEUE_NAME'],
  );
  const infraiBaseUrl = faults.check(
    'INFRAI_BASE_URL',
    providerUrl,
    env['INFRAI_BASE_URL'] ?? 'https://api.infrai.cc',
  );
  const infraiApiKeyRef = faults.check(
    'INFRAI_API_KEY_SECRET',
    secretRef,
    env['INFRAI_API_KEY_SECRET'],
  );
  const dialect = faults.checkJson('INFRAI_DIALECT', dialectSchema, env['INFRAI_DIALECT']);
  const ledgerTable = faults.check(
    'LEDGER_TABLE',
    name('a DynamoDB table name', /^[\w.-]{3,255}$/),
    env['LEDGER_TABLE'],
  );
  const keyEpochs = faults.checkJson('KEY_EPOCHS', keyEpochsSchema, env['KEY_EPOCHS'], []);
  const channels = faults.checkJson('CHANNELS', channelsSchema, env['CHANNELS']);
  const delivery = faults.checkJson('DELIVERY', deliverySchema, env['DELIVERY']);
  const defaultChannel = env['DEFAULT_CHANNEL']?.trim() || null;
  if (
    defaultChannel !== null &&
    channels !== undefined &&
    !Object.hasOwn(channels, defaultChannel)
  ) {
    const known = Object.keys(channels).join(', ');
    faults.add('DEFAULT_CHANNEL', `is ${defaultChannel}; allowed: a configured channel (${known})`);
  }
  if (
    stage === undefined ||
    pipeline === undefined ||
    queueName === undefined ||
    infraiBaseUrl === undefined ||
    infraiApiKeyRef === undefined ||
    dialect === undefined ||
    ledgerTable === undefined ||
    keyEpochs === undefined ||
    channels === undefined ||
    delivery === undefined
  ) {
    return undefined;
  }
  return {
    stage,
    pipeline,
    queueName,
    infraiBaseUrl,
    infraiApiKeyRef,
    dialect,
    ledgerTable,
    keyEpochs,
    channels,
    defaultChannel,
    delivery,
  };
}
