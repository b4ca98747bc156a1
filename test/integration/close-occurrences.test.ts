import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { openPipelineStand } from '#test/support/pipeline-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const HOUR_MS = 3_600_000;

test('field report 72: an environment counts what it sends twice within an hour', async () => {
  const stand = await openPipelineStand(engine);
  const daily = { user_id: 'u_dst', reminder_id: 'r_daily' };
  stand.publish(1, daily);
  stand.publish(2);
  const first = await stand.consume();
  await stand.clock.sleep(HOUR_MS);
  stand.publish(1, daily);
  const second = await stand.consume();
  expect([first, second].map(({ tally }) => tally.closeOccurrences)).toEqual([0, 1]);
  expect(stand.metric('CloseOccurrences')).toBe(1);
  const told = stand.logged('delivery').filter((line) => line['closeOccurrence'] === true);
  expect(told).toHaveLength(1);
  expect(JSON.stringify(told)).not.toMatch(/u_dst|r_daily/);

  // Another environment knows nothing of it: the count is of what was seen, no more.
  stand.publish(1, { ...daily, scheduled_at: new Date(stand.clock.now() - 60_000).toISOString() });
  expect((await stand.fresh()()).tally).toMatchObject({ keysClaimed: 1, closeOccurrences: 0 });
});
