import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Breaker, FRESH_BREAKER, readBreakerDocument } from '#core/breaker.ts';
import { type Evidence, evidenceOf, withEvidence } from '#core/breaker-evidence.ts';
import { facts, SINCE } from '#test/support/breaker-data.ts';

const at = fc.integer({ min: SINCE, max: SINCE + 7_200_000 });
const sendKey = fc.constantFrom('k1_a', 'k1_b', 'k1_c', 'k1_d');
const receipt = fc.constantFrom('rcpt_1', 'rcpt_2');
const channel = fc.constantFrom('push', 'email');
const attempt = fc.integer({ min: 0, max: 6 });
const policyAttempt = fc.option(attempt);

const anyEvidence: fc.Arbitrary<Evidence> = fc.oneof(
  fc.record({
    kind: fc.constant('recorded' as const),
    channel,
    sendKey,
    attempt,
    policyAttempt,
    receipt,
    proof: fc.constantFrom('send' as const, 'question' as const, 'row' as const),
    at,
  }),
  fc.record({
    kind: fc.constant('unrecorded' as const),
    ...{ sendKey, attempt, policyAttempt, receipt, at },
  }),
  fc.record({ kind: fc.constant('no-receipt' as const), channel, sendKey, attempt, at }),
  fc.record({
    kind: fc.constant('channel-refused' as const),
    channel,
    code: fc.constant('HTTP_401'),
    at,
  }),
  fc.record({ kind: fc.constant('other-receipt' as const), at }),
);

const folded = (evidence: readonly Evidence[], from: Breaker = FRESH_BREAKER) =>
  evidence.reduce(withEvidence, from);

describe('evidence', () => {
  it('told twice in a row changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.array(anyEvidence, { maxLength: 40 }), anyEvidence, (before, again) => {
        const once = folded([...before, again]);
        expect(withEvidence(once, again)).toBe(once);
      }),
    );
  });

  it('once it has paused consumption never unpauses it', () => {
    fc.assert(
      fc.property(fc.array(anyEvidence, { maxLength: 40 }), (evidence) => {
        let wasPaused = false;
        let breaker = FRESH_BREAKER;
        for (const one of evidence) {
          breaker = withEvidence(breaker, one);
          if (wasPaused) expect(breaker.mode.kind).toBe('paused');
          wasPaused ||= breaker.mode.kind === 'paused';
        }
      }),
    );
  });

  it('leaves a document that can be read back and fits a few kilobytes', () => {
    fc.assert(
      fc.property(fc.array(anyEvidence, { maxLength: 200 }), (evidence) => {
        const breaker = folded(evidence);
        const text = JSON.stringify(breaker);
        expect(readBreakerDocument(JSON.parse(text))).toEqual(breaker);
        expect(text.length).toBeLessThan(20_000);
      }),
    );
  });
});

describe('killed invocations', () => {
  /**
   * One reminder at a provider that keeps its promise, delivered again and again; every delivery
   * is killed at some boundary or lives to its end. Only what lives gives evidence.
   */
  type Step = 'killed-before-send' | 'killed-before-record' | 'killed-after-record' | 'lives';
  const step = fc.constantFrom<Step>(
    'killed-before-send',
    'killed-before-record',
    'killed-after-record',
    'lives',
  );

  it('never trip it, in whatever order they come', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { maxLength: 20 }),
        (reminders) => {
          let breaker = FRESH_BREAKER;
          let receipts = 0;
          let terminal = 0;
          for (const [n, steps] of reminders.entries()) {
            let sent = false;
            for (const one of steps) {
              if (one === 'killed-after-record') sent = true;
              if (one !== 'lives') continue;
              const report = sent
                ? facts({
                    outcome: 'duplicate',
                    receiptId: null,
                    sendKey: `k1_${n}`,
                  })
                : facts({ receiptId: `rcpt_${n}`, sendKey: `k1_${n}` });
              if (!sent) {
                receipts += 1;
                terminal += 1;
              }
              sent = true;
              breaker = evidenceOf(report, SINCE).reduce(withEvidence, breaker);
            }
          }
          expect(breaker).toBe(FRESH_BREAKER);
          expect(receipts).toBe(terminal);
        },
      ),
    );
  });
});
