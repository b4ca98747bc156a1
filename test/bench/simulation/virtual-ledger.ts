import type { LedgerRecord } from '#core/ledger-record.ts';
import { isTerminal } from '#core/ledger-record.ts';
import type { Clock, Ledger } from '#ports';

/** A ledger that keeps only rows that can still change: a model must not grow with the day. */
export class VirtualLedger implements Pick<Ledger, 'claim' | 'replace'> {
  readonly #clock: Clock;
  readonly #latencyMs: number;
  readonly #open = new Map<string, LedgerRecord>();
  writes = 0;

  constructor(clock: Clock, latencyMs: number) {
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  async claim(row: LedgerRecord): ReturnType<Ledger['claim']> {
    this.writes += 1;
    await this.#clock.sleep(this.#latencyMs);
    const found = this.#open.get(row.sendKey);
    if (found !== undefined) return { kind: 'exists', row: found };
    this.#open.set(row.sendKey, row);
    return { kind: 'claimed' };
  }

  async replace(row: LedgerRecord): ReturnType<Ledger['replace']> {
    this.writes += 1;
    await this.#clock.sleep(this.#latencyMs);
    if (isTerminal(row.state)) this.#open.delete(row.sendKey);
    else this.#open.set(row.sendKey, row);
    return { kind: 'replaced' };
  }
}
