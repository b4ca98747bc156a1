import { openContestant } from '../contestants/idempotency.ts';

const contestant = openContestant({
  queueUrl: process.env['INFRAI_BASE_URL'] ?? '',
  providerUrl: process.env['PROVIDER_URL'] ?? '',
  redisPort: null,
});

/** The same work wrapped in Powertools Idempotency; its secrets are in its environment. */
export async function handler(): Promise<void> {
  await contestant.drain(32, { reminders: 1, copies: 1, batch: 'cold' });
}
