import type * as z from 'zod';
import type { channelSchema } from '#config/channels.ts';
import type { deliverySchema } from '#config/delivery-config.ts';
import type { dialectSchema, drainSchema } from '#config/drain-config.ts';
import type { keyEpochSchema } from '#config/key-epochs.ts';
import type { redriveSchema } from '#config/redrive-config.ts';
import type { statsSchema } from '#config/stats-config.ts';
import type { SecretSource, WithSources } from '#infra/constructs/secret-sources.ts';

/** A channel as the consumer reads it, with a source for each `secretRef`. */
export type ChannelSettings = WithSources<z.input<typeof channelSchema>>;
export type ChannelsSettings = Readonly<Record<string, ChannelSettings>>;

/**
 * A key epoch (protocol section 1). Its secret is generated, kept for ever and never shown, unless
 * an existing one is named. Changing an entry that has been deployed forgets what was sent under
 * it: a rotation adds an entry.
 */
export type KeyEpochSettings = Omit<z.input<typeof keyEpochSchema>, 'secretRef'> & {
  readonly secretRef?: SecretSource;
};

export type FunctionSettings = {
  /** 128…3008. */
  readonly memoryMb?: number;
  /** Below 900. */
  readonly timeoutSeconds?: number;
};

/** Whole minutes between two runs, or none at all. */
export type Every = number | 'off';

export type AlarmSettings = {
  /** Each gets a confirmation mail first. */
  readonly emails?: readonly string[];
  /** What the alarms' descriptions link to; a section's anchor is added. */
  readonly runbookUrl?: string;
};

/** What a stage may say about one pipeline. Everything but the queue and a channel has a default. */
export type PipelineSettings = {
  /** Metric dimension and part of every name: `[a-z][a-z0-9-]*`, at most 32. */
  readonly stage: string;
  /** Metric dimension `service`. Tells several pipelines of one account apart. */
  readonly pipeline?: string;
  /** The queue at Infrai; its dead letters are in `<queueName>.dlq`. */
  readonly queueName: string;
  readonly infraiBaseUrl?: string;
  readonly dialect?: z.input<typeof dialectSchema>;
  readonly channels: ChannelsSettings;
  /** Channel of a reminder that names none. */
  readonly defaultChannel?: string;
  readonly delivery?: z.input<typeof deliverySchema>;
  readonly drain?: z.input<typeof drainSchema>;
  readonly redrive?: z.input<typeof redriveSchema>;
  /** Also the alarms' thresholds. */
  readonly stats?: z.input<typeof statsSchema>;
  readonly every?: {
    readonly consumer?: Every;
    readonly redrive?: Every;
    readonly stats?: Every;
  };
  readonly functions?: {
    readonly consumer?: FunctionSettings;
    readonly redrive?: FunctionSettings;
    readonly stats?: FunctionSettings;
  };
  /** Consumers that may run at once: the scale-out, since a backlog adds one with every tick. */
  readonly consumerConcurrency?: number;
  /**
   * False for accounts whose Lambda quota is too small to reserve from (new ones have 10). Then
   * nothing bounds the consumers, and the lease in the ledger alone keeps redrives apart.
   */
  readonly reserveConcurrency?: boolean;
  readonly logRetentionDays?: number;
  readonly alarms?: AlarmSettings;
};
