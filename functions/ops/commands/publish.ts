import { deliverySettings } from '#config/delivery-config.ts';
import type { LedgerState } from '#core/ledger-record.ts';
import { backendFailure } from '#functions/ops/backend-failure.ts';
import { dollars, PRICES } from '#functions/ops/cost/prices.ts';
import { openDesk } from '#functions/ops/desk.ts';
import { EXIT, type ExitCode } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Output } from '#functions/ops/output.ts';
import {
  type Publishable,
  planPublish,
  type Refused,
} from '#functions/ops/publish/plan-publish.ts';
import { type Publication, publishAll } from '#functions/ops/publish/publish-all.ts';
import { PublishedJournal } from '#functions/ops/publish/published-journal.ts';
import {
  type FileFormat,
  formatOf,
  readRecords,
  type SourceRecord,
} from '#functions/ops/publish/reminder-source.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import { consumerConfig } from '#functions/ops/target/target.ts';
import type { Ledger } from '#ports';

export type PublishFlags = {
  readonly file?: string;
  readonly format?: FileFormat;
  readonly user?: string;
  readonly reminder?: string;
  readonly at?: string;
  readonly channel?: string;
  readonly order?: string;
  readonly useBy?: string;
  readonly version?: number;
  readonly data?: string;
  readonly delay?: number;
  readonly rate: number;
  readonly again?: string;
  readonly journal: string;
  readonly dryRun?: boolean;
};

/** What a publish comes to, line by line added up. */
type Account = {
  readonly lines: number;
  readonly refused: readonly Refused[];
  readonly repeatedInFile: number;
  readonly alreadyPublished: number;
  /** Known to the ledger: some copy of it was consumed. By the row's state. */
  readonly alreadyInLedger: Readonly<Record<string, number>>;
  readonly toPublish: number;
  readonly priceUsd: number;
  readonly publication: Publication | null;
};

const LEDGER_READS_AT_ONCE = 8;

/** Publishes reminders from flags or a file; a repeat publishes only what is new. */
export async function publish(session: Session, flags: PublishFlags): Promise<Ran> {
  const records = await recordsOf(flags);
  const target = await session.target();
  const config = consumerConfig(target);
  const { queue, ledger, senders, epochs } = await openDesk(target);
  const plan = planPublish(records, {
    senders,
    epochs,
    defaultChannel: config.defaultChannel,
    settings: deliverySettings(config.delivery),
    now: target.clock.now(),
    delaySeconds: flags.delay ?? null,
    again: flags.again ?? null,
  });
  const journal = PublishedJournal.open(flags.journal, target.id);
  const unknown = plan.publishable.filter(({ idempotencyKey }) => !journal.has(idempotencyKey));
  const known = flags.again === undefined ? await readStates(unknown, ledger) : new Map();
  const fresh = unknown.filter(({ sendKey }) => !known.has(sendKey));
  const account = {
    lines: records.length,
    refused: plan.refused,
    repeatedInFile: plan.repeated,
    alreadyPublished: plan.publishable.length - unknown.length,
    alreadyInLedger: countStates(known),
    toPublish: fresh.length,
    priceUsd: fresh.length * PRICES.publish,
  };
  if (flags.dryRun === true || fresh.length === 0) {
    return ran({ ...account, publication: null }, flags.dryRun === true);
  }
  for (const text of planWords(account)) session.out.note(text);
  const what = fresh.length === 1 ? '1 reminder goes' : `${fresh.length} reminders go`;
  await session.confirm(`${what} to stage ${target.stage} and will be sent.`);
  const publication = await performed(session, fresh, {
    queue,
    clock: target.clock,
    journal,
    ratePerSecond: flags.rate,
  });
  return ran({ ...account, publication }, false);
}

/** @throws OpsError USAGE or FILE_UNREADABLE, before any call is made */
async function recordsOf(flags: PublishFlags): Promise<readonly SourceRecord[]> {
  const single = [flags.user, flags.reminder, flags.at, flags.data, flags.order, flags.useBy];
  if (flags.file !== undefined) {
    if (single.some((flag) => flag !== undefined)) {
      throw usage('--file and the flags of a single reminder exclude each other');
    }
    const records = await readRecords(flags.file, flags.format ?? formatOf(flags.file));
    if (records.length === 0) throw usage(`${flags.file} holds no reminder`);
    return records;
  }
  if (flags.user === undefined || flags.reminder === undefined || flags.at === undefined) {
    throw usage('give --file, or --user, --reminder and --at together');
  }
  const payload = {
    user_id: flags.user,
    reminder_id: flags.reminder,
    scheduled_at: flags.at,
    ...(flags.order !== undefined && { order_id: flags.order }),
    ...(flags.channel !== undefined && { channel: flags.channel }),
    ...(flags.useBy !== undefined && { use_by: flags.useBy }),
    ...(flags.version !== undefined && { version: flags.version }),
    ...(flags.data !== undefined && { data: parseData(flags.data) }),
  };
  return [{ line: 1, payload }];
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usage('--data is not JSON; write it as a JSON object');
  }
}

