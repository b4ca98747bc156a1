import type { Tally } from '#app/tally.ts';
import type { SendKey } from '#core/brand.ts';
import type { Finding } from '#core/finding.ts';
import { isTerminal, LEDGER_STATES, type LedgerState } from '#core/ledger-record.ts';
import type { Ledger } from '#ports';
import type { ProviderEmulator } from './provider-emulator/provider-emulator.ts';
import type { QueueEmulator } from './queue-emulator/queue-emulator.ts';

/** The figures of a local run; also the JSON report, whose field names are stable (README). */
export type RunFigures = {
  readonly reportVersion: 1;
  readonly engine: string;
  readonly queue: 'emulator' | 'live';
  readonly faults: string;
  readonly providerClass: string;
  readonly seed: number;
  readonly seconds: number;
  readonly lines: number;
  readonly validReminders: number;
  readonly invalidLines: readonly { readonly line: number; readonly reason: string }[];
  readonly published: number;
  readonly deliveries: number;
  readonly uniqueKeys: number;
  readonly providerEffects: number;
  readonly keysWithEffect: number;
  readonly keysWithTwoEffects: number;
  readonly duplicatesAbsorbed: number;
  readonly postponed: number;
  readonly deadLettered: number;
  readonly lost: number;
  readonly stillQueued: number;
  readonly crashedConsumers: number;
  readonly receipts: number;
  readonly submissions: number;
  readonly lateAcks: number;
  readonly leftByReason: Readonly<Record<string, number>>;
  readonly ledgerStates: Readonly<Record<LedgerState | 'NO_ROW', number>>;
  /** What the stats function says of the stage at the end, with what has grown since the start. */
  readonly findings: readonly Finding[];
  readonly verdict: 'ok' | 'two-effects' | 'lost' | 'unfinished';
};

/** Adds one run's tally to the sum. */
export function addTally(sum: Tally, tally: Tally): void {
  for (const [name, value] of Object.entries(tally)) {
    const target = sum as unknown as Record<string, unknown>;
    if (typeof value === 'number') target[name] = Number(target[name]) + value;
    else if (!Array.isArray(value)) addCounts(target[name] as Record<string, number>, value);
  }
}

function addCounts(sum: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
}

export type LedgerView = {
  readonly states: Record<LedgerState | 'NO_ROW', number>;
  /** Keys whose row is not terminal or not there. */
  readonly open: ReadonlySet<SendKey>;
};

/** Reads every key's row with the product's own ledger. */
export async function readLedger(
  ledger: Pick<Ledger, 'read'>,
  keys: ReadonlySet<SendKey>,
): Promise<LedgerView> {
  const zero = LEDGER_STATES.map((state) => [state, 0] as const);
  const states = { ...Object.fromEntries(zero), NO_ROW: 0 } as LedgerView['states'];
  const open = new Set<SendKey>();
  for (const key of keys) {
    const answer = await ledger.read(key);
    const state = answer.kind === 'row' ? answer.row.state : 'NO_ROW';
    states[state] += 1;
    if (state === 'NO_ROW' || !isTerminal(state)) open.add(key);
  }
  return { states, open };
}

/** Keys of which the emulated queue still holds a message, alive or dead. */
export function keysInQueue(
  queue: QueueEmulator,
  name: string,
  keyOf: (payload: unknown) => SendKey | undefined,
): ReadonlySet<SendKey> {
  const now = queue.clock.now();
  const messages = [
    ...queue.model.messages(name, now),
    ...queue.model.messages(`${name}.dlq`, now),
  ];
  return new Set(messages.flatMap((message) => keyOf(message.payload) ?? []));
}

export function verdictOf(
  effects: ProviderEmulator['effects'],
  lost: number,
  stillQueued: number,
): RunFigures['verdict'] {
  if (effects.duplicated().size > 0) return 'two-effects';
  if (lost > 0) return 'lost';
  return stillQueued > 0 ? 'unfinished' : 'ok';
}
