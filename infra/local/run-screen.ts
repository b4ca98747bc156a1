import { Presets, SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import type { LocalRunView } from './local-run.ts';
import { type QueueCounts, waiting } from './queue-view.ts';
import type { RunFigures } from './run-figures.ts';

const PLAIN_LINE_EVERY_MS = 1000;

/** A bar on a terminal, a plain line a second elsewhere. */
export function createRunScreen(out: NodeJS.WriteStream): LocalRunView & { end(): void } {
  const bar = out.isTTY
    ? new SingleBar(
        { format: '  {bar} {value}/{total} {note}', stream: out, hideCursor: true },
        Presets.shades_classic,
      )
    : null;
  let barRuns = false;
  let lastLineAt = 0;
  const write = (text: string) => out.write(`${text}\n`);
  const stopBar = () => {
    if (barRuns) bar?.stop();
    barRuns = false;
  };
  return {
    phase(text) {
      stopBar();
      write(text);
      lastLineAt = 0;
    },
    progress(done, total, counts) {
      const note = counts === undefined ? '' : describe(counts);
      if (bar !== null) {
        if (!barRuns) bar.start(total, done, { note });
        barRuns = true;
        bar.update(done, { note });
        return;
      }
      const now = performance.now();
      const finished = done === total && (counts === undefined || waiting(counts) === 0);
      if (now - lastLineAt < PLAIN_LINE_EVERY_MS && !finished) return;
      lastLineAt = now;
      write(`  ${done}/${total} ${note}`.trimEnd());
    },
    problem(text) {
      stopBar();
      write(`  ! ${text}`);
    },
    end: stopBar,
  };
}

function describe(counts: QueueCounts): string {
  const { inFlight, delayed, dead } = counts;
  return `keys with an effect; queue: ${waiting(counts)} (${inFlight} in flight, ${delayed} delayed), ${dead} dead`;
}

/** The closing table, for a tired reader: what went in, what came out, what is wrong. */
export function renderFigures(figures: RunFigures): string {
  const table = new Table({
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'left'],
  });
  const states = Object.entries(figures.ledgerStates).filter(([, count]) => count > 0);
  const rows: readonly (readonly [string, number, string])[] = [
    [
      'reminders in the input',
      figures.validReminders,
      `${figures.lines} lines, ${figures.invalidLines.length} invalid`,
    ],
    ['messages published', figures.published, ''],
    ['deliveries', figures.deliveries, 'hand-overs by the queue, redeliveries included'],
    ['unique send keys', figures.uniqueKeys, 'different reminder occurrences'],
    ['provider effects', figures.providerEffects, 'messages that a user would see'],
    ['keys with two effects', figures.keysWithTwoEffects, 'must be 0'],
    ['reminders lost', figures.lost, 'must be 0'],
    ['duplicates absorbed', figures.duplicatesAbsorbed, 'found a finished row, acked, not sent'],
    ['postponed', figures.postponed, 'published again with a delay, then acked'],
    ['dead-lettered', figures.deadLettered, 'kept in reminders.dlq'],
    ['still queued', figures.stillQueued, ''],
    ['consumers crashed', figures.crashedConsumers, ''],
    ...states.map(([state, count]) => [`ledger: ${state}`, count, ''] as const),
  ];
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

/** What the stats function finds, one line each; its lines in a deployed stage say the same. */
export function renderFindings({ findings }: RunFigures): string {
  if (findings.length === 0) return 'Findings of the stats function: none.';
  const lines = findings.map(({ severity, code, reason, subject, seen }) => {
    const about = subject === null ? '' : ` ${subject}`;
    const figure = seen === null ? '' : ` (${seen})`;
    return `  ${severity} ${code}${about}: ${reason}${figure}`;
  });
  return ['Findings of the stats function:', ...lines].join('\n');
}

/** One sentence for the exit code. */
export function renderVerdict(figures: RunFigures): string {
  switch (figures.verdict) {
    case 'ok':
      return `OK: ${figures.uniqueKeys} send keys, ${figures.providerEffects} effects, none twice, none lost.`;
    case 'two-effects':
      return `VIOLATION: ${figures.keysWithTwoEffects} send keys have two effects.`;
    case 'lost':
      return `VIOLATION: ${figures.lost} reminders have neither a finished row nor a message.`;
    case 'unfinished':
      return `UNFINISHED: ${figures.stillQueued} messages are still queued; raise --max-seconds.`;
  }
}
