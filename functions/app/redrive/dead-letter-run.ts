import { identifyDelivery } from '#app/identify-delivery.ts';
import { type Acted, actOnDeadLetter } from '#app/redrive/act-on-dead-letter.ts';
import type { Canaries } from '#app/redrive/canaries.ts';
import { Pacer } from '#app/redrive/pacer.ts';
import { type DeadLetterBatch, DeadLetterReader } from '#app/redrive/read-dead-letters.ts';
import type { RedriveDeps } from '#app/redrive/redrive-deps.ts';
import { type RedriveEnd, RedriveTally } from '#app/redrive/redrive-report.ts';
import { RowView } from '#app/redrive/row-view.ts';
import type { AfterDeadLetter, RedriveOrder } from '#app/redrive/run-redrive.ts';
import type { ClaimToken, EpochMs, SendKey } from '#core/brand.ts';
import { useByOf } from '#core/delivery.ts';
import { errorName } from '#core/errors.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import {
  type ChannelHealth,
  type DeadLetterSeen,
  HEALTHY,
  planRedrive,
  type RedriveDecision,
  type RedriveRules,
} from '#core/plan-redrive.ts';
import { type RedriveControl, rememberedHealth } from '#core/redrive-control.ts';
import { matchesFilter } from '#core/redrive-filter.ts';
import { dueNow } from '#core/reopen.ts';
import { covers, type RunBudget } from '#core/run-budget.ts';
import type { QueueMessage } from '#ports';

type RunParts = {
  readonly order: RedriveOrder;
  readonly deps: RedriveDeps;
  readonly control: RedriveControl;
  /** Channels that the breaker has stopped, with the provider's code. */
  readonly stopped: ReadonlyMap<string, string>;
  readonly canaries: Canaries;
  /** Filled with the reminders that went back before they were due. */
  readonly early: Map<SendKey, EpochMs>;
  readonly budget: RunBudget;
  readonly afterDeadLetter: AfterDeadLetter;
};
type Ended = { readonly end: RedriveEnd; readonly endCode: string | null };
/** One dead letter is done with, is to be read again, or ends the run. */
type Step = 'done' | 'read-again' | Ended;
type Batch = Extract<DeadLetterBatch, { kind: 'batch' }>;
type Final = Exclude<Acted, { kind: 'moved' }>;

/** A row can be moved under our eyes; after this many looks the next run is the better judge. */
const MAX_LOOKS = 2;
/** So many refusals in a row are the backend's trouble, not the messages': the next run retries. */
const MAX_FAILURES_IN_A_ROW = 8;
const FAILURE_PAUSE_MS = 500;

/** The dead letters of one run, one after the other. */
export class DeadLetterRun {
  readonly tally = new RedriveTally();
  readonly #parts: RunParts;
  readonly #rules: RedriveRules;
  readonly #reader: DeadLetterReader;
  readonly #rows: RowView;
  readonly #pacer: Pacer;
  /** Send keys that went back, or were to, in this run. */
  readonly #redrivenKeys = new Set<SendKey>();
  #redrives = 0;
  #failuresInARow = 0;

  constructor(parts: RunParts) {
    const { order, deps, budget } = parts;
    this.#parts = parts;
    const { trigger, force, ratePerSecond } = order;
    this.#rules = { trigger, force, cap: deps.limits.cap, settings: deps.settings };
    this.#reader = new DeadLetterReader(deps, budget, ratePerSecond);
    this.#rows = new RowView(deps);
    this.#pacer = new Pacer(deps.clock, ratePerSecond);
  }

  get highestDeliveryCount(): number | null {
    return this.#reader.highestDeliveryCount;
  }

  async run(): Promise<Ended & { readonly examined: number; readonly filteredOut: number }> {
    const ended = await this.#readAll();
    const { canaries, budget } = this.#parts;
    for (const channel of canaries.open) await canaries.judge(channel, budget);
    const { examined, filteredOut } = this.tally;
    return { ...ended, examined, filteredOut };
  }

