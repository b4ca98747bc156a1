import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DrainResult } from '#app/drain-queue.ts';
import { CONSUMER_METRICS } from '#config/metrics.ts';
import { reportRun } from '#functions/consumer/run-report.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { DUE_AT, HOUR_MS } from '#test/support/core-data.ts';
import { openUnknownStand } from '#test/support/unknown-stand.ts';
import { VENDOR_STANDS } from '#test/support/vendor-stands.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const vendor = (provider: string) => {
  const stand = VENDOR_STANDS.find((each) => each.provider === provider);
  if (stand === undefined) throw new Error(`no stand for ${provider}`);
  return stand;
};
const mailAndPush = (url: string) => ({
  mail: { provider: 'resend', ...vendor('resend').channel(url) },
  push: { provider: 'onesignal', ...vendor('onesignal').channel(url) },
});

function countedBy(result: DrainResult): Readonly<Record<string, number>> {
  const counted: Record<string, number> = {};
  const count = (metric: string, value = 1) => {
    counted[metric] = (counted[metric] ?? 0) + value;
  };
  reportRun({ count, log: () => {}, gauge: () => {}, sample: () => {} }, result);
  return counted;
}

describe('a channel with broken credentials', () => {
  test('stops for the run and raises one signal; its reminders wait without using up attempts', async () => {
    const stand = await openUnknownStand(engine, { channels: mailAndPush });
    const mails = Array.from({ length: 12 }, (_, index) =>
      stand.payload('mail', { reminder_id: `mail-${index}` }),
    );
    const push = stand.payload('push', { reminder_id: 'push-1' });
    for (const payload of [...mails, push]) stand.publish(payload);
    stand.provider.faults.script('resend', { kind: 'auth-failure' }, 1_000);

    const result = await stand.consume();
    expect(result.tally.stoppedChannels).toEqual(['mail']);
    expect(countedBy(result)[CONSUMER_METRICS.channelsStopped]).toBe(1);
    // Only sends that were under way together may meet the refusal.
    expect(stand.provider.calls.count('resend')).toBeLessThanOrEqual(4);
    expect(await stand.rowOf(push)).toMatchObject({ state: 'SENT' });

    for (let run = 0; run < 8; run += 1) {
      await stand.consumeUntil(stand.clock.now() + stand.settings.channelStoppedSeconds * 1000);
    }
    stand.provider.faults.clear();
    await stand.consumeUntil(stand.clock.now() + HOUR_MS);
    for (const payload of mails) {
      expect(await stand.rowOf(payload)).toMatchObject({ state: 'SENT', attempt: 0 });
    }
    expect(stand.effects()).toBe(mails.length + 1);
    expect(stand.deadLetters()).toEqual([]);
  });

  test('an earlier send that may have been accepted stays unknown meanwhile, and settles after', async () => {
    const stand = await openUnknownStand(engine, { channels: mailAndPush });
    const payload = stand.payload('mail');
    stand.publish(payload);
    stand.provider.faults.script('resend', { kind: 'reset', accepted: true });
    stand.provider.faults.script('resend', { kind: 'auth-failure' });
    await stand.consume();
    const { firstSendAt } = await stand.rowOf(payload);
    await stand.consumeUntil(DUE_AT + 60_000);
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'UNKNOWN',
      reason: 'HTTP_401',
      firstSendAt,
    });
    await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'SENT',
      receipt: stand.receipts()[0],
    });
    expect(stand.effects()).toBe(1);
  });
});

