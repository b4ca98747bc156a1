import { afterEach, expect, test } from 'vitest';
import { DEFAULT_PIPELINE } from '#config/metrics.ts';
import type { SharedConfig } from '#config/shared-config.ts';
import { RemindOnceError } from '#core/errors.ts';
import type { Secrets } from '#ports';
import { HandClock } from '#test/support/hand-clock.ts';
import { ok, PULL } from '#test/support/infrai-stand.ts';
import { startScriptedServer } from '#test/support/scripted-server.ts';
import { openQueueSide } from '#wiring/backends.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function open(secrets: Secrets) {
  const server = await startScriptedServer(ok({ items: [] }));
  cleanUps.push(() => server.close());
  const config: Pick<
    SharedConfig,
    'infraiBaseUrl' | 'infraiApiKeyRef' | 'queueName' | 'dialect' | 'pipeline'
  > = {
    infraiBaseUrl: server.url,
    infraiApiKeyRef: 'env:INFRAI_API_KEY',
    queueName: 'reminders',
    dialect: { ackField: 'message_id', payloadField: 'payload' },
    pipeline: DEFAULT_PIPELINE,
  };
  const opening = openQueueSide(
    config as SharedConfig,
    { concurrency: 1, queueCallMs: 5_000 },
    {
      clock: new HandClock(),
      random: { fraction: () => 0, token: () => 't' },
      secrets,
      telemetry: { log: () => {}, count: () => {}, gauge: () => {}, sample: () => {} },
    },
  );
  return { server, opening };
}

test('a rotated API key is used by the same warm environment', async () => {
  let key = 'ifr_old';
  const { server, opening } = await open({ get: async () => key });
  const { queue, http } = await opening;
  cleanUps.push(() => http.close());
  await queue.consume(PULL);
  key = 'ifr_new';
  await queue.consume(PULL);
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer ifr_old',
    'Bearer ifr_new',
  ]);
});

test('a missing key ends the start, before any call', async () => {
  const missing = new RemindOnceError('SECRET_MISSING', 'set it');
  const { server, opening } = await open({ get: () => Promise.reject(missing) });
  await expect(opening).rejects.toBe(missing);
  expect(server.seen).toHaveLength(0);
});
