import type { ProviderEmulator } from './provider-emulator/provider-emulator.ts';
import type { QueueEmulator } from './queue-emulator/queue-emulator.ts';

export const FAULT_MIXES = ['calm', 'outage', 'rate-limited', 'flaky', 'crashes'] as const;
export type FaultMixName = (typeof FAULT_MIXES)[number];

/** Share of the invocations that are ended without warning, and how soon at the latest. */
export type CrashPlan = { readonly share: number; readonly withinMs: number };
const NO_CRASHES: CrashPlan = { share: 0, withinMs: 0 };

export type FaultMix = {
  /** What it plays, for the person who reads the screen. */
  readonly story: string;
  readonly crashes: CrashPlan;
  /** Sets the emulators up, once the reminders are published. Null queue: a live one is not ours to break. */
  apply(queue: QueueEmulator | null, provider: ProviderEmulator): void;
  /** An outage ends after this; null: the faults last. */
  readonly endsAfterMs: number | null;
};

/** Channels are the routes of the provider's faults; `*` means all of them. */
export const FAULT_MIX: Readonly<Record<FaultMixName, FaultMix>> = {
  calm: {
    story: 'nothing fails',
    crashes: NO_CRASHES,
    endsAfterMs: null,
    apply: () => {},
  },
  outage: {
    story: 'the provider answers 503 or not at all for 5 seconds, then recovers',
    crashes: NO_CRASHES,
    endsAfterMs: 5000,
    apply(_queue, provider) {
      provider.faults
        .rule('*', 0.7, { kind: 'defer', status: 503 })
        .rule('*', 0.5, { kind: 'hang', accepted: false })
        .rule('*', 1, { kind: 'reset', accepted: false });
    },
  },
  'rate-limited': {
    story: 'provider and queue answer 429, with and without Retry-After',
    crashes: NO_CRASHES,
    endsAfterMs: null,
    apply(queue, provider) {
      provider.faults
        .rule('*', 0.25, { kind: 'defer', status: 429, retryAfter: { seconds: 1 } })
        .rule('*', 0.1, { kind: 'defer', status: 429 });
      queue?.faults
        .rule('queue.consume', 0.1, { kind: 'rate-limited', retryAfter: { seconds: 1 } })
        .rule('queue.publish', 0.1, { kind: 'rate-limited' });
    },
  },
  flaky: {
    story: 'answers are lost after the work was done, acked messages come back, leases end early',
    crashes: NO_CRASHES,
    endsAfterMs: null,
    apply(queue, provider) {
      provider.faults
        .rule('*', 0.15, { kind: 'reset', accepted: true })
        .rule('*', 0.1, { kind: 'server-error', status: 500, accepted: true })
        .rule('*', 0.1, { kind: 'defer', status: 429 });
      queue?.faults
        .rule('queue.ack', 0.3, { kind: 'redeliver-acked' })
        .rule('queue.ack', 0.1, { kind: 'dropped', applied: true })
        .rule('queue.publish', 0.1, { kind: 'dropped', applied: true })
        .rule('queue.consume', 0.15, { kind: 'short-lease', leaseMs: 50 });
    },
  },
  crashes: {
    story: 'six of ten consumers are ended without warning in the middle of a run',
    crashes: { share: 0.6, withinMs: 250 },
    endsAfterMs: null,
    apply(_queue, provider) {
      provider.faults.rule('*', 1, { kind: 'slow-answer', latencyMs: 60 });
    },
  },
};

export function endFaults(queue: QueueEmulator | null, provider: ProviderEmulator): void {
  queue?.faults.clear();
  provider.faults.clear();
}
