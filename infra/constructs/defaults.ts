import type { PipelineSettings } from '#infra/constructs/settings.ts';

/** One line for each figure that a pipeline has when its settings do not name it. */
export const DEFAULTS = {
  every: { consumer: 1, redrive: 15, stats: 1 },
  /**
   * Memory buys CPU: below 512 MB the consumer's start (TLS, JSON, a 400 KB bundle) takes seconds.
   */
  memoryMb: { consumer: 512, redrive: 256, stats: 256 },
  /** Below the period of its schedule, so that a hanging reading never meets the next one. */
  statsTimeoutSeconds: 55,
  /** As many as a run's budget lets overlap, at a tick a minute. */
  consumerConcurrency: 5,
  logRetentionDays: 30,
  runbookUrl: 'infra/RUNBOOK.md',
} as const;

/** What is kept at the end of a run for flushing metrics and answering, seconds. */
export const ANSWER_MARGIN_SECONDS = 10;

export type FunctionRole = 'consumer' | 'redrive' | 'stats';
export const FUNCTION_ROLES = ['consumer', 'redrive', 'stats'] as const;

export function everyMinutes(settings: PipelineSettings, role: FunctionRole): number | 'off' {
  return settings.every?.[role] ?? DEFAULTS.every[role];
}

export function memoryMb(settings: PipelineSettings, role: FunctionRole): number {
  return settings.functions?.[role]?.memoryMb ?? DEFAULTS.memoryMb[role];
}
