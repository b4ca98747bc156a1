import type { EpochMs } from '#core/brand.ts';

/** The time that one invocation may use. Nothing is started that could outlive it. */
export type RunBudget = { readonly endsAt: EpochMs };

/**
 * @param remainingMs what the platform still grants this invocation
 * @param marginMs kept back for flushing metrics and answering
 */
export function runBudget(
  now: EpochMs,
  budgetSeconds: number,
  remainingMs: number,
  marginMs: number,
): RunBudget {
  return { endsAt: now + Math.min(budgetSeconds * 1000, remainingMs - marginMs) };
}

/** Whether work that takes at most `neededMs` ends inside the budget. */
export function covers(budget: RunBudget, now: EpochMs, neededMs: number): boolean {
  return now + neededMs <= budget.endsAt;
}
