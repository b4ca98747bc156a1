import { parentPort, workerData } from 'node:worker_threads';
import { createRedrive } from '#functions/redrive/redrive.ts';
import { createStatsAlarm } from '#functions/stats-alarm/stats-alarm.ts';
import { EmulatorClock } from './emulator-clock.ts';

/** The functions beside the consumer, which has a pool of its own. */
export type HostedRole = 'redrive' | 'stats';
export type FunctionWorkerData = {
  readonly env: Readonly<Record<string, string>>;
  readonly offsetMs: number;
  /** What the platform grants an invocation. */
  readonly timeoutMs: number;
};
export type HostedCall = {
  readonly id: number;
  readonly role: HostedRole;
  readonly event: unknown;
};
export type HostedAnswer =
  | { readonly id: number; readonly kind: 'done'; readonly result: unknown }
  | {
      readonly id: number;
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
    };

const { env, offsetMs, timeoutMs } = workerData as FunctionWorkerData;
// The clients read endpoint, region and credentials from the process, as they do in Lambda.
Object.assign(process.env, env);
const clock = new EmulatorClock();
clock.advance(offsetMs);
const handlers = { redrive: createRedrive(env, clock), stats: createStatsAlarm(env, clock) };

parentPort?.on('message', ({ id, role, event }: HostedCall) => {
  const endsAt = clock.now() + timeoutMs;
  const invocation = {
    awsRequestId: `local-${role}-${id}`,
    getRemainingTimeInMillis: () => endsAt - clock.now(),
  };
  handlers[role](event, invocation).then(
    (result) => answer({ id, kind: 'done', result }),
    ({ code, message }: { code: string; message: string }) =>
      answer({ id, kind: 'failed', code, message }),
  );
});

function answer(message: HostedAnswer): void {
  parentPort?.postMessage(message);
}
