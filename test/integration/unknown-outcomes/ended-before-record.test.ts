import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DrainResult } from '#app/drain-queue.ts';
import { CONSUMER_METRICS } from '#config/metrics.ts';
import { ASSUMED_RECEIPT } from '#core/ledger-record.ts';
import { reportRun } from '#functions/consumer/run-report.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { DAY_MS, DUE_AT, HOUR_MS } from '#test/support/core-data.ts';
import { openUnknownStand, type UnknownStand } from '#test/support/unknown-stand.ts';
import { VENDOR_STANDS, type VendorStand } from '#test/support/vendor-stands.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const channelOf =
  (vendor: VendorStand, more: object = {}) =>
  (url: string) => ({
    reminders: { provider: vendor.provider, ...vendor.channel(url), ...more },
  });
const queryable = (url: string) => ({
  reminders: {
    provider: 'http',
    url: `${url}/send/queryable`,
    class: 'queryable',
    queryUrl: `${url}/messages/queryable?key={key}`,
    queryReceiptPath: 'items.0.id',
    secretRef: 'env:KEY',
  },
});
const blind = (more: object) => (url: string) => ({
  reminders: {
    provider: 'http',
    url: `${url}/send/blind`,
    class: 'blind',
    secretRef: 'env:KEY',
    ...more,
  },
});

/** The worker ends after the provider's acceptance and before its record. */
async function acceptedAndForgotten(stand: UnknownStand): Promise<Record<string, unknown>> {
  const payload = stand.payload('reminders');
  stand.publish(payload);
  await stand.consume({ endsBeforeRecord: true });
  expect(stand.effects()).toBe(1);
  expect((await stand.rowOf(payload)).state).toBe('CLAIMED');
  return payload;
}
const reasons = async (stand: UnknownStand, payload: Record<string, unknown>) =>
  (await stand.rowOf(payload)).history.map(({ reason }) => reason);

function metricsOf(results: readonly DrainResult[]): Readonly<Record<string, number>> {
  const counted: Record<string, number> = {};
  const count = (metric: string, value = 1) => {
    counted[metric] = (counted[metric] ?? 0) + value;
  };
  for (const result of results) {
    reportRun({ count, log: () => {}, gauge: () => {}, sample: () => {} }, result);
  }
  return counted;
}

describe.each(VENDOR_STANDS)('$provider: ended after acceptance, before the record', (vendor) => {
  test('field report 8, 13: redelivered, one effect', async () => {
    const stand = await openUnknownStand(engine, { channels: channelOf(vendor) });
    const payload = await acceptedAndForgotten(stand);
    const [first] = stand.receipts();
    const results = await stand.consumeUntil(DUE_AT + 2 * HOUR_MS);
    expect(stand.effects()).toBe(1);
    const row = await stand.rowOf(payload);
    if (vendor.dedupes) {
      expect(row).toMatchObject({ state: 'SENT', receipt: first, reason: 'ACCEPTED' });
      expect(await reasons(stand, payload)).toEqual(['FIRST_CLAIM', 'RESEND_SAME_KEY', 'ACCEPTED']);
      expect([...stand.live(), ...stand.deadLetters()]).toEqual([]);
    } else {
      expect(row).toMatchObject({ state: 'UNKNOWN', reason: 'PARKED_BLIND', receipt: null });
      expect(await reasons(stand, payload)).toEqual(['FIRST_CLAIM', 'PARKED_BLIND']);
      expect(stand.deadLetters()).toHaveLength(1);
      expect(stand.provider.calls.count(vendor.surface)).toBe(1);
      expect(metricsOf(results)[CONSUMER_METRICS.parked]).toBeGreaterThan(0);
    }
  });
});

describe('a provider that can be asked', () => {
  test('field report 8, 13: is asked, and its first receipt ends the row', async () => {
    const stand = await openUnknownStand(engine, { channels: queryable });
    const payload = await acceptedAndForgotten(stand);
    await stand.consumeUntil(DUE_AT + 2 * HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'SENT',
      receipt: stand.receipts()[0],
      reason: 'FOUND_AT_PROVIDER',
    });
    expect(await reasons(stand, payload)).toEqual([
      'FIRST_CLAIM',
      'ASK_PROVIDER',
      'FOUND_AT_PROVIDER',
    ]);
    expect(stand.provider.calls.count('queryable')).toBe(1);
  });

  test('is not asked before an accepted request must have surfaced', async () => {
    const stand = await openUnknownStand(engine, { channels: queryable });
    const payload = stand.payload('reminders');
    stand.publish(payload);
    stand.provider.faults.script('queryable', { kind: 'slow-commit', commitMs: 4_900 });
    await stand.consume();
    const row = await stand.rowOf(payload);
    expect(row).toMatchObject({ state: 'UNKNOWN', reason: 'TIMEOUT' });
    const commitMs = 5_000;
    expect((row.notBefore ?? 0) - row.claimedAt).toBeGreaterThanOrEqual(
      commitMs + stand.settings.skewMs,
    );
    // A copy that comes early must not ask: "not found" would not be "absent" yet.
    stand.publish(payload);
    stand.clock.advance(1_000);
    await stand.consume();
    expect(stand.provider.calls.count('queryable.query')).toBe(0);
    await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'SENT',
      reason: 'FOUND_AT_PROVIDER',
    });
  });

  test('what it never had is sent', async () => {
    const stand = await openUnknownStand(engine, { channels: queryable });
    const payload = stand.payload('reminders');
    stand.publish(payload);
    stand.provider.faults.script('queryable', { kind: 'reset', accepted: false });
    await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(await reasons(stand, payload)).toEqual([
      'FIRST_CLAIM',
      'RESET',
      'ASK_PROVIDER',
      'ACCEPTED',
    ]);
  });
});

