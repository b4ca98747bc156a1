import * as z from 'zod';
import { faultsBody } from '../control-route.ts';
import { QUEUE_ROUTES, queueFaultSchema } from './queue-faults.ts';

/** Body of `POST /_emulator/faults`. */
export const queueFaultsBody = faultsBody(z.enum(QUEUE_ROUTES), queueFaultSchema);

/** Named weather of the queue. */
export const QUEUE_FAULT_MIXES = {
  calm: {},
  /** The broker's own at-least-once: acked messages come back, two consumers hold one message. */
  duplicates: {
    rules: [
      { route: 'queue.ack', probability: 0.1, fault: { kind: 'redeliver-acked' } },
      { route: 'queue.consume', probability: 0.1, fault: { kind: 'short-lease', leaseMs: 50 } },
    ],
  },
  /** One call in five is told to come back, in each form of Retry-After. */
  'rate-limited': {
    rules: [
      { route: '*', probability: 0.07, fault: { kind: 'rate-limited' } },
      {
        route: '*',
        probability: 0.07,
        fault: { kind: 'rate-limited', retryAfter: { seconds: 1 } },
      },
      {
        route: '*',
        probability: 0.07,
        fault: { kind: 'rate-limited', retryAfter: { dateInSeconds: 1 } },
      },
    ],
  },
  /** Answers are lost, broken or late, and the broker repeats itself. */
  flaky: {
    rules: [
      { route: '*', probability: 0.04, fault: { kind: 'dropped', applied: true } },
      { route: '*', probability: 0.03, fault: { kind: 'dropped', applied: false } },
      { route: '*', probability: 0.03, fault: { kind: 'server-error' } },
      { route: '*', probability: 0.02, fault: { kind: 'cut' } },
      { route: '*', probability: 0.02, fault: { kind: 'not-ok', retryable: true } },
      { route: '*', probability: 0.03, fault: { kind: 'slow', latencyMs: 200 } },
      { route: 'queue.ack', probability: 0.1, fault: { kind: 'redeliver-acked' } },
      { route: 'queue.consume', probability: 0.05, fault: { kind: 'short-lease', leaseMs: 50 } },
    ],
  },
  outage: { rules: [{ route: '*', probability: 1, fault: { kind: 'server-error' } }] },
} as const satisfies Record<string, z.input<typeof queueFaultsBody>>;
