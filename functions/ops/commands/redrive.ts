import type { RedriveReport } from '#app/redrive/redrive-report.ts';
import { readRedriveEvent } from '#core/redrive-request.ts';
import { assertLedgerTable } from '#functions/ops/desk.ts';
import { EXIT, type ExitCode } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Output } from '#functions/ops/output.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import { redriveConfig, type Target } from '#functions/ops/target/target.ts';
import { redriveReasonWords } from '#functions/ops/words/redrive-reason-words.ts';

export type RedriveFlags = {
  readonly go?: boolean;
  readonly force?: boolean;
  readonly max?: number;
  readonly rate?: number;
  readonly canary?: number;
  readonly key?: string;
  readonly user?: string;
  readonly reminder?: string;
  readonly channel?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly olderThan?: string;
};

/** As many as a request may name, so that a listing is whole. */
const WHOLE_LISTING = 10_000;

/** Plans a redrive, or performs it with `--go`: the redrive function does it, under its lease. */
export async function redrive(session: Session, flags: RedriveFlags): Promise<Ran> {
  const event = requestOf(flags, flags.go === true ? 'redrive' : 'plan');
  const target = await session.target();
  await assertLedgerTable(redriveConfig(target).ledgerTable);
  if (flags.go === true) {
    const forced =
      flags.force === true ? ' --force also takes what a cap or a conflict holds back.' : '';
    await session.confirm(
      `Dead letters of stage ${target.stage} go back to the queue and are sent.${forced}`,
    );
  }
  session.out.note('The redrive function is at work; this can take minutes.');
  const report = await target.invokeRedrive(event);
  return {
    exit: exitOf(report),
    data: { report },
    show: (out) => showReport(out, report, target),
  };
}

/** What lies in the dead-letter queue, by what would become of it. */
export async function deadLetters(session: Session, flags: RedriveFlags): Promise<Ran> {
  const event = requestOf({ ...flags, max: WHOLE_LISTING }, 'plan');
  const target = await session.target();
  const { redrive: settings, ledgerTable } = redriveConfig(target);
  await assertLedgerTable(ledgerTable);
  const { deadLetterLeaseSeconds } = settings;
  session.out.note(
    `To read a dead letter is to lease it: each one that is listed stays hidden for ${deadLetterLeaseSeconds} s.`,
  );
  const report = await target.invokeRedrive(event);
  const { decisions, examined, filteredOut, left, end, endCode, pausedReason } = report;
  return {
    exit: exitOf(report),
    data: {
      ...{ examined, filteredOut, left, end, endCode, pausedReason },
      leasedSeconds: deadLetterLeaseSeconds,
      groups: decisions,
    },
    show(out) {
      out.heading(
        examined - filteredOut === 0
          ? 'No dead letters.'
          : `${examined - filteredOut} dead letters`,
      );
      showGroups(out, report);
      showEnd(out, report);
      if (decisions.some(({ action }) => action === 'redrive')) {
        out.line('Next: redrive (the plan again), then: redrive --go');
      }
      if (decisions.some(({ reason }) => /DECISION_NEEDED|WINDOW_OVER/.test(reason))) {
        out.line('Next for unknown outcomes: unknowns, then: resolve');
      }
    },
  };
}

/** @throws OpsError USAGE naming every flag that is wrong */
function requestOf(flags: RedriveFlags, mode: 'plan' | 'redrive'): object {
  const filter = defined({
    sendKey: flags.key,
    reminderId: flags.reminder,
    userId: flags.user,
    channel: flags.channel,
    state: flags.state,
    reason: flags.reason,
    olderThan: flags.olderThan,
  });
  const event = {
    mode,
    ...defined({
      max: flags.max,
      ratePerSecond: flags.rate,
      canary: flags.canary,
      force: flags.force,
    }),
    ...(Object.keys(filter).length > 0 && { filter }),
  };
  const read = readRedriveEvent(event);
  if (read.kind !== 'invalid') return event;
  throw new OpsError(EXIT.usage, 'USAGE', read.problems.join('; '));
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function exitOf({ end, results }: RedriveReport): ExitCode {
  switch (end) {
    case 'another-run':
    case 'consumer-paused':
      return EXIT.conflict;
    case 'queue-failed':
    case 'ledger-failed':
      return EXIT.backend;
    case 'canary-failed':
      return EXIT.attention;
    default:
      return (results?.failed ?? 0) > 0 ? EXIT.attention : EXIT.ok;
  }
}

function showReport(out: Output, report: RedriveReport, { stage }: Target): void {
  out.heading(`${report.mode === 'plan' ? 'Plan' : 'Redrive'} of ${stage}: ${report.summary}`);
  showGroups(out, report);
  for (const { channel, redriven, good, bad, verdict, reason } of report.canaries) {
    const why = reason === null ? '' : ` (${reason})`;
    out.line(
      `  canary of ${channel}: ${verdict}${why}: ${redriven} sent back, ${good} good, ${bad} bad`,
    );
  }
  showEnd(out, report);
  if (report.mode === 'plan' && report.totals.redrive + report.totals.settle > 0) {
    out.line('Nothing was changed. To do it: the same command with --go');
  }
}

function showGroups(out: Output, { decisions }: RedriveReport): void {
  out.table(
    ['count', 'action', 'reason', 'what it means'],
    decisions.map(({ count, action, reason }) => [
      count,
      action,
      reason,
      redriveReasonWords(reason),
    ]),
  );
  for (const { reason, details, examples } of decisions) {
    const codes = Object.entries(details)
      .sort(([one, often], [other, seldom]) => seldom - often || (one < other ? -1 : 1))
      .map(([code, count]) => `${code} × ${count}`);
    if (codes.length > 0) out.line(`  ${reason}: ${codes.join(', ')}`);
    for (const key of examples) out.line(`    ${key}`);
  }
}

function showEnd(out: Output, { end, endCode, left, pausedReason }: RedriveReport): void {
  const code = endCode === null ? '' : ` (${endCode})`;
  if (end !== 'dead-letters-read') out.line(`It stopped early: ${END_WORDS[end]}${code}`);
  if (pausedReason !== null) out.line(`The consumer is paused: ${pausedReason}`);
  if (left !== null && left > 0) out.line(`${left} dead letters are in the queue now.`);
}

const END_WORDS: Readonly<Record<RedriveReport['end'], string>> = {
  'dead-letters-read': 'all were read',
  max: 'as many went back as this run may send',
  'run-budget': 'its time was over; the next run goes on',
  'canary-failed': 'the first ones failed again; the provider is not well',
  'queue-failed': 'the queue refuses again and again',
  'ledger-failed': 'the ledger does not answer',
  'another-run': 'another redrive is at work; try again when its lease is over',
  'consumer-paused': 'the consumer is paused; resume it first',
};
