import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBreaker } from '#app/breaker-control.ts';
import type { Breaker } from '#core/breaker.ts';
import { createConsumer } from '#functions/consumer/consumer.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import { dynamoError } from '#test/support/dynamo-answers.ts';
import type { ProxiedRequest } from '#test/support/faulty-proxy.ts';
import { openPipelineStand, type PipelineStand } from '#test/support/pipeline-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

/** The provider's class, on a channel whose operator has accepted duplicates. */
async function openResending(providerClass: 'blind' | 'dedupes') {
  const stand = await openPipelineStand(engine, { providerClass });
  const channels = JSON.parse(stand.env['CHANNELS'] ?? '') as Record<string, object>;
  const resending = Object.entries(channels).map(([name, channel]) => [
    name,
    { ...channel, blindPolicy: 'resend' },
  ]);
  const env = { ...stand.env, CHANNELS: JSON.stringify(Object.fromEntries(resending)) };
  const random = seededRandom(11);
  const worker = () => {
    const handler = createConsumer(env, stand.clock, random);
    return () =>
      handler({}, { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 890_000 });
  };
  return { ...stand, worker };
}

async function breakerOf({ controls }: Pick<PipelineStand, 'controls'>): Promise<Breaker> {
  const answer = await readBreaker(controls);
  if (answer.kind === 'failed') throw new Error(answer.code);
  return answer.breaker;
}

/** The record of an acceptance. */
function recordsSent({ operation, body }: ProxiedRequest): boolean {
  return operation === 'PutItem' && body.includes('"state":{"S":"SENT"}');
}

/** The first worker's record is held back until a second worker has sent and recorded. */
async function lateFirstWorker(stand: Awaited<ReturnType<typeof openResending>>) {
  stand.publish(1);
  const secondIsDone = Promise.withResolvers<void>();
  const firstRecords = Promise.withResolvers<void>();
  let held = false;
  stand.table.rule((request) => {
    if (held || !recordsSent(request)) return undefined;
    held = true;
    firstRecords.resolve();
    return { kind: 'delay', until: secondIsDone.promise };
  });
  const first = stand.worker()();
  await firstRecords.promise;
  await stand.clock.sleep(70_000);
  const second = await stand.worker()();
  secondIsDone.resolve();
  return { first: await first, second };
}

describe('policy resend: the duplicate that it accepted', () => {
  it('pauses nothing when a late worker finds it, and is counted as what it is', async () => {
    const stand = await openResending('blind');
    const { first, second } = await lateFirstWorker(stand);
    expect(stand.provider.effects.total).toBe(2);
    expect(second.tally).toMatchObject({ resentByPolicy: 1, terminal: { SENT: 1 } });
    expect(first.tally).toMatchObject({ lostClaims: 1, duplicatesByPolicy: 1, receiptsAhead: 0 });
    expect(await breakerOf(stand)).toMatchObject({ mode: { kind: 'running' }, unrecorded: [] });
    expect(stand.metric('DuplicatesByPolicy')).toBe(1);
    expect(stand.metric('BreakerTrips')).toBeUndefined();
    const late = stand.logged('delivery').find((line) => line['outcome'] === 'lost-claim');
    expect(late).toMatchObject({ level: 'WARN', reason: 'RESENT_BY_POLICY' });
    stand.publish(3);
    expect(await stand.worker()()).toMatchObject({ end: 'queue-empty', tally: { deliveries: 3 } });
  });

  it('pauses nothing when the first acceptance could not be recorded', async () => {
    const stand = await openResending('blind');
    stand.publish(1);
    stand.table.rule((request) =>
      recordsSent(request) ? dynamoError('InternalServerError', 500) : undefined,
    );
    expect((await stand.worker()()).tally).toMatchObject({ receipts: 1, receiptsAhead: 1 });
    expect((await breakerOf(stand)).unrecorded).toHaveLength(1);
    stand.table.calm();
    await stand.clock.sleep(70_000);
    const resent = await stand.worker()();
    expect(resent).toMatchObject({
      end: 'queue-empty',
      tally: { resentByPolicy: 1, duplicatesByPolicy: 1, terminal: { SENT: 1 } },
    });
    expect(stand.metric('DuplicatesByPolicy')).toBe(1);
    expect(await breakerOf(stand)).toMatchObject({ mode: { kind: 'running' }, unrecorded: [] });
    expect(stand.logged('duplicate_by_policy')).toHaveLength(1);
    expect(stand.logged('breaker_tripped')).toEqual([]);
  });

  it('still pauses when no policy has sent again: the provider did not dedupe', async () => {
    const stand = await openResending('dedupes');
    stand.provider.faults.rule('push', 1, { kind: 'extra-receipt' });
    const { first } = await lateFirstWorker(stand);
    expect(first.tally).toMatchObject({ lostClaims: 1, duplicatesByPolicy: 0, receiptsAhead: 1 });
    expect(await breakerOf(stand)).toMatchObject({
      mode: { kind: 'paused' },
      reason: 'OTHER_RECEIPT',
    });
  });
});
