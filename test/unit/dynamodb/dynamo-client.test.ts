import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import {
  closeDynamoClient,
  createDynamoClient,
  IDLE_MIDDLEWARE,
} from '#adapters/dynamodb/dynamo-client.ts';

const PLACE = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

it('leaves out the steps that do nothing for a ledger, by the names this SDK gives them', () => {
  const whole = new DynamoDBClient(PLACE).middlewareStack.identify();
  const documents = createDynamoClient({ concurrency: 1 }, PLACE);
  const ours = documents.middlewareStack.identify();
  closeDynamoClient(documents);
  const nameOf = (entry: string) => entry.split(' ')[0] ?? '';
  const left = whole.map(nameOf).filter((name) => !ours.map(nameOf).includes(name));
  expect(left.toSorted()).toEqual([...IDLE_MIDDLEWARE].toSorted());
  expect(ours.map(nameOf)).toContain('retryMiddleware');
});
