import { isTerminal, type LedgerRecord } from '#core/ledger-record.ts';
import type { Findings } from '#test/proof/part.ts';
import { keyOf, type Published, type RealLoad } from './real-load.ts';
import { rowsOf } from './real-rows.ts';
import { REAL_CHANNELS, REAL_QUEUE, type RealStage } from './real-stage.ts';

/** Holds every reminder of a run to the promise: one effect, none lost, what is parked says why. */
export async function judgeRealRun(
  stage: RealStage,
  load: RealLoad,
  findings: Findings,
): Promise<void> {
  const waiting = keysIn(stage, '');
  const dead = keysIn(stage, '.dlq');
  findings.count('reminders', load.published.length);
  findings.count('messages published', load.copies);
  findings.count('effects', stage.provider.effects.total);
  const published = new Set<string>(load.published.map(({ sendKey }) => sendKey));
  for (const key of Object.keys(stage.provider.effects.counts())) {
    if (!published.has(key))
      violation(findings, key, 'an effect under a key that nobody published');
  }
  const rows = await rowsOf(stage, findings);
  for (const reminder of load.published) {
    const row = rows.get(reminder.sendKey);
    const effects = stage.provider.effects.of(reminder.sendKey);
    const inQueue = waiting.has(reminder.sendKey) || dead.has(reminder.sendKey);
    findings.count(`${reminder.channel}: ${endOf(row)}, effects ${effects}`);
    for (const what of broken(stage, reminder, row, effects, inQueue)) {
      violation(findings, `${reminder.channel} ${reminder.sendKey}`, what, row);
    }
  }
  if (waiting.size > 0) {
    violation(findings, REAL_QUEUE, `${waiting.size} reminders still queued at the end`);
  }
}

function broken(
  stage: RealStage,
  { channel, sendKey }: Published,
  row: LedgerRecord | undefined,
  effects: number,
  inQueue: boolean,
): readonly string[] {
  const found: string[] = [];
  if (effects > 1) found.push(`${effects} effects`);
  if (row === undefined) {
    if (!inQueue) found.push('lost: no row, no message');
    if (effects > 0) found.push('an effect without a row');
    return found;
  }
  if (!isTerminal(row.state) && !inQueue) found.push(`lost: ${row.state} and no message`);
  if (row.state === 'SENT' && effects === 0) found.push('SENT without an effect');
  if (row.state === 'SENT' && !hasReceipt(stage, sendKey, row.receipt)) {
    found.push('SENT with a receipt that the provider never gave');
  }
  if (['REJECTED', 'EXPIRED', 'EXHAUSTED', 'DEFERRED'].includes(row.state) && effects > 0) {
    found.push(`${row.state} although the provider accepted it`);
  }
  const parked = row.state === 'UNKNOWN' && row.reason.startsWith('PARKED_');
  if (!isTerminal(row.state) && !parked && row.state !== 'EXHAUSTED') {
    found.push(`at rest as ${row.state} (${row.reason})`);
  }
  if (parked && !isBlind(channel) && !SETTLED_BY_A_PERSON.has(row.reason)) {
    found.push(`parked by ${row.reason} although its provider could have settled it`);
  }
  return found;
}

/** What even a provider that helps cannot settle by itself. */
const SETTLED_BY_A_PERSON = new Set(['PARKED_REJECTED_AFTER_UNKNOWN', 'PARKED_ATTEMPTS_USED']);

function isBlind(channel: string): boolean {
  const known: Readonly<Record<string, { readonly providerClass: string }>> = REAL_CHANNELS;
  return known[channel]?.providerClass === 'blind';
}

function hasReceipt(stage: RealStage, sendKey: string, receipt: string | null): boolean {
  return stage.provider.effects.records(sendKey).some((record) => record.receipt === receipt);
}

function endOf(row: LedgerRecord | undefined): string {
  if (row === undefined) return 'no row';
  return row.state === 'UNKNOWN' ? `parked by ${row.reason}` : row.state;
}

function keysIn(stage: RealStage, suffix: '' | '.dlq'): ReadonlySet<string> {
  const { model, clock } = stage.queue;
  const messages = model.messages(`${REAL_QUEUE}${suffix}`, clock.now());
  return new Set(messages.map(({ payload }) => keyOf(payload)));
}

function violation(findings: Findings, where: string, what: string, row?: LedgerRecord): void {
  const story = row?.history.map(({ state, at, attempt, reason }) =>
    [new Date(at).toISOString(), state, `attempt ${attempt}`, reason].join(' '),
  );
  findings.violation({ where, what, story: story ?? [] });
}
