import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Contestant, ContestantSettings } from './contestant.ts';
import {
  openPlainAdapters,
  type PlainAdapters,
  payloadOf,
  type ReminderPayload,
} from './plain-adapters.ts';
import { pump } from './pump.ts';
import { SendLimit } from './send-limit.ts';

type Key = Readonly<Pick<ReminderPayload, 'user_id' | 'reminder_id' | 'scheduled_at'>>;
type Warm = {
  readonly plain: PlainAdapters;
  readonly send: (key: Key, payload: ReminderPayload) => Promise<{ readonly receipt: string }>;
};

/**
 * (b) The same send wrapped in Powertools Idempotency with its DynamoDB layer: its own client, a
 * key object of three fields (no JMESPath), one log line a delivery as its users write.
 */
export function openContestant(settings: ContestantSettings): Contestant {
  const warm = new Map<number, Warm>();
  const logger = new Logger({ serviceName: 'bench' });

  function open(concurrency: number): Warm {
    const plain = openPlainAdapters(settings, concurrency);
    const limit = new SendLimit(concurrency);
    const persistenceStore = new DynamoDBPersistenceLayer({
      tableName: 'bench-idempotency',
      keyAttr: 'pk',
      clientConfig: { requestHandler: { httpAgent: { maxSockets: concurrency * 2 } } },
    });
    const config = new IdempotencyConfig({});
    config.registerLambdaContext({ getRemainingTimeInMillis: () => 600_000 } as Context);
    const send = makeIdempotent(
      (_key: Key, payload: ReminderPayload) => limit.run(() => plain.send(payload)),
      { persistenceStore, config, dataIndexArgument: 0 },
    );
    return { plain, send };
  }

  return {
    async drain(concurrency) {
      const { plain, send } = warm.get(concurrency) ?? open(concurrency);
      warm.set(concurrency, { plain, send });
      await pump(plain.queue, concurrency * 2, async (message) => {
        const startedAt = Date.now();
        const payload = payloadOf(message);
        const { user_id, reminder_id, scheduled_at } = payload;
        const { receipt } = await send({ user_id, reminder_id, scheduled_at }, payload);
        await plain.queue.ack(message);
        const { messageId, deliveryCount } = message;
        const totalMs = Date.now() - startedAt;
        logger.info('delivery', { messageId, deliveryCount, outcome: 'sent', receipt, totalMs });
      });
    },
  };
}
