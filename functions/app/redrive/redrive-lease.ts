import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import type { EpochMs } from '#core/brand.ts';
import {
  leaseAlive,
  NO_CONTROL,
  parseRedriveControl,
  REDRIVE_DOCUMENT,
  type RedriveControl,
} from '#core/redrive-control.ts';

type LeaseDeps = Pick<RedriveDeps, 'controls' | 'clock' | 'random' | 'settings' | 'limits'>;

/** The right to run, with the document that it was written in. */
export type HeldLease = {
  readonly kind: 'held';
  readonly control: RedriveControl;
  readonly version: number;
  readonly until: EpochMs;
  /** The last run never gave its lease back: it died, or could not reach the table. */
  readonly tookOver: boolean;
};
export type LeaseAnswer =
  | HeldLease
  | { readonly kind: 'another-run' }
  | { readonly kind: 'failed'; readonly code: string };

/**
 * Takes the one lease of redrive runs. Overlapping schedules, doubled invocations and a person's
 * request beside the schedule all end here: the second one does nothing.
 */
export async function takeLease(deps: LeaseDeps): Promise<LeaseAnswer> {
  const { clock, controls, limits, random, settings } = deps;
  const found = await readControl(deps);
  if (found.kind === 'failed') return found;
  const startedAt = clock.now();
  if (leaseAlive(found.control, startedAt, settings.skewMs)) return { kind: 'another-run' };
  const until = startedAt + limits.runLeaseSeconds * 1000;
  const lease = { runId: random.token(), startedAt, until };
  const control: RedriveControl = { ...found.control, lease };
  const answer = await controls.write(REDRIVE_DOCUMENT, control, found.version);
  if (answer.kind === 'lost') return { kind: 'another-run' };
  // It may have been applied; then the lease runs out by itself.
  if (answer.kind === 'failed') return answer;
  const tookOver = found.control.lease !== null;
  return { kind: 'held', control, version: found.version + 1, until, tookOver };
}

/** @returns false when the document could not be written: the lease then runs out by itself */
export async function giveLeaseBack(
  deps: LeaseDeps,
  held: HeldLease,
  control: RedriveControl,
): Promise<boolean> {
  const next = { ...control, lease: null };
  const answer = await deps.controls.write(REDRIVE_DOCUMENT, next, held.version);
  return answer.kind === 'written';
}

async function readControl(
  deps: LeaseDeps,
): Promise<
  | { readonly kind: 'control'; readonly control: RedriveControl; readonly version: number }
  | { readonly kind: 'failed'; readonly code: string }
> {
  const answer = await deps.controls.read(REDRIVE_DOCUMENT);
  if (answer.kind === 'failed') return answer;
  if (answer.kind === 'absent') return { kind: 'control', control: NO_CONTROL, version: 0 };
  const control = parseRedriveControl(answer.value);
  if (control === undefined) return { kind: 'failed', code: 'REDRIVE_DOCUMENT_UNREADABLE' };
  return { kind: 'control', control, version: answer.version };
}
