import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Contestant, ContestantSettings } from './contestant.ts';
import { openPlainAdapters, payloadOf } from './plain-adapters.ts';

/** (a) The loop that most tutorials show: consume ten, then claim, send and ack one by one. */
export function openContestant(settings: ContestantSettings): Contestant {
  const { queue, send } = openPlainAdapters(settings, 1);
  const client = new DynamoDBClient({});

  async function claim(key: string): Promise<boolean> {
    const request = new PutItemCommand({
      TableName: 'bench-sequential',
      Item: { pk: { S: key }, state: { S: 'SENDING' } },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    try {
      await client.send(request);
      return true;
    } catch (error: unknown) {
      if ((error as Error).name === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }

  return {
    async drain() {
      for (;;) {
        const pull = await queue.consume({ maxMessages: 10, visibilityTimeoutSeconds: 60 });
        if (pull.kind === 'failed') throw new Error(`a pull failed: ${pull.code}`);
        if (pull.messages.length === 0) return;
        for (const message of pull.messages) {
          const payload = payloadOf(message);
          const key = `${payload.user_id}#${payload.reminder_id}#${payload.scheduled_at}`;
          if (await claim(key)) await send(payload);
          await queue.ack(message);
        }
      }
    },
  };
}
