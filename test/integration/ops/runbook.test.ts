import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { type OpsStand, openOpsStand, STAGE_NOW } from '#test/support/ops-stand.ts';
import { readRunbook, shellWords } from '#test/support/runbook.ts';

/** Every command of infra/RUNBOOK.md, in order, on one local stage. */
let stand: OpsStand;
let planted = 0;

beforeAll(async () => {
  stand = await openOpsStand();
});
afterAll(() => stand.close());
/** Each block stands for a night of its own. */
beforeEach(async () => {
  await stand.inProcess('resume', '--local', '--concurrency', '1', '--yes');
  for (const channel of ['push', 'sms']) {
    await stand.inProcess('resume', '--local', '--channel', channel, '--yes');
  }
});

/** A row that may have been sent, as the sections about `$KEY` presuppose. */
async function unknownKey(): Promise<string> {
  planted += 1;
  const payload = { user_id: `p${planted}`, reminder_id: 'digest', scheduled_at: AT };
  const { sendKey } = await stand.plantRow(payload, {
    state: 'UNKNOWN',
    reason: 'PARKED_WINDOW_OVER',
    firstSendAt: STAGE_NOW - 3 * 86_400_000,
  });
  return sendKey;
}

const AT = '2026-07-26T08:00:00Z';
/** Seldom does it go as far as sending; then it must not wait for a person. */
const ASKS = /^(publish|redrive|resolve|resume)$/;
const FINE: readonly number[] = [EXIT.ok, EXIT.attention];

describe('the runbook on the local stage', () => {
  const blocks = readRunbook().blocks.filter(({ kind }) => kind === 'runbook');

  test.each(blocks)('block of line $line', async ({ commands }) => {
    const file = stand.file(
      'reminders.ndjson',
      JSON.stringify({ user_id: 'f1', reminder_id: 'digest', scheduled_at: AT }),
    );
    const variables = {
      KEY: await unknownKey(),
      RECEIPT: 'rcpt_seen',
      USER_ID: 'u_4471',
      REMINDER: 'trial-ends',
      AT,
      FILE: file,
    };
    for (const command of commands) {
      const [npm, run, ops, dashes, name, ...rest] = shellWords(command, variables);
      expect([npm, run, ops, dashes]).toEqual(['npm', 'run', 'ops', '--']);
      const stage = rest.indexOf('--stage');
      expect(rest[stage + 1], command).toBe('prod');
      const args = [...rest.slice(0, stage), '--local', ...rest.slice(stage + 2)];
      const journal = name === 'publish' ? ['--journal', stand.folder] : [];
      const yes = ASKS.test(name ?? '') ? ['--yes'] : [];
      const { code, stderr } = await stand.inProcess(name ?? '', ...args, ...yes, ...journal);
      expect(FINE, `${command}\n${stderr}`).toContain(code);
    }
  });
});