/** Send keys that have a row: a copy of them was consumed, and another would be absorbed. */
async function readStates(
  reminders: readonly Publishable[],
  ledger: Pick<Ledger, 'read'>,
): Promise<ReadonlyMap<string, LedgerState>> {
  const states = new Map<string, LedgerState>();
  const rest = reminders.values();
  const worker = async () => {
    for (const { sendKey } of rest) {
      const answer = await ledger.read(sendKey);
      if (answer.kind === 'failed') throw backendFailure('asking the ledger', answer.code);
      if (answer.kind === 'row') states.set(sendKey, answer.row.state);
    }
  };
  await Promise.all(Array.from({ length: LEDGER_READS_AT_ONCE }, worker));
  return states;
}

function countStates(states: ReadonlyMap<string, LedgerState>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const state of states.values()) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

type Means = Pick<Parameters<typeof publishAll>[2], 'ratePerSecond' | 'clock'> & {
  readonly queue: Parameters<typeof publishAll>[0];
  readonly journal: PublishedJournal;
};

/** Ctrl-C stops after the calls that are under way: what was taken stays in the journal. */
async function performed(
  session: Session,
  reminders: readonly Publishable[],
  { queue, journal, ratePerSecond, clock }: Means,
): Promise<Publication> {
  const progress = session.out.progress(reminders.length, 'publishing');
  let interrupted = false;
  const interrupt = () => {
    interrupted = true;
  };
  process.once('SIGINT', interrupt);
  try {
    return await publishAll(queue, reminders, {
      ratePerSecond,
      clock,
      onTaken: ({ idempotencyKey }) => journal.add(idempotencyKey),
      onStep: () => progress.step(),
      interrupted: () => interrupted,
    });
  } finally {
    process.off('SIGINT', interrupt);
    progress.stop();
  }
}

function ran(account: Account, dryRun: boolean): Ran {
  return {
    exit: exitOf(account),
    data: { dryRun, ...account },
    show: (out) => show(out, account, dryRun),
  };
}

function exitOf({ publication, refused }: Account): ExitCode {
  if (publication !== null && publication.failed.length + publication.notTried > 0) {
    return publication.failed.length === 0 ? EXIT.interrupted : EXIT.backend;
  }
  return refused.length > 0 ? EXIT.attention : EXIT.ok;
}

function planWords(account: Omit<Account, 'publication'>): readonly string[] {
  const { toPublish, priceUsd, alreadyPublished, alreadyInLedger } = account;
  const states = Object.entries(alreadyInLedger).map(([state, count]) => `${count} ${state}`);
  return [
    `${toPublish} new × $${PRICES.publish.toFixed(5)} = ${dollars(priceUsd)}`,
    ...(alreadyPublished > 0 ? [`${alreadyPublished} were published before (left out)`] : []),
    ...(states.length > 0 ? [`the ledger knows ${states.join(', ')} already (left out)`] : []),
  ];
}

const REFUSALS_SHOWN = 20;

function show(out: Output, account: Account, dryRun: boolean): void {
  const { refused, repeatedInFile, publication, toPublish } = account;
  for (const { line, reason } of refused.slice(0, REFUSALS_SHOWN)) {
    out.line(`line ${line} is refused: ${reason}`);
  }
  if (refused.length > REFUSALS_SHOWN) {
    out.line(`… and ${refused.length - REFUSALS_SHOWN} more; --json lists them all`);
  }
  if (repeatedInFile > 0) out.line(`${repeatedInFile} lines repeat a reminder of an earlier line`);
  if (publication === null) {
    for (const text of planWords(account)) out.line(text);
    out.line(dryRun ? 'Dry run: nothing was published.' : 'Nothing new: nothing was published.');
    return;
  }
  const { published, alreadyPublished, failed, notTried } = publication;
  out.line(
    `${published} of ${toPublish} published${alreadyPublished > 0 ? `, ${alreadyPublished} known to the queue already` : ''}`,
  );
  const codes = new Map<string, number>();
  for (const { code } of failed) codes.set(code, (codes.get(code) ?? 0) + 1);
  for (const [code, count] of codes) out.line(`${count} failed: ${code}`);
  if (failed.length + notTried > 0) {
    out.line(`${failed.length + notTried} are left; the same command again goes on with them.`);
  }
}

function usage(message: string): OpsError {
  return new OpsError(EXIT.usage, 'USAGE', message);
}
