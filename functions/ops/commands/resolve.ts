import { changeBreaker } from '#app/breaker-control.ts';
import { resolveUnknown } from '#app/resolve-unknown.ts';
import { deliverySettings } from '#config/delivery-config.ts';
import { forgetReceipt } from '#core/breaker.ts';
import { type ResolutionDecision, type ResolutionRefusal, scrubbedNote } from '#core/resolve.ts';
import { backendFailure } from '#functions/ops/backend-failure.ts';
import { assertLedgerTable } from '#functions/ops/desk.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import {
  checkOccurrence,
  type OccurrenceFlags,
  readOccurrence,
  sendKeyOf,
} from '#functions/ops/occurrence.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import { consumerConfig } from '#functions/ops/target/target.ts';
import { historyWords } from '#functions/ops/words/reason-words.ts';
import { openLedgerSide } from '#wiring/backends.ts';
import { loadKeyEpochs } from '#wiring/load-key-epochs.ts';

export type ResolveFlags = OccurrenceFlags & {
  /** The decision. */
  readonly arguments: readonly string[];
  readonly receipt?: string;
  readonly reason?: string;
};

const CONSEQUENCE: Readonly<Record<ResolutionDecision['kind'], string>> = {
  sent: 'The reminder counts as sent from now on and is never sent again.',
  'assumed-sent': 'The reminder counts as sent without a proof; if it was not, it is lost.',
  'not-sent': 'The reminder is sent again; if the provider did accept it, its user gets it twice.',
};

/** Writes a person's decision about an unknown outcome into its row, under the row's fence. */
export async function resolve(session: Session, flags: ResolveFlags): Promise<Ran> {
  const decision = decisionOf(flags);
  const note = flags.reason ?? '';
  if (scrubbedNote(note) === '') {
    throw usage(
      '--reason is missing or holds nothing that may be kept; say in a few words how you know (no address, no number)',
    );
  }
  checkOccurrence(flags);
  const target = await session.target();
  const config = consumerConfig(target);
  const epochs =
    flags.key === undefined ? await loadKeyEpochs(config.keyEpochs, target.secrets) : [];
  const sendKey = sendKeyOf(readOccurrence(flags, config, epochs));
  await assertLedgerTable(config.ledgerTable);
  await session.confirm(`${CONSEQUENCE[decision.kind]} Row ${sendKey} of stage ${target.stage}.`);
  const { ledger, controls } = openLedgerSide(
    config,
    { concurrency: 2, ledgerCallMs: 5000 },
    target,
  );
  const { clock, random } = target;
  const settings = deliverySettings(config.delivery);
  const answer = await resolveUnknown(
    { sendKey, decision, note },
    { ledger, clock, random, settings },
  );
  switch (answer.kind) {
    case 'failed':
      throw backendFailure('resolving', answer.code);
    case 'absent':
      throw conflict('ROW_ABSENT', 'the ledger has no row of this reminder: nothing was ever sent');
    case 'moved':
      throw conflict('ROW_MOVED', 'a worker moved the row meanwhile: look at it again (explain)');
    case 'refused':
      throw conflict(answer.code, REFUSED[answer.code]);
    case 'resolved':
      break;
  }
  if (decision.kind !== 'not-sent') {
    // An acceptance that waited for its row waits no more.
    await changeBreaker(controls, (breaker) => forgetReceipt(breaker, sendKey));
  }
  const { state, reason, receipt, history } = answer.row;
  return {
    exit: EXIT.ok,
    data: { sendKey, decision: decision.kind, state, reason, receipt, history },
    show(out) {
      out.line(`${sendKey} is ${state} now.`);
      for (const entry of history.slice(-2)) out.line(`  ${historyWords(entry)}`);
      out.line(
        decision.kind === 'not-sent'
          ? `Next: redrive --go --key ${sendKey}, which sends its dead letter back`
          : 'Its dead letter, if there is one, is acked away by the next redrive.',
      );
    },
  };
}

const REFUSED: Readonly<Record<ResolutionRefusal, string>> = {
  NOT_UNRESOLVED: 'there is nothing to decide: the row’s outcome is known (explain shows it)',
  CLAIM_ALIVE: 'a worker may be sending it right now: wait for its lease to end (explain)',
  RECEIPT_INVALID:
    '--receipt is no receipt; allowed: the provider’s own id, 1 to 200 printable characters without blanks',
  NOTE_MISSING: '--reason holds nothing that may be kept',
};

function decisionOf({ arguments: [kind], receipt }: ResolveFlags): ResolutionDecision {
  if (kind === 'sent') {
    if (receipt === undefined) {
      throw usage(
        'sent needs --receipt, the provider’s own id; without one decide assumed-sent or not-sent',
      );
    }
    return { kind, receipt };
  }
  if (receipt !== undefined) throw usage('--receipt belongs to sent alone');
  return { kind: kind === 'not-sent' ? 'not-sent' : 'assumed-sent' };
}

function usage(message: string): OpsError {
  return new OpsError(EXIT.usage, 'USAGE', message);
}

function conflict(code: string, message: string): OpsError {
  return new OpsError(EXIT.conflict, code, `${message}; nothing was changed`);
}
