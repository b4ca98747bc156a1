import type { DeliverySettings } from '#core/delivery-settings.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import type { RedriveTriggered } from '#core/redrive-request.ts';
import type { Clock, ControlStore, DeadLetters, Ledger, Random, Sender } from '#ports';

/** What an environment keeps warm: the same for every run. */
export type RedriveDeps = {
  readonly deadLetters: DeadLetters;
  readonly ledger: Pick<Ledger, 'claim' | 'replace' | 'read'>;
  readonly controls: ControlStore;
  /** By channel name. A redrive sends nothing: it asks them what a reminder's content is. */
  readonly senders: ReadonlyMap<string, Sender>;
  readonly clock: Clock;
  readonly random: Random;
  readonly epochs: readonly KeyEpoch[];
  readonly defaultChannel: string | null;
  readonly settings: DeliverySettings;
  readonly limits: RedriveLimits;
};

/** The stage's figures; a request may choose its own for the first four. */
export type RedriveLimits = {
  readonly maxPerRun: number;
  readonly ratePerSecond: number;
  readonly canarySize: number;
  readonly cap: number;
  readonly canaryWaitSeconds: number;
  readonly runLeaseSeconds: number;
  readonly deadLetterLeaseSeconds: number;
  /** Look, reopen, redrive and confirm: the longest a dead letter can take. */
  readonly worstDeadLetterMs: number;
  readonly queueCallMs: number;
};

export type Triggered = Exclude<RedriveTriggered, { kind: 'invalid' }>;
