import { decodeRow } from '#adapters/dynamodb/row-codec.ts';
import { ROW } from '#adapters/dynamodb/table-schema.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { Findings } from '#test/proof/part.ts';
import type { RealStage } from './real-stage.ts';

/** Every ledger row of a stage, by send key; a row that cannot be read is a violation. */
export async function rowsOf(
  stage: RealStage,
  findings: Findings,
): Promise<ReadonlyMap<string, LedgerRecord>> {
  const rows = new Map<string, LedgerRecord>();
  for (const item of await stage.scan()) {
    if (!String(item[ROW.sendKey]).startsWith('k1_')) continue;
    const decoded = decodeRow(item);
    if (decoded.kind === 'row') rows.set(decoded.row.sendKey, decoded.row);
    else {
      const where = String(item[ROW.sendKey]);
      findings.violation({ where, what: `unreadable row: ${decoded.problem}`, story: [] });
    }
  }
  return rows;
}
