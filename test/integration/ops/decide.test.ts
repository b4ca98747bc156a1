import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LedgerRecord } from '#core/ledger-record.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { type OpsStand, openOpsStand, STAGE_NOW, until } from '#test/support/ops-stand.ts';

let stand: OpsStand;
beforeAll(async () => {
  stand = await openOpsStand();
});
afterAll(() => stand.close());

const DAY_MS = 86_400_000;
const AT = '2026-07-26T08:00:00Z';
const payload = (user: string, more: object = {}) => ({
  ...{ user_id: user, reminder_id: 'trial-ends', scheduled_at: AT, channel: 'push' },
  ...more,
});
const effectsOf = (row: LedgerRecord) => stand.running.stage.provider.effects.of(row.sendKey);

/** A send that may have been accepted, too long ago to ask. */
function plantUnknown(user: string): Promise<LedgerRecord> {
  const sentAt = STAGE_NOW - 3 * DAY_MS;
  return stand.plantRow(payload(user), {
    state: 'UNKNOWN',
    reason: 'PARKED_WINDOW_OVER',
    firstSendAt: sentAt,
    history: [{ state: 'UNKNOWN', at: sentAt, attempt: 0, reason: 'PARKED_WINDOW_OVER' }],
  });
}

describe('sends that nobody knows about, one night long', () => {
  let seen: LedgerRecord;
  let unseen: LedgerRecord;
  beforeAll(async () => {
    [seen, unseen] = await Promise.all([plantUnknown('planted-1'), plantUnknown('planted-2')]);
    stand.plantDeadLetters(
      payload('planted-1'),
      payload('planted-2'),
      payload(''),
      payload('planted-3', { channel: 'fax' }),
    );
  });

  test('unknowns, explain and dead-letters show them, without an id of a user', async () => {
    const listed = await stand.ops('unknowns', '--local');
    expect(listed.stdout).toContain(seen.sendKey);
    expect(listed.stdout).toContain("the provider's memory of its key is over");
    expect(listed.stdout).toContain('resolve sent|not-sent');
    const told = await stand.json('explain', '--local', '--key', seen.sendKey);
    expect(told).toMatchObject({ next: { does: 'leave' }, window: { kind: 'over' } });

    const letters = await stand.ops('dead-letters', '--local');
    expect(letters.stdout).toMatch(/4 dead letters/);
    expect(letters.stdout).toMatch(/2\s+keep\s+PROVIDER_WINDOW_OVER/);
    expect(letters.stdout).toMatch(/2\s+keep\s+INVALID_PAYLOAD/);
    expect(letters.stdout).toContain('CHANNEL_NOT_CONFIGURED × 1, USER_ID_BLANK × 1');
    expect(letters.stderr).toContain('stays hidden for 5 s');
    expect(letters.code).toBe(EXIT.ok);
    expect(listed.stdout + letters.stdout + letters.stderr).not.toContain('planted');
  });

  test('resolve asks first, and keeps the words but no address', async () => {
    const decision = ['resolve', 'sent', '--local', '--key', seen.sendKey];
    const proof = ['--receipt', 'rcpt_seen_1', '--reason', 'in their log of the 26th, a@b.test'];
    const unasked = await stand.ops(...decision, ...proof);
    expect(unasked.code).toBe(EXIT.refused);
    expect((await stand.readRow(seen.sendKey))?.state).toBe('UNKNOWN');
    const decided = await stand.ops(...decision, ...proof, '--yes');
    expect(decided).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(decided.stdout).toContain('an operator decided “sent”: in their log of the 26th');
    const row = await stand.readRow(seen.sendKey);
    expect(row).toMatchObject({ state: 'SENT', receipt: 'rcpt_seen_1' });
    expect(JSON.stringify(row)).not.toContain('b.test');
  });

  test('not sent, named by the reminder’s own fields', async () => {
    const byName = ['--user', 'planted-2', '--reminder', 'trial-ends', '--at', AT];
    const decided = await stand.json(
      ...['resolve', 'not-sent', '--local', ...byName, '--reason', 'they have nothing', '--yes'],
    );
    expect(decided).toMatchObject({ sendKey: unseen.sendKey, state: 'DEFERRED' });
    expect(JSON.stringify(decided)).not.toContain('planted');
  });

  test('redrive plans, refuses without a yes, then settles the one and sends the other', async () => {
    const plan = await stand.ops('redrive', '--local', '--channel', 'push');
    expect(plan.stdout).toContain('1 would be sent, 1 already sent (settled)');
    expect(plan.stdout).toContain('Nothing was changed');
    expect((await stand.ops('redrive', '--local', '--go')).code).toBe(EXIT.refused);
    expect(effectsOf(unseen)).toBe(0);
    const done = await stand.json('redrive', '--local', '--go', '--channel', 'push', '--yes');
    expect(done).toMatchObject({
      exitCode: EXIT.ok,
      report: { results: { redriven: 1, settled: 1, failed: 0 }, left: 2 },
    });
    const sent = await until(
      () => stand.readRow(unseen.sendKey),
      (row) => row?.state === 'SENT',
    );
    expect(sent?.redriveCount).toBe(1);
    expect([effectsOf(seen), effectsOf(unseen)]).toEqual([0, 1]);
  }, 60_000);

  test('nothing can be decided twice, nor against what is known', async () => {
    const args = ['--local', '--key', seen.sendKey, '--reason', 'a try', '--yes'];
    const known = await stand.ops('resolve', 'not-sent', ...args);
    expect(known).toMatchObject({
      code: EXIT.conflict,
      stderr: expect.stringMatching(/^error: there is nothing to decide: .*nothing was changed\n$/),
    });
    expect((await stand.readRow(seen.sendKey))?.receipt).toBe('rcpt_seen_1');
    const nobody = ['--local', '--key', `k1_${'0'.repeat(64)}`, '--reason', 'a try', '--yes'];
    const absent = await stand.inProcess('resolve', 'assumed-sent', ...nobody);
    expect(absent).toMatchObject({ code: EXIT.conflict });
    expect(absent.stderr).toContain('has no row');
  });
});
