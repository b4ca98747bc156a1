import type { ChannelGate } from '#app/channel-gate.ts';
import type { Claimed } from '#app/claim-delivery.ts';
import type { DeliveryDeps, Run } from '#app/delivery-deps.ts';
import type { DeliveryReport } from '#app/delivery-report.ts';
import type { EpochMs } from '#core/brand.ts';
import type { Delivery } from '#core/delivery.ts';
import {
  type PlanAfterSend,
  planAfterAsk,
  planAfterSend,
  planNotSent,
  planTooLate,
  type Sent,
} from '#core/plan-after-send.ts';
import { covers } from '#core/run-budget.ts';
import type { QueryResult, SendResult } from '#core/send-result.ts';
import type { Sender, SendRequest } from '#ports';

/** One claimed reminder on its way to the provider. */
type Errand = {
  readonly claimed: Claimed;
  readonly delivery: Delivery;
  readonly sender: Sender;
  readonly deps: DeliveryDeps;
  readonly run: Run;
  readonly report: DeliveryReport;
};

/** Waits for its turn, asks the provider if it must, sends if it may; says what to record. */
export async function sendReminder(errand: Errand): Promise<PlanAfterSend> {
  const { channel } = errand.delivery.reminder;
  const gate = errand.run.gates.get(channel) as ChannelGate;
  const ordinal = await gate.enter();
  let overloaded: boolean | null = null;
  try {
    let { uncertain } = errand.claimed;
    if (errand.claimed.askFirst) {
      const obstacle = obstacleTo(errand, uncertain);
      if (obstacle !== null) return obstacle;
      const answer = await ask(errand);
      const plan = planAfterAsk(sentNow(errand, uncertain), answer);
      if (plan !== null) return plan;
      uncertain = false;
    }
    const obstacle = obstacleTo(errand, uncertain) ?? planTooLate(sentNow(errand, uncertain));
    if (obstacle !== null) return obstacle;
    const result = await send(errand);
    overloaded = 'overload' in result && result.overload === true;
    return planAfterSend(sentNow(errand, uncertain), result);
  } finally {
    gate.leave(ordinal, overloaded);
  }
}

/**
 * Why no call may start now. A frozen worker wakes up late, and a wait for the gate takes time:
 * the lease and the run's budget must still cover the whole call and its record.
 */
function obstacleTo(errand: Errand, uncertain: boolean): PlanAfterSend | null {
  const { delivery, deps, run } = errand;
  const { profile, reminder } = delivery;
  const sent = sentNow(errand, uncertain);
  const stopped = run.stoppedChannels.get(reminder.channel);
  if (stopped !== undefined) return planAfterSend(sent, { kind: 'channel-stopped', code: stopped });
  if (run.halted !== 'no') return planNotSent(sent, 'BREAKER_TRIPPED');
  if (sent.now > startBy(errand)) return planNotSent(sent, 'LEASE_TOO_SHORT');
  const neededMs = profile.sendTimeoutMs + deps.limits.finishMs;
  return covers(run.budget, sent.now, neededMs) ? null : planNotSent(sent, 'RUN_BUDGET');
}

/** The last instant at which a call may begin: what it does must have surfaced by the lease's end. */
function startBy({ claimed, delivery: { profile } }: Errand): EpochMs {
  return claimed.row.leaseUntil - profile.sendTimeoutMs - profile.commitSeconds * 1000;
}

async function ask(errand: Errand): Promise<QueryResult> {
  const { sender, run, delivery, report } = errand;
  if (sender.query === undefined) return { kind: 'cannot-tell', cause: 'PROVIDER_HAS_NO_QUERY' };
  report.asks += 1;
  const answer = await sender
    .query(requestOf(errand))
    .catch((): QueryResult => ({ kind: 'cannot-tell', cause: 'SENDER_THREW' }));
  if (answer.kind === 'found') noteReceipt(report, answer.receipt);
  stopOnRefusal(answer, delivery, run, report);
  return answer;
}

async function send(errand: Errand): Promise<SendResult> {
  const { sender, deps, run, delivery, report } = errand;
  const startedAt = deps.clock.now();
  report.submissions += 1;
  // A sender that throws is a bug, and a bug proves nothing about what reached the provider.
  const result = await sender
    .send(requestOf(errand))
    .catch((): SendResult => ({ kind: 'unknown', cause: 'SENDER_THREW' }));
  report.sendMs = deps.clock.now() - startedAt;
  if (result.kind === 'accepted') noteReceipt(report, result.receipt);
  else report.sendCode = result.kind === 'unknown' ? result.cause : result.code;
  stopOnRefusal(result, delivery, run, report);
  return result;
}

function noteReceipt(report: DeliveryReport, receipt: string): void {
  report.receipt = true;
  report.receiptId = receipt;
}

function stopOnRefusal(
  result: SendResult | QueryResult,
  delivery: Delivery,
  run: Run,
  report: DeliveryReport,
): void {
  if (result.kind === 'channel-stopped') {
    report.channelRefused = result.code;
    run.stoppedChannels.set(delivery.reminder.channel, result.code);
  }
}

function requestOf(errand: Errand): SendRequest {
  const { reminder, identity } = errand.delivery;
  const { sendKey, sendUuid } = identity;
  return { reminder, sendKey, sendUuid, startBy: startBy(errand) };
}

function sentNow({ claimed, delivery, deps }: Errand, uncertain: boolean): Sent {
  return {
    row: claimed.row,
    delivery,
    uncertain,
    now: deps.clock.now(),
    fraction: deps.random.fraction(),
    settings: deps.settings,
  };
}
