import { changeBreaker } from '#app/breaker-control.ts';
import {
  type Breaker,
  limit,
  openChannel,
  pause as pauseAll,
  resume as resumeAll,
  stopChannel,
} from '#core/breaker.ts';
import { backendFailure } from '#functions/ops/backend-failure.ts';
import { openLedgerDesk } from '#functions/ops/desk.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import { consumerConfig, type Target } from '#functions/ops/target/target.ts';

export type PauseFlags = {
  readonly channel?: string;
  readonly reason: string;
  readonly by: string;
};
export type ResumeFlags = PauseFlags & { readonly concurrency?: number };

/** Stops all consumption, or one channel's sends. Nothing is lost: the queue keeps what waits. */
export async function pause(session: Session, flags: PauseFlags): Promise<Ran> {
  const target = await session.target();
  assertChannel(target, flags.channel);
  const change = { by: flags.by, reason: flags.reason, at: target.clock.now() };
  const { channel } = flags;
  return changed(target, (breaker) => {
    if (channel !== undefined) return stopChannel(breaker, channel, change);
    // A pause that waits for a person already stays his, with his reason.
    const { mode } = breaker;
    return mode.kind === 'paused' && mode.resumeAt === null ? breaker : pauseAll(breaker, change);
  });
}

/** Lets reminders be sent again: slowly, or one channel at once. Asks first. */
export async function resume(session: Session, flags: ResumeFlags): Promise<Ran> {
  const target = await session.target();
  assertChannel(target, flags.channel);
  const { channel, concurrency } = flags;
  const full = consumerConfig(target).drain.concurrency;
  if (concurrency !== undefined && concurrency > full) {
    throw new OpsError(
      EXIT.usage,
      'USAGE',
      `--concurrency is ${concurrency}; allowed: 1 to ${full}, the stage's own (DRAIN.concurrency)`,
    );
  }
  await session.confirm(
    channel === undefined
      ? `Reminders will be sent again on stage ${target.stage}.`
      : `Reminders of channel ${channel} will be sent again on stage ${target.stage}.`,
  );
  const change = { by: flags.by, reason: flags.reason, at: target.clock.now() };
  return changed(target, (breaker) => {
    if (channel !== undefined) return openChannel(breaker, channel);
    if (concurrency !== undefined) return limit(breaker, concurrency, change);
    return breaker.mode.kind === 'paused' ? resumeAll(breaker, change) : breaker;
  });
}

function assertChannel(target: Target, channel: string | undefined): void {
  if (channel === undefined) return;
  const known = Object.keys(consumerConfig(target).channels);
  if (known.includes(channel)) return;
  throw new OpsError(
    EXIT.usage,
    'USAGE',
    `--channel is none of this stage's; allowed: ${known.join(', ')}`,
  );
}

async function changed(target: Target, change: (breaker: Breaker) => Breaker): Promise<Ran> {
  const { controls } = await openLedgerDesk(target);
  const answer = await changeBreaker(controls, change);
  if (answer.kind === 'failed') throw backendFailure('changing the breaker', answer.code);
  const { mode, reason, by, since, channels, unrecorded } = answer.breaker;
  return {
    exit: EXIT.ok,
    data: {
      changed: answer.kind === 'changed',
      mode,
      reason,
      by,
      since,
      channels,
      unrecordedReceipts: unrecorded.length,
    },
    show(out) {
      out.line(`${answer.kind === 'changed' ? 'Done' : 'It was so already'}: ${words(mode)}`);
      for (const [name, stop] of Object.entries(channels)) {
        out.line(`  channel ${name} is stopped: ${stop.reason} by ${stop.by}`);
      }
      if (unrecorded.length > 0) {
        out.line(
          `  ${unrecorded.length} acceptances have no row that says so: see infra/RUNBOOK.md#receipts-ahead`,
        );
      }
    },
  };
}

function words(mode: Breaker['mode']): string {
  switch (mode.kind) {
    case 'running':
      return 'the consumer runs freely';
    case 'limited':
      return `the consumer runs with at most ${mode.concurrency} sends at once per channel, doubling with every clean run`;
    case 'paused':
      return 'the consumer is paused; runs that are under way stop at their next look, within 15 s';
  }
}