  async #readAll(): Promise<Ended> {
    for (;;) {
      if (!(await this.#pauseOver())) return { end: 'run-budget', endCode: null };
      const batch = await this.#reader.next();
      if (batch.kind === 'end') return { end: batch.end, endCode: batch.code };
      const ended = await this.#workOff(batch);
      if (ended !== null) return ended;
    }
  }

  /** Waits before reading, since what is read is hidden while it waits. */
  async #pauseOver(): Promise<boolean> {
    const { deps, budget } = this.#parts;
    const startsAt = this.#pacer.nextAt;
    if (!covers(budget, startsAt, deps.limits.worstDeadLetterMs)) return false;
    const waitMs = startsAt - deps.clock.now();
    if (waitMs > 0) await deps.clock.sleep(waitMs);
    return true;
  }

  async #workOff({ messages, beginBefore }: Batch): Promise<Ended | null> {
    for (const [index, message] of messages.entries()) {
      const step = this.#obstacle(beginBefore) ?? (await this.#one(message));
      if (step === 'done') continue;
      this.#reader.putBack(messages.slice(index));
      return step === 'read-again' ? null : step;
    }
    return null;
  }

  #obstacle(beginBefore: number): Step | null {
    const { deps, budget } = this.#parts;
    const { worstDeadLetterMs } = deps.limits;
    const startsAt = this.#pacer.nextAt;
    if (!covers(budget, startsAt, worstDeadLetterMs)) return { end: 'run-budget', endCode: null };
    return startsAt > beginBefore ? 'read-again' : null;
  }

  /** One bad dead letter never fails the rest: what throws is kept and counted. */
  async #one(message: QueueMessage): Promise<Step> {
    try {
      return await this.#decideAndAct(message);
    } catch (error) {
      const decision = { action: 'keep', reason: 'CRASHED', detail: errorName(error) } as const;
      this.#finish(message, null, decision, { kind: 'kept' });
      return 'done';
    }
  }

  async #decideAndAct(message: QueueMessage): Promise<Step> {
    const { order, deps, canaries, budget } = this.#parts;
    let seen = await this.#see(message);
    if (!matchesFilter(order.filter, seen, deps.epochs)) {
      this.tally.examined += 1;
      this.tally.filteredOut += 1;
      return 'done';
    }
    const sendKey = seen.kind === 'valid' ? seen.delivery.identity.sendKey : null;
    const channel = seen.kind === 'valid' ? seen.delivery.reminder.channel : null;
    for (let look = 1; ; look += 1) {
      const decision = this.#decide(seen, sendKey, channel);
      if (decision.action === 'redrive') {
        if (this.#redrives >= order.max) return { end: 'max', endCode: null };
        if (channel !== null && canaries.isFull(channel)) {
          await canaries.judge(channel, budget);
          return this.#afterVerdict(channel);
        }
      }
      if (order.mode === 'plan') return this.#planned(message, sendKey, decision, seen);
      if (decision.action === 'redrive') await this.#pacer.turn();
      const acted = await actOnDeadLetter(message, rowOf(seen), decision, deps);
      if (acted.kind !== 'moved') {
        if (acted.kind === 'redriven') this.#noteEarly(seen, decision);
        return this.#acted(message, sendKey, decision, acted);
      }
      if (look >= MAX_LOOKS || seen.kind === 'invalid') {
        const moving = {
          action: 'keep',
          reason: 'LEDGER_FAILED',
          detail: 'ROW_KEEPS_MOVING',
        } as const;
        return this.#acted(message, sendKey, moving, { kind: 'kept' });
      }
      seen = { ...seen, row: acted.row };
    }
  }

  async #see(message: QueueMessage): Promise<DeadLetterSeen> {
    const identified = identifyDelivery(message, this.#parts.deps);
    if (identified.kind === 'invalid') return identified;
    const { delivery } = identified;
    const row = await this.#rows.read(delivery.identity.sendKey);
    return { kind: 'valid', delivery, row };
  }

  #decide(seen: DeadLetterSeen, sendKey: SendKey | null, channel: string | null): RedriveDecision {
    const { clock, random } = this.#parts.deps;
    return planRedrive(seen, this.#rules, {
      now: clock.now(),
      health: channel === null ? HEALTHY : this.#healthOf(channel),
      redrivenThisRun: sendKey !== null && this.#redrivenKeys.has(sendKey),
      earlyRedrives: this.#parts.control.early[sendKey ?? '']?.redrives ?? 0,
      token: random.token() as ClaimToken,
    });
  }

  #healthOf(channel: string): ChannelHealth {
    const { control, canaries, order, deps, stopped } = this.#parts;
    const code = stopped.get(channel);
    if (code !== undefined) return { kind: 'unhealthy', reason: `CHANNEL_STOPPED_${code}` };
    const now = canaries.health(channel);
    return now.kind === 'unhealthy'
      ? now
      : rememberedHealth(control, channel, order.trigger, deps.clock.now());
  }

  /** The run goes on while any channel may still be redriven; the batch's lease is over by now. */
  #afterVerdict(channel: string): Step {
    const { canaries, deps } = this.#parts;
    if (canaries.isFull(channel)) return { end: 'run-budget', endCode: null };
    const open = [...deps.senders.keys()].some((name) => this.#healthOf(name).kind === 'healthy');
    if (open) return 'read-again';
    const health = this.#healthOf(channel);
    return { end: 'canary-failed', endCode: health.kind === 'unhealthy' ? health.reason : null };
  }

  #planned(
    message: QueueMessage,
    sendKey: SendKey | null,
    decision: RedriveDecision,
    seen: DeadLetterSeen,
  ): Step {
    this.#rows.plan(decision, rowOf(seen));
    if (decision.action === 'redrive') this.#countRedrive(sendKey);
    this.#finish(message, sendKey, decision, null);
    return this.#troubled(decision, { kind: 'kept' }) ?? 'done';
  }

  #acted(
    message: QueueMessage,
    sendKey: SendKey | null,
    decision: RedriveDecision,
    acted: Final,
  ): Step {
    const { canaries, deps } = this.#parts;
    if (decision.action === 'redrive') this.#countRedrive(reopened(acted) ? sendKey : null);
    if (acted.kind === 'redriven' && acted.left !== null && decision.reason !== 'SAME_REMINDER') {
      if (dueNow(acted.left, deps.clock.now(), deps.settings)) canaries.add(acted.left);
    }
    if (acted.kind !== 'failed' && acted.kind !== 'kept') this.#reader.released(message);
    this.#finish(message, sendKey, decision, acted);
    return this.#troubled(decision, acted) ?? 'done';
  }

  #noteEarly(seen: DeadLetterSeen, decision: RedriveDecision): void {
    if (seen.kind !== 'valid' || decision.reason !== 'NO_ROW') return;
    if (decision.action !== 'redrive' || decision.write.kind !== 'none') return;
    const { reminder, identity } = seen.delivery;
    const { useBySeconds } = this.#parts.deps.settings;
    this.#parts.early.set(identity.sendKey, useByOf(reminder, useBySeconds));
  }

  #countRedrive(sendKey: SendKey | null): void {
    this.#redrives += 1;
    if (sendKey !== null) this.#redrivenKeys.add(sendKey);
  }

  #finish(
    message: QueueMessage,
    sendKey: SendKey | null,
    decision: RedriveDecision,
    acted: Final | null,
  ): void {
    this.tally.examined += 1;
    this.tally.decided(decision, sendKey);
    if (acted !== null) this.tally.acted(decision, acted);
    this.#parts.afterDeadLetter(message, sendKey, decision, acted);
  }

  /** Slows down after a refusal; ends the run when a backend refuses again and again. */
  #troubled(decision: RedriveDecision, acted: Final): Ended | null {
    const unreadable = decision.action === 'keep' && decision.reason === 'LEDGER_FAILED';
    if (acted.kind !== 'failed' && !unreadable) {
      this.#failuresInARow = 0;
      return null;
    }
    this.#failuresInARow += 1;
    const askedMs = acted.kind === 'failed' ? (acted.retryAfterSeconds ?? 0) * 1000 : 0;
    this.#pacer.pause(Math.max(askedMs, FAILURE_PAUSE_MS * this.#failuresInARow));
    if (this.#failuresInARow < MAX_FAILURES_IN_A_ROW) return null;
    return acted.kind === 'failed'
      ? { end: `${acted.by}-failed`, endCode: acted.code }
      : { end: 'ledger-failed', endCode: decision.detail };
  }
}

function rowOf(seen: DeadLetterSeen): LedgerRecord | null {
  return seen.kind === 'valid' && seen.row.kind === 'row' ? seen.row.row : null;
}

/** The row is reopened, whatever the queue said: the next dead letter of its key is not counted. */
function reopened(acted: Final): boolean {
  return acted.kind !== 'failed' || acted.by === 'queue';
}
