import { createConsumer } from '#functions/consumer/consumer.ts';
import type { LambdaHandler } from '#wiring/lambda-stack.ts';
import type { Contestant, ContestantSettings } from './contestant.ts';
import { productEnvironment } from './product-environment.ts';

/** The product: its consumer handler, from configuration to metrics, one invocation a drain. */
export function openContestant(settings: ContestantSettings): Contestant {
  const consumers = new Map<number, LambdaHandler<unknown>>();
  let invocations = 0;

  function consumerFor(concurrency: number): LambdaHandler<unknown> {
    const warm = consumers.get(concurrency);
    if (warm !== undefined) return warm;
    const consumer = createConsumer(productEnvironment(settings, concurrency, 'environment'));
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
