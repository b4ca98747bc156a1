import type { ClaimToken, SendKey } from '#core/brand.ts';
import type { DeliverySettings } from '#core/delivery-settings.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import { planResolution, type ResolutionDecision, type ResolutionRefusal } from '#core/resolve.ts';
import type { Clock, Ledger, Random } from '#ports';

export type ResolveDeps = {
  readonly ledger: Pick<Ledger, 'read' | 'replace'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: DeliverySettings;
};

export type ResolveRequest = {
  readonly sendKey: SendKey;
  readonly decision: ResolutionDecision;
  /** Why, in the operator's words; scrubbed before it is kept. */
  readonly note: string;
};

export type ResolveAnswer =
  /**
   * The row is as decided. A reopened one is sent by the next redrive of its dead letter, or by
   * any copy of the message that still comes.
   */
  | { readonly kind: 'resolved'; readonly row: LedgerRecord }
  /** Nothing was changed. */
  | { readonly kind: 'refused'; readonly code: ResolutionRefusal; readonly row: LedgerRecord }
  | { readonly kind: 'absent' }
  /** A worker moved the row meanwhile: look again before deciding again. */
  | { readonly kind: 'moved'; readonly row: LedgerRecord | undefined }
  | { readonly kind: 'failed'; readonly code: string };

/** Applies an operator's decision to a parked row, under the fence of the row that was read. */
export async function resolveUnknown(
  { sendKey, decision, note }: ResolveRequest,
  { ledger, clock, random, settings }: ResolveDeps,
): Promise<ResolveAnswer> {
  const found = await ledger.read(sendKey);
  if (found.kind !== 'row') return found;
  const token = random.token() as ClaimToken;
  const plan = planResolution(found.row, decision, note, token, clock.now(), settings);
  if (plan.kind === 'refused') return { ...plan, row: found.row };
  const answer = await ledger.replace(plan.next, found.row);
  switch (answer.kind) {
    case 'replaced':
      return { kind: 'resolved', row: plan.next };
    case 'lost':
      return { kind: 'moved', row: answer.row };
    case 'failed':
      return answer;
  }
}
