import { checkStats, type StatsCheck } from '#app/check-stats.ts';
import type { Breaker } from '#core/breaker.ts';
import type { Finding } from '#core/finding.ts';
import {
  parseRedriveControl,
  REDRIVE_DOCUMENT,
  type RedriveControl,
} from '#core/redrive-control.ts';
import { openCheckDesk } from '#functions/ops/desk.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import type { Output } from '#functions/ops/output.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import type { Target } from '#functions/ops/target/target.ts';
import { FINDING_WORDS } from '#functions/ops/words/finding-words.ts';
import { spanWords, whenWords } from '#functions/ops/words/time-words.ts';

/** One screen for 3 a.m. It reads what the stats function reads, and remembers nothing. */
export async function status(session: Session): Promise<Ran> {
  const target = await session.target();
  const { config, deps } = await openCheckDesk(target);
  const [check, redrive] = await Promise.all([
    checkStats(deps, config.stats, { remember: false }),
    deps.controls.read(REDRIVE_DOCUMENT),
  ]);
  const control = redrive.kind === 'document' ? (parseRedriveControl(redrive.value) ?? null) : null;
  const pages = check.findings.filter(({ severity }) => severity === 'page').length;
  return {
    exit: pages > 0 ? EXIT.attention : EXIT.ok,
    data: documentOf(check, control),
    show: (out) => show(out, check, control, target),
  };
}

function documentOf({ signals, findings }: StatsCheck, control: RedriveControl | null) {
  const { at, queue, deadLetters, balanceUsd, unresolved, breaker, marker } = signals;
  return {
    at,
    consuming: consuming(breaker),
    queue,
    deadLetters,
    balanceUsd,
    unresolved,
    breaker: breaker && {
      mode: breaker.mode,
      reason: breaker.reason,
      by: breaker.by,
      since: breaker.since,
      channels: breaker.channels,
      unrecordedReceipts: breaker.unrecorded.length,
    },
    lastConsumerRun: marker && { at: marker.lastRunAt, end: marker.lastEnd, totals: marker.totals },
    lastRedrive: control?.lastRun ?? null,
    ledgerFailure: signals.ledgerFailure,
    failedSources: signals.failed,
    invalidFigures: signals.invalid,
    findings: findings.map((found) => ({ ...found, ...FINDING_WORDS[found.code] })),
  };
}

function consuming(breaker: Breaker | null): 'yes' | 'limited' | 'paused' | 'unknown' {
  if (breaker === null) return 'unknown';
  return breaker.mode.kind === 'running' ? 'yes' : breaker.mode.kind;
}

function show(
  out: Output,
  { signals, findings }: StatsCheck,
  control: RedriveControl | null,
  { kind, stage }: Target,
): void {
  const flag = kind === 'local' ? '--local' : `--stage ${stage}`;
  const { at, queue, deadLetters, balanceUsd, unresolved, breaker, marker } = signals;
  const figure = (value: number | null | undefined) => (value == null ? '?' : String(value));
  const { level, text } = headline(findings);
  const paint = { ok: out.paint.green, warn: out.paint.yellow, page: out.paint.red };
  out.heading(`${stage}: ${paint[level](text)}`);
  const counts =
    queue.kind === 'figures'
      ? `${figure(queue.available)} available, ${figure(queue.inFlight)} in flight, ${figure(queue.delayed)} delayed; oldest ${queue.oldestAgeSeconds === null ? '?' : spanWords(queue.oldestAgeSeconds)}`
      : queue.kind === 'missing'
        ? 'the queue does not exist'
        : 'gave no figures';
  out.facts([
    ['consuming', breakerWords(breaker, at)],
    [
      'last consumer run',
      marker === null ? 'none has ended' : `${whenWords(marker.lastRunAt, at)}, ${marker.lastEnd}`,
    ],
    ['queue', counts],
    ['dead letters', figure(deadLetters)],
    [
      'unknown outcomes',
      unresolved === null
        ? '?'
        : `${unresolved.rows}${unresolved.complete ? '' : ' or more'}, of these ${unresolved.parked} rest for a decision`,
    ],
    ['last redrive', lastRedriveWords(control, at)],
    ['balance', balanceUsd === null ? '?' : `$${balanceUsd.toFixed(2)}`],
  ]);
  for (const [channel, stop] of Object.entries(breaker?.channels ?? {})) {
    out.line(`  channel ${channel} is stopped: ${stop.reason}, ${whenWords(stop.since, at)}`);
  }
  if (findings.length === 0) return;
  out.line();
  const order = { page: 0, warn: 1, info: 2 } as const;
  const sorted = [...findings].sort((a, b) => order[a.severity] - order[b.severity]);
  for (const { code, severity, reason, subject, since, runbook } of sorted) {
    const { what, next, command } = FINDING_WORDS[code];
    const run = command === null ? null : `npm run ops -- ${command} ${flag}`;
    const label = { page: out.paint.red, warn: out.paint.yellow, info: out.paint.dim }[severity];
    const about = subject === null ? '' : ` (${subject})`;
    out.line(`${label(severity.toUpperCase().padEnd(4))} ${code}${about}: ${what}`);
    out.line(`     reason ${reason}, since ${whenWords(since, at)}`);
    out.line(`     next: ${[run, next].filter((part) => part !== null).join('; ')}`);
    out.line(`     runbook: infra/RUNBOOK.md#${runbook}`);
  }
}

function headline(findings: readonly Finding[]): {
  readonly level: 'ok' | 'warn' | 'page';
  readonly text: string;
} {
  const count = (severity: Finding['severity']) =>
    findings.filter((found) => found.severity === severity).length;
  const pages = count('page');
  if (pages > 0) return { level: 'page', text: `${pages} things need you now` };
  const warnings = count('warn');
  if (warnings > 0) return { level: 'warn', text: `running; ${warnings} things are worth a look` };
  return { level: 'ok', text: 'all well' };
}

function breakerWords(breaker: Breaker | null, at: number): string {
  if (breaker === null) return 'unknown: the breaker cannot be read, so nothing is consumed';
  const { mode, reason, by, since } = breaker;
  const why = `${reason} by ${by}, ${whenWords(since, at)}`;
  switch (mode.kind) {
    case 'running':
      return 'yes';
    case 'limited':
      return `limited to ${mode.concurrency} sends at once per channel (${why})`;
    case 'paused':
      return mode.resumeAt === null
        ? `no, paused until somebody resumes it (${why})`
        : `no, paused until ${whenWords(mode.resumeAt, at)} (${why})`;
  }
}

function lastRedriveWords(control: RedriveControl | null, at: number): string {
  if (control?.lastRun == null) return 'none yet';
  const { endedAt, end, redriven, settled, kept, failed } = control.lastRun;
  return `${whenWords(endedAt, at)}, ${end}: ${redriven} redriven, ${settled} settled, ${kept} kept, ${failed} failed`;
}
