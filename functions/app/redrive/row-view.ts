import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import type { SendKey } from '#core/brand.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { RedriveDecision, RowSeen } from '#core/plan-redrive.ts';
import { confirmRedriven, REOPENED } from '#core/reopen.ts';

/**
 * The ledger as a run sees it. A dry run lays its own planned writes over it, so that the second
 * dead letter of a reminder is planned as a run that had written the first would find it.
 */
export class RowView {
  readonly #deps: Pick<RedriveDeps, 'ledger' | 'clock' | 'settings'>;
  readonly #planned = new Map<SendKey, RowSeen>();

  constructor(deps: Pick<RedriveDeps, 'ledger' | 'clock' | 'settings'>) {
    this.#deps = deps;
  }

  read(sendKey: SendKey): Promise<RowSeen> {
    const planned = this.#planned.get(sendKey);
    return planned === undefined ? this.#deps.ledger.read(sendKey) : Promise.resolve(planned);
  }

  /**
   * Dry run: what acting on the decision would leave behind.
   * @param seen the row that was decided on; null where there is none
   */
  plan(decision: RedriveDecision, seen: LedgerRecord | null): void {
    if (decision.write === undefined) return;
    const row = decision.write.kind === 'none' ? seen : decision.write.next;
    if (row === null) return;
    const { clock, settings } = this.#deps;
    const confirmed = decision.action === 'redrive' && row.reason === REOPENED;
    const left = confirmed ? confirmRedriven(row, clock.now(), settings) : row;
    this.#planned.set(row.sendKey, { kind: 'row', row: left });
  }
}