describe.each(VENDOR_STANDS.filter(({ dedupes }) => dedupes))(
  '$provider, redelivered after its window',
  (vendor) => {
    test('field report 29: does not send by itself; the row says why', async () => {
      const useBySeconds = 60 * 86_400;
      const stand = await openUnknownStand(engine, {
        channels: channelOf(vendor),
        settings: { useBySeconds },
      });
      const payload = await acceptedAndForgotten(stand);
      const windowMs = (stand.deliveryOf(payload).profile.windowSeconds ?? 0) * 1000;
      stand.clock.advance(windowMs + 1);
      stand.publish(payload);
      const results = await stand.consumeUntil(stand.clock.now() + DAY_MS);
      expect(stand.provider.calls.count(vendor.surface)).toBe(1);
      expect(stand.effects()).toBe(1);
      expect(await stand.rowOf(payload)).toMatchObject({
        state: 'UNKNOWN',
        reason: 'PARKED_WINDOW_OVER',
      });
      expect(metricsOf(results)[CONSUMER_METRICS.parked]).toBeGreaterThan(0);
    });
  },
);

describe('policies of a blind channel', () => {
  test('assume-sent: no second send, and the row says that nobody proved it', async () => {
    const stand = await openUnknownStand(engine, {
      channels: blind({ blindPolicy: 'assume-sent' }),
    });
    const payload = await acceptedAndForgotten(stand);
    const results = await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'SENT',
      receipt: ASSUMED_RECEIPT,
      reason: 'ASSUMED_SENT_BY_POLICY',
    });
    expect(metricsOf(results)[CONSUMER_METRICS.assumedSent]).toBe(1);
    expect([...stand.live(), ...stand.deadLetters()]).toEqual([]);
  });

  test('resend: sends again, and the row says so', async () => {
    const stand = await openUnknownStand(engine, { channels: blind({ blindPolicy: 'resend' }) });
    const payload = await acceptedAndForgotten(stand);
    await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(stand.effects()).toBe(2);
    expect(await reasons(stand, payload)).toEqual(['FIRST_CLAIM', 'RESEND_BY_POLICY', 'ACCEPTED']);
  });

  test('park: rests, whatever else comes', async () => {
    const stand = await openUnknownStand(engine, { channels: blind({ blindPolicy: 'park' }) });
    const payload = await acceptedAndForgotten(stand);
    await stand.consumeUntil(DUE_AT + HOUR_MS);
    stand.redriveAll();
    stand.publish(payload);
    await stand.consumeUntil(DUE_AT + 3 * HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(await stand.rowOf(payload)).toMatchObject({ state: 'UNKNOWN', reason: 'PARKED_BLIND' });
  });
});

describe('what changed between two attempts', () => {
  test('another provider behind the channel: parked, it never heard of the key', async () => {
    const vendor = VENDOR_STANDS.find(({ provider }) => provider === 'resend') as VendorStand;
    const other = VENDOR_STANDS.find(({ provider }) => provider === 'infrai-email') as VendorStand;
    const stand = await openUnknownStand(engine, { channels: channelOf(vendor) });
    const payload = await acceptedAndForgotten(stand);
    await stand.redeploy(channelOf(other));
    await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(await stand.rowOf(payload)).toMatchObject({
      state: 'UNKNOWN',
      reason: 'PARKED_PROVIDER_CHANGED',
      provider: 'resend',
    });
  });

  test.each([
    ['the data', {}, { data: { plan: 'Team' } }],
    ['the words', { content: { subject: 'Sent 2 minutes ago', text: 'x' } }, {}],
  ])('field report 44: %s: parked as a content conflict', async (_what, channel, change) => {
    const vendor = VENDOR_STANDS.find(({ provider }) => provider === 'resend') as VendorStand;
    const stand = await openUnknownStand(engine, { channels: channelOf(vendor) });
    const payload = await acceptedAndForgotten(stand);
    await stand.redeploy(channelOf(vendor, channel));
    stand.drop();
    stand.publish({ ...payload, ...change });
    const results = await stand.consumeUntil(DUE_AT + HOUR_MS);
    expect(stand.effects()).toBe(1);
    expect(stand.provider.calls.count('resend')).toBe(1);
    expect(await reasons(stand, payload)).toContain('PARKED_CONTENT_CONFLICT');
    expect(metricsOf(results)[CONSUMER_METRICS.contentConflicts]).toBeGreaterThan(0);
  });
});