describe('the directory', () => {
  test('is down: nothing was sent, the reminder waits and goes out once', async () => {
    const stand = await openUnknownStand(engine, { channels: mailAndPush });
    const payload = stand.payload('mail');
    stand.publish(payload);
    stand.provider.faults.script('directory', { kind: 'server-error', accepted: false });
    await stand.consume();
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'DEFERRED',
      reason: 'DIRECTORY_HTTP_500',
      attempt: 1,
      firstSendAt: null,
    });
    expect(stand.provider.calls.count('resend')).toBe(0);
    await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(await stand.rowOf(payload)).toMatchObject({ state: 'SENT' });
    expect(stand.effects()).toBe(1);
  });

  test('knows no address: rejected with a code, acked, never sent', async () => {
    const stand = await openUnknownStand(engine, { channels: mailAndPush });
    const payload = stand.payload('mail');
    stand.provider.directory.set('u_4471', null);
    stand.publish(payload);
    await stand.consume();
    expect(await stand.rowOf(payload)).toMatchObject({ state: 'REJECTED', reason: 'NO_ADDRESS' });
    expect([...stand.live(), ...stand.deadLetters()]).toEqual([]);
    expect(stand.effects()).toBe(0);
  });

  test('gives another address than at the first attempt: the repeat is no second mail', async () => {
    const stand = await openUnknownStand(engine, { channels: mailAndPush });
    const payload = stand.payload('mail');
    stand.publish(payload);
    stand.provider.faults.script('resend', { kind: 'reset', accepted: true });
    await stand.consume();
    stand.provider.directory.set('u_4471', 'moved@example.test');
    await stand.consumeUntil(DUE_AT + 12 * HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'UNKNOWN',
      reason: 'PARKED_ATTEMPTS_USED',
    });
  });

  test('field report 76: no address is in the row', async () => {
    const stand = await openUnknownStand(engine, { channels: mailAndPush });
    const payload = stand.payload('mail');
    stand.provider.directory.set('u_4471', 'planted@example.test');
    stand.publish(payload);
    await stand.consume();
    expect(JSON.stringify(await stand.rowOf(payload))).not.toMatch(/planted|u_4471/);
  });
});

describe('a template that asks for what the reminder lacks', () => {
  test('defers: nothing is burnt, and once it is mended the reminder goes out', async () => {
    const stand = await openUnknownStand(engine, { channels: mailAndPush });
    const payload = stand.payload('mail', { data: {} });
    stand.publish(payload);
    await stand.consume();
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'DEFERRED',
      reason: 'CONTENT_VARIABLE_MISSING',
    });
    const content = { subject: 'Your trial', text: 'Ends {{scheduled_at}}.' };
    await stand.redeploy((url) => ({
      ...mailAndPush(url),
      mail: { ...mailAndPush(url).mail, content },
    }));
    await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(await stand.rowOf(payload)).toMatchObject({ state: 'SENT' });
    expect(stand.effects()).toBe(1);
  });
});

test('field report 36: what fails after the send never causes the send again', async () => {
  const stand = await openUnknownStand(engine, { channels: mailAndPush });
  const payload = stand.payload('mail');
  stand.publish(payload);
  stand.queue.faults.script('queue.ack', { kind: 'server-error', status: 500 }, 20);
  await stand.consume();
  stand.queue.faults.clear();
  await stand.consumeUntil(DUE_AT + HOUR_MS);
  expect(stand.provider.calls.count('resend')).toBe(1);
  expect(await stand.rowOf(payload)).toMatchObject({ state: 'SENT', attempt: 0 });
  expect([...stand.live(), ...stand.deadLetters()]).toEqual([]);
});

test('field report 23: a worker that was frozen in a look-up sends nothing under a spent lease', async () => {
  let freezes = 1;
  const stand = await openUnknownStand(engine, {
    channels: mailAndPush,
    onSecretRead(clock) {
      if (freezes > 0) clock.advance(stand.settings.leaseMs - 5_000);
      freezes -= 1;
    },
  });
  const payload = stand.payload('mail');
  stand.publish(payload);
  await stand.consume();
  expect(stand.provider.calls.count('resend')).toBe(0);
  expect(await stand.rowOf(payload)).toMatchObject({
    state: 'DEFERRED',
    reason: 'LEASE_TOO_SHORT',
    firstSendAt: null,
  });
  await stand.consumeUntil(DUE_AT + HOUR_MS);
  expect(await stand.rowOf(payload)).toMatchObject({ state: 'SENT' });
  expect(stand.effects()).toBe(1);
});
