import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ResolveRequest, resolveUnknown } from '#app/resolve-unknown.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { DUE_AT, HOUR_MS } from '#test/support/core-data.ts';
import { openUnknownStand, type UnknownStand } from '#test/support/unknown-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const channels = (url: string) => ({
  blind: { provider: 'http', url: `${url}/send/blind`, class: 'blind', secretRef: 'env:KEY' },
});

/** One reminder that rests among the dead letters, its outcome unknown. */
async function parked(accepted: boolean) {
  const stand = await openUnknownStand(engine, { channels });
  const payload = stand.payload('blind');
  stand.publish(payload);
  stand.provider.faults.script('blind', { kind: 'reset', accepted });
  await stand.consumeUntil(DUE_AT + HOUR_MS);
  expect(stand.deadLetters()).toHaveLength(1);
  const { sendKey } = await stand.rowOf(payload);
  const decide = (decision: ResolveRequest['decision']) =>
    resolveUnknown({ sendKey, decision, note: 'seen in their log' }, depsOf(stand));
  return { stand, payload, sendKey, decide };
}
const depsOf = ({ ledger, deps, settings }: UnknownStand) => ({
  ledger,
  clock: deps.clock,
  random: deps.random,
  settings,
});

describe('a parked outcome', () => {
  test('is found without a scan, with its reason', async () => {
    const { stand, sendKey } = await parked(true);
    const page = await stand.ledger.unresolved({ limit: 10 });
    expect(page).toMatchObject({ kind: 'page', rows: [{ sendKey, reason: 'PARKED_BLIND' }] });
  });

  test('sent: the row ends with the receipt seen, and its dead letter sends nothing', async () => {
    const { stand, payload, decide } = await parked(true);
    const [receipt = ''] = stand.receipts();
    expect(await decide({ kind: 'sent', receipt })).toMatchObject({ kind: 'resolved' });
    stand.redriveAll();
    await stand.consumeUntil(DUE_AT + 2 * HOUR_MS);
    expect(stand.effects()).toBe(1);
    const row = await stand.rowOf(payload);
    expect(row).toMatchObject({ state: 'SENT', receipt, reason: 'RESOLVED_SENT' });
    expect(row.history.map(({ reason }) => reason)).toContain('SENT:seen-in-their-log');
    expect([...stand.live(), ...stand.deadLetters()]).toEqual([]);
    expect(await stand.ledger.unresolved({ limit: 10 })).toMatchObject({ rows: [] });
  });

  test('not sent: its dead letter is sent, once', async () => {
    const { stand, payload, decide } = await parked(false);
    expect(stand.effects()).toBe(0);
    expect(await decide({ kind: 'not-sent' })).toMatchObject({
      kind: 'resolved',
      row: { state: 'DEFERRED', redriveCount: 1 },
    });
    stand.redriveAll();
    await stand.consumeUntil(DUE_AT + 2 * HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'SENT',
      receipt: stand.receipts()[0],
      attempt: 1,
    });
    expect([...stand.live(), ...stand.deadLetters()]).toEqual([]);
  });

  test('is decided once: the second decision finds nothing to decide', async () => {
    const { decide } = await parked(true);
    await decide({ kind: 'sent', receipt: 'r_1' });
    expect(await decide({ kind: 'not-sent' })).toMatchObject({
      kind: 'refused',
      code: 'NOT_UNRESOLVED',
      row: { state: 'SENT' },
    });
  });

  test('two decisions at once: one wins, the other changes nothing', async () => {
    const { stand, payload, decide } = await parked(true);
    const answers = await Promise.all([
      decide({ kind: 'sent', receipt: 'r_1' }),
      decide({ kind: 'sent', receipt: 'r_2' }),
    ]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['moved', 'resolved']);
    const winner = answers.find(({ kind }) => kind === 'resolved');
    expect(await stand.rowOf(payload)).toEqual(winner?.kind === 'resolved' ? winner.row : null);
  });

  test('an unknown key is absent', async () => {
    const { stand } = await parked(true);
    const other = stand.deliveryOf(stand.payload('blind', { reminder_id: 'other' }));
    const request: ResolveRequest = {
      sendKey: other.identity.sendKey,
      decision: { kind: 'not-sent' },
      note: 'x',
    };
    expect(await resolveUnknown(request, depsOf(stand))).toEqual({ kind: 'absent' });
  });
});

test('a worker that wakes up after the decision changes nothing', async () => {
  const stand = await openUnknownStand(engine, { channels });
  const payload = stand.payload('blind');
  stand.publish(payload);
  await stand.consume({ endsBeforeRecord: true });
  const claimed = await stand.rowOf(payload);
  stand.clock.advance(10 * 60_000);
  const { sendKey } = claimed;
  const decision = { kind: 'sent', receipt: 'seen_1' } as const;
  await resolveUnknown({ sendKey, decision, note: 'seen' }, depsOf(stand));
  const late = await stand.ledger.replace({ ...claimed, state: 'SENT', receipt: 'late' }, claimed);
  expect(late).toMatchObject({ kind: 'lost', row: { receipt: 'seen_1' } });
});
