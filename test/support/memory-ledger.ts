import { decodeRow, encodeRow } from '#adapters/dynamodb/row-codec.ts';
import type { SendKey } from '#core/brand.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { Ledger, Seen } from '#ports';

/**
 * The send ledger as a model: the conditions of `DynamoLedger`, each call one step. The suite in
 * test/integration/ledger holds the real one to the same conditions.
 */
export class MemoryLedger implements Ledger {
  readonly rows = new Map<SendKey, LedgerRecord>();
  /** Writes that changed a row, and writes that were refused. */
  applied = 0;
  refused = 0;
  readonly #codec: boolean;

  /** @param codec rows pass the real codec, as they would on their way to the table and back */
  constructor(codec = true) {
    this.#codec = codec;
  }

  async claim(row: LedgerRecord): ReturnType<Ledger['claim']> {
    const stored = this.#stored(row);
    const there = this.rows.get(row.sendKey);
    if (there === undefined) {
      this.#put(stored);
      return { kind: 'claimed' };
    }
    this.refused += 1;
    return isOurWrite(there, row) ? { kind: 'claimed' } : { kind: 'exists', row: there };
  }

  async replace(row: LedgerRecord, seen: Seen): ReturnType<Ledger['replace']> {
    const stored = this.#stored(row);
    const there = this.rows.get(row.sendKey);
    if (there?.claimToken === seen.claimToken && there.state === seen.state) {
      this.#put(stored);
      return { kind: 'replaced' };
    }
    this.refused += 1;
    if (there !== undefined && isOurWrite(there, row)) return { kind: 'replaced' };
    return { kind: 'lost', row: there };
  }

  async read(sendKey: SendKey): ReturnType<Ledger['read']> {
    const row = this.rows.get(sendKey);
    return row === undefined ? { kind: 'absent' } : { kind: 'row', row };
  }

  async unresolved({ limit }: { readonly limit: number }): ReturnType<Ledger['unresolved']> {
    const since = (row: LedgerRecord) => row.firstSendAt ?? row.claimedAt;
    const rows = [...this.rows.values()].filter((row) => row.state === 'UNKNOWN');
    return { kind: 'page', rows: rows.sort((a, b) => since(a) - since(b)).slice(0, limit) };
  }

  #put(row: LedgerRecord): void {
    this.applied += 1;
    this.rows.set(row.sendKey, row);
  }

  #stored(row: LedgerRecord): LedgerRecord {
    if (!this.#codec) return row;
    const decoded = decodeRow(encodeRow(row));
    if (decoded.kind !== 'row') throw new Error(`unreadable row: ${decoded.problem}`);
    return decoded.row;
  }
}

function isOurWrite(found: LedgerRecord, written: LedgerRecord): boolean {
  return found.claimToken === written.claimToken && found.state === written.state;
}
