import { describe, expect, test } from 'vitest';
import type { SendKey } from '#core/brand.ts';
import type { Publishable } from '#functions/ops/publish/plan-publish.ts';
import { publishAll } from '#functions/ops/publish/publish-all.ts';
import type { PublishAnswer } from '#ports';

const REMINDERS: readonly Publishable[] = Array.from({ length: 40 }, (_, index) => ({
  line: index + 1,
  sendKey: `k1_${index}` as SendKey,
  payload: {},
  idempotencyKey: `k1_${index}-0-0`,
  delaySeconds: 0,
}));
const TAKEN: PublishAnswer = { kind: 'published', messageId: 'm' };

/** Publishes against a queue that answers by a function; time passes by sleeping alone. */
async function run(
  answer: (published: number) => PublishAnswer,
  options: { readonly ratePerSecond?: number; readonly interruptAt?: number } = {},
) {
  const { ratePerSecond = 10, interruptAt = Number.POSITIVE_INFINITY } = options;
  const at: number[] = [];
  const taken: number[] = [];
  let now = 0;
  const publication = await publishAll(
    {
      async publish() {
        at.push(now);
        return answer(at.length);
      },
    },
    REMINDERS,
    {
      ratePerSecond,
      clock: {
        now: () => now,
        async sleep(ms) {
          const until = now + ms;
          await Promise.resolve();
          now = Math.max(now, until);
        },
      },
      onTaken: ({ line }) => taken.push(line),
      onStep: () => {},
      interrupted: () => at.length >= interruptAt,
    },
  );
  return { publication, at, taken };
}

describe('publishing many', () => {
  test('keeps its pace however many are under way, and reports each as it is taken', async () => {
    const { publication, at, taken } = await run(() => TAKEN);
    expect(publication).toEqual({ published: 40, alreadyPublished: 0, failed: [], notTried: 0 });
    expect(taken.toSorted((a, b) => a - b)).toEqual(REMINDERS.map(({ line }) => line));
    expect(at.at(-1)).toBeGreaterThanOrEqual(3900);
  });

  test('a refusal that no repeat mends ends it at once', async () => {
    const { publication } = await run((n) =>
      n < 5 ? TAKEN : { kind: 'failed', code: 'INSUFFICIENT_CREDIT' },
    );
    // Those under way at that moment were let go before anybody knew.
    expect(publication.failed.length).toBeLessThanOrEqual(8);
    const { publication: other } = await run((n) =>
      n < 5 || n % 4 === 0 ? TAKEN : { kind: 'failed', code: 'HTTP_401' },
    );
    expect(other.notTried).toBeGreaterThan(20);
  });

  test('a stumble does not end it, a row of failures does', async () => {
    const stumbles = await run((n) => (n % 4 === 0 ? { kind: 'failed', code: 'HTTP_500' } : TAKEN));
    expect(stumbles.publication).toMatchObject({ published: 30, notTried: 0 });
    const down = await run(() => ({ kind: 'failed', code: 'TIMEOUT' }));
    expect(down.publication.failed.length).toBeLessThanOrEqual(12);
    expect(down.publication.notTried).toBeGreaterThanOrEqual(28);
  });

  test('a wish to be left alone holds the following ones back', async () => {
    const { at } = await run(
      (n) => (n === 1 ? { kind: 'failed', code: 'HTTP_429', retryAfterSeconds: 60 } : TAKEN),
      { ratePerSecond: 1 },
    );
    // Turns that were given out before the answer came are not taken back.
    expect(at[9]).toBeGreaterThanOrEqual(60_000);
  });

  test('an interruption lets what is under way finish', async () => {
    const { publication, taken } = await run(() => TAKEN, { interruptAt: 10 });
    expect(publication.published).toBe(taken.length);
    expect(publication.published).toBeLessThan(20);
    expect(publication.notTried).toBe(40 - publication.published);
  });
});
