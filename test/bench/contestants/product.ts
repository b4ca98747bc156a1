import { createConsumer } from '#functions/consumer/consumer.ts';
import type { LambdaHandler } from '#wiring/lambda-stack.ts';
import { channelSettings } from './channel-settings.ts';
import type { Contestant, ContestantSettings } from './contestant.ts';

/** The product: its consumer handler, from configuration to metrics, one invocation a drain. */
export function openContestant(settings: ContestantSettings): Contestant {
  const consumers = new Map<number, LambdaHandler<unknown>>();
  let invocations = 0;

  function consumerFor(concurrency: number): LambdaHandler<unknown> {
    const warm = consumers.get(concurrency);
    if (warm !== undefined) return warm;
    const consumer = createConsumer(environment(settings, concurrency));
    consumers.set(concurrency, consumer);
    return consumer;
  }

  return {
    async drain(concurrency) {
      invocations += 1;
      const result = await consumerFor(concurrency)(
        {},
        { awsRequestId: `bench-${invocations}`, getRemainingTimeInMillis: () => 600_000 },
      );
      const { end } = result as { readonly end: string };
      if (end !== 'queue-empty') throw new Error(`the consumer's run ended by ${end}`);
    },
  };
}

/** A deployed function's environment, endpoints aside. */
function environment(settings: ContestantSettings, concurrency: number) {
  return {
    STAGE: 'bench',
    PIPELINE: 'remind-once',
    QUEUE_NAME: 'bench',
    INFRAI_BASE_URL: settings.queueUrl,
    INFRAI_API_KEY_SECRET: 'env:INFRAI_API_KEY',
    INFRAI_API_KEY: 'ifr_bench',
    INFRAI_DIALECT: '',
    LEDGER_TABLE: 'bench-ledger',
    KEY_EPOCHS: JSON.stringify([{ id: 'bench', secretRef: 'env:SEND_KEY_SECRET' }]),
    SEND_KEY_SECRET: 'bench-only-secret-of-the-first-epoch',
    PROVIDER_TOKEN: 'bench-token',
    CHANNELS: JSON.stringify({ push: channelSettings(settings.providerUrl) }),
    DEFAULT_CHANNEL: 'push',
    DELIVERY: '',
    DRAIN: JSON.stringify({ concurrency }),
  };
}
