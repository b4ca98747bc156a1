import type { ChannelGate } from '#app/channel-gate.ts';
import type { RecentOccurrences } from '#app/recent-occurrences.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import type { KeyEpoch } from '#core/key-epoch.ts';
import type { RunBudget } from '#core/run-budget.ts';
import type { Clock, Ledger, Queue, Random, Sender } from '#ports';

/** What an environment keeps warm: the same for every run. */
export type DeliveryDeps = {
  readonly queue: Pick<Queue, 'consume' | 'publish' | 'ack'>;
  readonly ledger: Pick<Ledger, 'claim' | 'replace'>;
  /** By channel name. */
  readonly senders: ReadonlyMap<string, Sender>;
  readonly clock: Clock;
  readonly random: Random;
  readonly epochs: readonly KeyEpoch[];
  readonly defaultChannel: string | null;
  readonly settings: DeliverySettings;
  readonly limits: DeliveryLimits;
  /** Absent: nobody watches for occurrences that are close together. */
  readonly occurrences?: Pick<RecentOccurrences, 'note'>;
};

/** Bounds on the parts of one delivery, milliseconds. */
export type DeliveryLimits = {
  /** From the first try to record an outcome to the last. */
  readonly recordBudgetMs: number;
  /** From a provider's answer to the end: record, publish and ack, all retries included. */
  readonly finishMs: number;
  /** Claim, take-over and an ask with its send: the longest a delivery can take. */
  readonly worstDeliveryMs: number;
};

/** What one run shares between its deliveries. */
export type Run = {
  readonly budget: RunBudget;
  readonly gates: ReadonlyMap<string, ChannelGate>;
  /** Channels that are not tried (any more) in this run, by the provider's code. */
  readonly stoppedChannels: Map<string, string>;
  /** Once the breaker has tripped, nothing is sent any more; `acks`: nothing is acked either. */
  halted: Halt;
};

export type Halt = 'no' | 'sends' | 'acks';
