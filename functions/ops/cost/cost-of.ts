import type { CostUsage } from './cost-usage.ts';
import { PRICES } from './prices.ts';

export type CostLine = { readonly what: string; readonly arithmetic: string; readonly usd: number };

/** What one reminder came to. */
export type CostRatios = {
  /** Copies that the consumer published, beside the producer's own. */
  readonly republishes: number;
  readonly writes: number;
  readonly gigabyteSeconds: number;
};

/** Protocol: a claim and a record per send, nothing read; a tenth of a second of work at 512 MB. */
const ASSUMED: CostRatios = { republishes: 0.1, writes: 2.2, gigabyteSeconds: 0.01 };
/** A claim and a record; a take-over writes both again; a failed put costs a unit as well. */
const WRITES = { perKey: 2, perTakeOver: 2, perDuplicate: 1 } as const;
/** Where no memory size is known, as on the local stage: what infra deploys by default. */
const DEFAULT_MEMORY_MB: Readonly<Record<string, number>> = {
  consumer: 512,
  redrive: 256,
  stats: 256,
};
/** Below this the time of empty ticks would be taken for the reminders' own. */
const BUSY_KEYS_PER_RUN = 5;
const MILLION = 1_000_000;

/** The arithmetic of `cost`: every line says how its amount comes about. */
export function costOf(usage: CostUsage): {
  readonly spent: readonly CostLine[];
  readonly million: readonly CostLine[];
  readonly ratios: CostRatios;
  readonly measured: boolean;
} {
  const { keysClaimed, published } = usage;
  const writes = usage.writeUnits ?? writesOf(usage);
  const gigabyteSeconds = gigabyteSecondsOf(usage);
  const invocations = sum(usage.invocations);
  const measured = keysClaimed > 0;
  const busy = keysClaimed >= BUSY_KEYS_PER_RUN * Math.max(1, usage.invocations['consumer'] ?? 0);
  const ratios = measured
    ? {
        republishes: published / keysClaimed,
        writes: writes / keysClaimed,
        gigabyteSeconds: busy ? consumerSecondsPerKey(usage) : ASSUMED.gigabyteSeconds,
      }
    : ASSUMED;
  const timeNote = busy ? '' : ', assumed: in this time the consumer mostly ticked in vain';
  const counted =
    usage.writeUnits === null ? 'reckoned: 2 a key, 2 a take-over, 1 a duplicate' : '';
  return {
    measured,
    ratios,
    spent: [
      line('first publishes (one a key)', keysClaimed, PRICES.publish),
      line('republishes to postpone', published, PRICES.publish),
      line('ledger writes', writes, PRICES.writeUnit, counted),
      line('ledger reads', usage.readUnits ?? 0, PRICES.readUnit),
      line('Lambda time, GB-s', gigabyteSeconds, PRICES.gigabyteSecond),
      line('Lambda invocations', invocations, PRICES.invocation),
    ],
    million: [
      line('first publishes', MILLION, PRICES.publish),
      line('republishes', MILLION * ratios.republishes, PRICES.publish, each(ratios.republishes)),
      line('ledger writes', MILLION * ratios.writes, PRICES.writeUnit, each(ratios.writes)),
      line(
        'Lambda time, GB-s',
        MILLION * ratios.gigabyteSeconds,
        PRICES.gigabyteSecond,
        `${each(ratios.gigabyteSeconds)}${timeNote}`,
      ),
    ],
  };
}

function writesOf({ keysClaimed, takeOvers, duplicatesAbsorbed }: CostUsage): number {
  return (
    WRITES.perKey * keysClaimed +
    WRITES.perTakeOver * takeOvers +
    WRITES.perDuplicate * duplicatesAbsorbed
  );
}

function gigabyteSecondsOf({ durationMs, memoryMb }: CostUsage): number {
  return Object.entries(durationMs).reduce(
    (total, [role, ms]) => total + (ms / 1000) * gigabytes(role, memoryMb),
    0,
  );
}

/** Only the consumer's time grows with the reminders; the others tick whatever there is to do. */
function consumerSecondsPerKey({ durationMs, memoryMb, keysClaimed }: CostUsage): number {
  return ((durationMs['consumer'] ?? 0) / 1000 / keysClaimed) * gigabytes('consumer', memoryMb);
}

function gigabytes(role: string, memoryMb: CostUsage['memoryMb']): number {
  return (memoryMb[role] || (DEFAULT_MEMORY_MB[role] ?? 256)) / 1024;
}

function line(what: string, count: number, price: number, note = ''): CostLine {
  const shown = count.toLocaleString('en', { maximumFractionDigits: 1 });
  const unit = price.toLocaleString('en', { maximumSignificantDigits: 4 });
  const arithmetic = `${shown} × $${unit}${note === '' ? '' : ` (${note})`}`;
  return { what, arithmetic, usd: count * price };
}

function each(ratio: number): string {
  return `${ratio.toLocaleString('en', { maximumSignificantDigits: 3 })} a reminder`;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
