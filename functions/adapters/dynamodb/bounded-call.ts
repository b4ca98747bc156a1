import { errorName } from '#core/errors.ts';
import type { LedgerFailure } from '#ports';

/** The budget was over before the store had answered: the call may or may not have been applied. */
export const CALL_BUDGET_SPENT = 'CALL_BUDGET_SPENT';

/**
 * Runs one port call, all its requests and their retries included, within `budgetMs`.
 * At the end of the budget the signal aborts what is in flight and the call answers
 * `CALL_BUDGET_SPENT`, whatever the library below is waiting for.
 *
 * Everything that the store or the SDK throws becomes a failure by its name: no class of the SDK
 * is compared, since a bundle can hold two copies of it.
 */
export async function boundedCall<Answer>(
  budgetMs: number,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | LedgerFailure> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const budgetSpent = new Promise<LedgerFailure>((resolve) => {
    timer = setTimeout(() => {
      resolve({ kind: 'failed', code: CALL_BUDGET_SPENT });
      controller.abort();
    }, budgetMs);
  });
  const answered = call(controller.signal).catch(
    (error: unknown): LedgerFailure => ({ kind: 'failed', code: errorName(error) }),
  );
  try {
    return await Promise.race([answered, budgetSpent]);
  } finally {
    clearTimeout(timer);
  }
}
