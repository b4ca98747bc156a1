import type { DeliveryFacts, Evidence } from '#core/breaker-evidence.ts';

export const SINCE = Date.UTC(2026, 6, 26, 9);
export const OPERATOR = { by: 'ann', reason: 'LOOKING_INTO_IT', at: SINCE };

/** A delivery that was sent and recorded. */
export function facts(change: Partial<DeliveryFacts> = {}): DeliveryFacts {
  return {
    sendKey: 'k1_a',
    channel: 'push',
    attempt: 0,
    policyAttempt: null,
    outcome: 'sent',
    reason: 'ACCEPTED',
    receiptId: 'rcpt_a',
    sendCode: null,
    channelRefused: null,
    submissions: 1,
    ...change,
  };
}

export function unrecorded(n: number, at = SINCE): Evidence {
  const send = { attempt: 0, policyAttempt: null };
  return { kind: 'unrecorded', sendKey: `k1_${n}`, ...send, receipt: `rcpt_${n}`, at };
}

export function recorded(
  n: number,
  change: Partial<Extract<Evidence, { kind: 'recorded' }>> = {},
): Evidence {
  return {
    kind: 'recorded',
    channel: 'push',
    sendKey: `k1_${n}`,
    attempt: 0,
    policyAttempt: null,
    receipt: `rcpt_${n}`,
    proof: 'send',
    at: SINCE,
    ...change,
  };
}

export function noReceipt(n: number, channel = 'push'): Evidence {
  return { kind: 'no-receipt', channel, sendKey: `k1_${n}`, attempt: 0, at: SINCE };
}

export function refused(at: number, channel = 'push'): Evidence {
  return { kind: 'channel-refused', channel, code: 'HTTP_401', at };
}
