import type { SendKey } from '#core/brand.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import { backendFailure } from '#functions/ops/backend-failure.ts';
import { openLedgerDesk } from '#functions/ops/desk.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import { reasonWords } from '#functions/ops/words/reason-words.ts';
import { spanWords } from '#functions/ops/words/time-words.ts';

export type UnknownsFlags = { readonly limit: number; readonly parked?: boolean };

const PAGE_ROWS = 100;

/** Rows whose send may have been accepted, oldest first, by the sparse index: no scan. */
export async function unknowns(session: Session, flags: UnknownsFlags): Promise<Ran> {
  const target = await session.target();
  const { ledger } = await openLedgerDesk(target);
  const rows: LedgerRecord[] = [];
  const unreadable: SendKey[] = [];
  let cursor: string | undefined;
  do {
    const answer = await ledger.unresolved({
      limit: PAGE_ROWS,
      ...(cursor !== undefined && { cursor }),
    });
    if (answer.kind === 'failed') throw backendFailure('listing unknown outcomes', answer.code);
    rows.push(...answer.rows.filter((row) => flags.parked !== true || rests(row)));
    unreadable.push(...(answer.unreadable ?? []));
    cursor = answer.cursor;
  } while (cursor !== undefined && rows.length < flags.limit);
  const more = rows.length > flags.limit || cursor !== undefined;
  const now = target.clock.now();
  const listed = rows.slice(0, flags.limit).map((row) => ({
    sendKey: row.sendKey,
    channel: row.channel,
    provider: row.provider,
    since: row.firstSendAt ?? row.claimedAt,
    scheduledAt: row.scheduledAt,
    attempt: row.attempt,
    reason: row.reason,
    rests: rests(row),
  }));
  return {
    exit: EXIT.ok,
    data: { unknowns: listed, more, unreadable },
    show(out) {
      if (listed.length === 0) out.line('No unknown outcomes.');
      for (const one of listed) {
        out.line(out.paint.bold(one.sendKey));
        out.line(
          `  ${one.channel} by ${one.provider}, ${spanWords((now - one.since) / 1000)} old, attempt ${one.attempt}`,
        );
        const said = reasonWords(one.reason) ?? 'may have been accepted';
        out.line(`  ${said} [${one.reason}]${one.rests ? '' : '; a later delivery settles it'}`);
      }
      if (more) out.line(`More are there; raise --limit (${flags.limit}).`);
      if (unreadable.length > 0) {
        out.line(`${unreadable.length} rows were written by another release and cannot be read.`);
      }
      if (listed.some(({ rests: waits }) => waits)) {
        out.line();
        out.line('Ask the provider about each, then: resolve sent|not-sent --key <key> …');
      }
    },
  };
}

/** Nothing but a person, a redrive or a policy moves it. */
function rests({ reason }: LedgerRecord): boolean {
  return reason.startsWith('PARKED_');
}
