import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeliveryReport } from '#app/delivery-report.ts';
import { countDelivery, openTally } from '#app/tally.ts';
import { FRESH_BREAKER } from '#core/breaker.ts';
import { evidenceOf, foundEnded, RESENT_BY_POLICY, withEvidence } from '#core/breaker-evidence.ts';
import { RESEND_BY_POLICY } from '#core/policy-resend.ts';
import type { SenderProfile } from '#core/send-result.ts';
import type { Ledger } from '#ports';
import { type Fate, FatedWorker, type PortCall } from '#test/support/fated-worker.ts';
import { World } from '#test/support/world.ts';

/** What befalls a worker around its send. */
type Lot =
  | { readonly kind: 'calm' }
  | { readonly kind: 'frozen'; readonly forMs: number }
  | { readonly kind: 'records-nothing' }
  | { readonly kind: 'hears-nothing' };
type Life = { readonly lot: Lot; readonly mints: boolean; readonly gapMs: number };
type Policy = Pick<SenderProfile, 'providerClass' | 'windowSeconds'>;

const lot: fc.Arbitrary<Lot> = fc.oneof(
  fc.constant<Lot>({ kind: 'calm' }),
  fc.record({
    kind: fc.constant('frozen' as const),
    forMs: fc.integer({ min: 30_000, max: 400_000 }),
  }),
  fc.constant<Lot>({ kind: 'records-nothing' }),
  fc.constant<Lot>({ kind: 'hears-nothing' }),
);
const life: fc.Arbitrary<Life> = fc.record({
  lot,
  mints: fc.boolean(),
  gapMs: fc.integer({ min: 5_000, max: 120_000 }),
});
const lives = fc.array(life, { minLength: 1, maxLength: 4 });
/** Within its window it is sent the same key again; after it, the policy decides. */
const deduping = fc.record({
  providerClass: fc.constant('dedupes' as const),
  windowSeconds: fc.integer({ min: 60, max: 400 }),
});
const BLIND: Policy = { providerClass: 'blind', windowSeconds: null };

function fateOf(theirs: Lot): (call: PortCall) => Fate {
  let sent = false;
  return ({ method }) => {
    if (method === 'replace' && sent && theirs.kind === 'records-nothing') return 'not-applied';
    if (method !== 'send') return 'goes-on';
    sent = true;
    if (theirs.kind === 'frozen') return { frozen: 'after', forMs: theirs.forMs };
    return theirs.kind === 'hears-nothing' ? 'answer-lost' : 'goes-on';
  };
}

/** One reminder, delivered to one worker after another, whether the earlier ones are done or not. */
async function play(policy: Policy, workers: readonly Life[]) {
  const world = new World({
    profile: { ...policy, blindPolicy: 'resend' },
    behaviourOf: (_, call) => (workers[call]?.mints ? { kind: 'extra-receipt' } : undefined),
  });
  const policyAttempts = new Set<number>();
  const ledger: Pick<Ledger, 'claim' | 'replace'> = {
    claim: (row) => world.ledger.claim(row),
    replace: async (row, seen) => {
      const answer = await world.ledger.replace(row, seen);
      const claimed = answer.kind === 'replaced' && row.reason === RESEND_BY_POLICY;
      if (claimed) policyAttempts.add(row.attempt);
      return answer;
    },
  };
  const tally = openTally();
  let breaker = FRESH_BREAKER;
  const judge = (report: DeliveryReport) => {
    countDelivery(tally, report);
    breaker = evidenceOf(report, world.clock.now()).reduce(withEvidence, breaker);
    return 'go-on' as const;
  };
  /** As every run begins. */
  const lookUp = () => {
    const row = world.row();
    const [waiting] = breaker.unrecorded;
    if (row === undefined || waiting === undefined) return;
    const ended = foundEnded(row, waiting, world.clock.now());
    if (ended !== null) breaker = withEvidence(breaker, ended);
  };
  const runs: Promise<unknown>[] = [];
  for (const { lot: theirs, gapMs } of workers) {
    lookUp();
    world.publish();
    const deps = new FatedWorker(fateOf(theirs)).deps(world.deps({ ledger }));
    runs.push(world.start(deps, { concurrency: 1, batchSize: 1 }, judge));
    await world.clock.runUntil(world.clock.now() + gapMs);
  }
  await world.clock.run(Promise.all(runs));
  lookUp();
  return { tally, breaker, policyAttempts, reports: world.reports };
}

/**
 * Whether two receipts of the key were seen between which the policy did not send again: on every
 * sight of them (a provider may answer a later send with an earlier receipt), or on some.
 */
function unexplained({ reports, policyAttempts }: Awaited<ReturnType<typeof play>>) {
  const sights = new Map<string, number[]>();
  for (const { receiptId, attempt, reason } of reports) {
    // What the policy had given up is compared with the row alone: it is kept nowhere.
    if (receiptId === null || attempt === null || reason === RESENT_BY_POLICY) continue;
    sights.set(receiptId, [...(sights.get(receiptId) ?? []), attempt]);
  }
  const byPolicy = (one: number, other: number) =>
    [...policyAttempts].some((at) => at > Math.min(one, other) && at <= Math.max(one, other));
  const pairs = [...sights].flatMap(([receipt, ours]) =>
    [...sights]
      .filter(([other]) => other > receipt)
      .map(([, theirs]) => ours.flatMap((one) => theirs.map((other) => !byPolicy(one, other)))),
  );
  return {
    surely: pairs.some((pair) => pair.every(Boolean)),
    perhaps: pairs.some((pair) => pair.some(Boolean)),
  };
}

const tripped = ({ breaker }: Awaited<ReturnType<typeof play>>) =>
  breaker.mode.kind === 'paused' && breaker.reason === 'OTHER_RECEIPT';

describe('policy resend', () => {
  it('on a blind channel pauses nothing, whatever befalls the workers', async () => {
    let duplicates = 0;
    await fc.assert(
      fc.asyncProperty(lives, async (workers) => {
        const played = await play(BLIND, workers);
        // A table that takes no records stops everybody as before.
        const failed = played.tally.recordFailures >= 3;
        if (!failed) expect(played.breaker.mode.kind).toBe('running');
        expect(tripped(played)).toBe(false);
        const { duplicatesByPolicy, resentByPolicy } = played.tally;
        expect(duplicatesByPolicy).toBeLessThanOrEqual(resentByPolicy);
        duplicates += duplicatesByPolicy;
      }),
      { numRuns: 300 },
    );
    expect(duplicates).toBeGreaterThan(10);
  });

  it('hides no second receipt that it does not explain', async () => {
    let pairs = 0;
    let policyUsed = 0;
    await fc.assert(
      fc.asyncProperty(deduping, lives, async (policy, workers) => {
        const played = await play(policy, workers);
        const { surely, perhaps } = unexplained(played);
        if (surely) expect(tripped(played)).toBe(true);
        if (!perhaps) expect(tripped(played)).toBe(false);
        pairs += Number(surely);
        policyUsed += Number(played.policyAttempts.size > 0);
      }),
      { numRuns: 600 },
    );
    expect(pairs).toBeGreaterThan(20);
    expect(policyUsed).toBeGreaterThan(20);
  });
});
