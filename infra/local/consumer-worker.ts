import { parentPort, workerData } from 'node:worker_threads';
import { createConsumer } from '#functions/consumer/consumer.ts';
import { EmulatorClock } from './emulator-clock.ts';

/** What a worker is started with: the handler's environment, and how far its clock is shifted. */
export type ConsumerWorkerData = {
  readonly env: Readonly<Record<string, string>>;
  readonly offsetMs: number;
  /** What the platform grants an invocation. */
  readonly timeoutMs: number;
};
/** Parent to worker: run one invocation. Worker to parent: how it went. */
export type InvokeMessage = { readonly requestId: string };
export type InvokedMessage =
  | { readonly kind: 'started' }
  | {
      readonly kind: 'done';
      readonly result: Awaited<ReturnType<ReturnType<typeof createConsumer>>>;
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

const { env, offsetMs, timeoutMs } = workerData as ConsumerWorkerData;
// The AWS SDK reads endpoint, region and credentials from the process, as it does in Lambda.
Object.assign(process.env, env);
const clock = new EmulatorClock();
clock.advance(offsetMs);
const consumer = createConsumer(env, clock);

parentPort?.on('message', ({ requestId }: InvokeMessage) => {
  parentPort?.postMessage({ kind: 'started' } satisfies InvokedMessage);
  const endsAt = clock.now() + timeoutMs;
  const invocation = {
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => endsAt - clock.now(),
  };
  consumer({}, invocation).then(
    (result) => parentPort?.postMessage({ kind: 'done', result } satisfies InvokedMessage),
    (error: { code: string; message: string }) =>
      parentPort?.postMessage({
        kind: 'failed',
        code: error.code,
        message: error.message,
      } satisfies InvokedMessage),
  );
});
