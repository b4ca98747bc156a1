import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { RedriveDecision, RowSeen, RowWrite } from '#core/plan-redrive.ts';
import { confirmRedriven, REOPENED } from '#core/reopen.ts';
import type { QueueMessage } from '#ports';

/** What became of one dead letter. */
export type Acted =
  | {
      readonly kind: 'redriven';
      /** The row as it was left; null for a payload that has none. */
      readonly left: LedgerRecord | null;
      /** False when the ledger did not take the confirmation: a later redrive is not counted. */
      readonly confirmed: boolean;
    }
  | { readonly kind: 'settled'; readonly late: boolean }
  | { readonly kind: 'kept' }
  /** It was no dead letter any more: an earlier redrive's answer was lost, or somebody took it. */
  | { readonly kind: 'vanished' }
  /** It stays a dead letter; what was counted for it is not counted again. */
  | {
      readonly kind: 'failed';
      readonly by: 'queue' | 'ledger';
      readonly code: string;
      readonly retryAfterSeconds?: number;
    }
  /** The row moved between look and write: to be decided anew. */
  | { readonly kind: 'moved'; readonly row: RowSeen };

/**
 * Does what was decided. The row is written before the queue is told anything: a crash in between
 * leaves a dead letter whose redrive is already counted, never a redrive that is not.
 */
export async function actOnDeadLetter(
  message: QueueMessage,
  seenRow: LedgerRecord | null,
  decision: RedriveDecision,
  deps: RedriveDeps,
): Promise<Acted> {
  const written = decision.write === undefined ? null : await write(decision.write, deps);
  if (written !== null) return written;
  if (decision.action === 'keep') return { kind: 'kept' };
  if (decision.action === 'settle') return ackOut(message, deps);
  const row = decision.write.kind === 'none' ? seenRow : decision.write.next;
  return redrive(message, row, deps);
}

/** Null when the row is as the decision wants it. */
async function write(rowWrite: RowWrite, { ledger }: RedriveDeps): Promise<Acted | null> {
  switch (rowWrite.kind) {
    case 'none':
      return null;
    case 'create': {
      const answer = await ledger.claim(rowWrite.next);
      if (answer.kind === 'claimed') return null;
      if (answer.kind === 'failed') return { kind: 'failed', by: 'ledger', code: answer.code };
      return { kind: 'moved', row: { kind: 'row', row: answer.row } };
    }
    case 'replace': {
      const answer = await ledger.replace(rowWrite.next, rowWrite.seen);
      if (answer.kind === 'replaced') return null;
      if (answer.kind === 'failed') return { kind: 'failed', by: 'ledger', code: answer.code };
      const row: RowSeen =
        answer.row === undefined ? { kind: 'absent' } : { kind: 'row', row: answer.row };
      return { kind: 'moved', row };
    }
  }
}

async function ackOut(message: QueueMessage, { deadLetters }: RedriveDeps): Promise<Acted> {
  const answer = await deadLetters.ack(message);
  if (answer.kind === 'failed') return { ...answer, kind: 'failed', by: 'queue' };
  return { kind: 'settled', late: answer.kind === 'not-in-flight' };
}

async function redrive(
  message: QueueMessage,
  row: LedgerRecord | null,
  deps: RedriveDeps,
): Promise<Acted> {
  const answer = await deps.deadLetters.redrive(message.messageId);
  switch (answer.kind) {
    case 'failed':
      return { ...answer, kind: 'failed', by: 'queue' };
    case 'gone':
      return { kind: 'vanished' };
    case 'redriven':
      return { kind: 'redriven', left: row, confirmed: await confirm(row, deps) };
  }
}

/** A worker that has claimed the row meanwhile is a confirmation too: the write is fenced. */
async function confirm(row: LedgerRecord | null, deps: RedriveDeps): Promise<boolean> {
  if (row === null || row.reason !== REOPENED) return true;
  const next = confirmRedriven(row, deps.clock.now(), deps.settings);
  const answer = await deps.ledger.replace(next, row);
  return answer.kind !== 'failed';
}
