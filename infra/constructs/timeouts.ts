import { type ChannelsConfig, channelsSchema } from '#config/channels.ts';
import { drainSchema } from '#config/drain-config.ts';
import { CRON_LIMIT_SECONDS, worstDeliveryMs } from '#config/nested-times.ts';
import { REDRIVE_END_MARGIN_MS, redriveSchema } from '#config/redrive-config.ts';
import type { ConfigFault } from '#core/errors.ts';
import {
  ANSWER_MARGIN_SECONDS,
  DEFAULTS,
  FUNCTION_ROLES,
  type FunctionRole,
} from '#infra/constructs/defaults.ts';
import { PLACEHOLDER_ARN } from '#infra/constructs/function-environment.ts';
import { withReferences } from '#infra/constructs/secret-sources.ts';
import type { PipelineSettings } from '#infra/constructs/settings.ts';
import { withoutTokens } from '#infra/constructs/unresolved.ts';

/** Least timeout of a function that does nothing by a budget, seconds. */
const LEAST_SECONDS = 10;

/**
 * A function's timeout, seconds: as set, or the least that its run budget needs. 0 while settings
 * that it follows from are invalid; those have faults of their own.
 */
export function timeoutSeconds(settings: PipelineSettings, role: FunctionRole): number {
  const set = settings.functions?.[role]?.timeoutSeconds;
  return set ?? defaultSeconds(settings, role) ?? 0;
}

/** Timeouts at the platform's limit, and timeouts that would cut a run off in the middle. */
export function timeoutFaults(settings: PipelineSettings): readonly ConfigFault[] {
  return FUNCTION_ROLES.flatMap((role) => {
    const seconds = timeoutSeconds(settings, role);
    const least = leastSeconds(settings, role);
    const setting = `functions.${role}.timeoutSeconds`;
    if (least === undefined) return [];
    if (!Number.isInteger(seconds) || seconds >= CRON_LIMIT_SECONDS) {
      return [
        {
          setting,
          problem: `is ${seconds}; it must be whole and below ${CRON_LIMIT_SECONDS}; lower the run budget or the timeouts of single calls`,
        },
      ];
    }
    if (seconds >= least) return [];
    return [
      {
        setting,
        problem: `is ${seconds}; it must be at least ${least} (run budget, the longest piece of work, and ${ANSWER_MARGIN_SECONDS} s), or a run is cut off in the middle of a send`,
      },
    ];
  });
}

function defaultSeconds(settings: PipelineSettings, role: FunctionRole): number | undefined {
  return role === 'stats' ? DEFAULTS.statsTimeoutSeconds : leastSeconds(settings, role);
}

function leastSeconds(settings: PipelineSettings, role: FunctionRole): number | undefined {
  switch (role) {
    case 'consumer':
      return leastConsumerSeconds(settings);
    case 'redrive':
      return leastRedriveSeconds(settings);
    case 'stats':
      return LEAST_SECONDS;
  }
}

/** The run budget, and the longest delivery that may have begun just before its end. */
function leastConsumerSeconds(settings: PipelineSettings): number | undefined {
  const drain = drainSchema.safeParse(settings.drain ?? {});
  const channels = parsedChannels(settings);
  if (!drain.success || channels === undefined) return undefined;
  const worstSeconds = Math.ceil(worstDeliveryMs(channels, drain.data) / 1000);
  return Math.ceil(drain.data.runBudgetSeconds) + worstSeconds + ANSWER_MARGIN_SECONDS;
}

function leastRedriveSeconds({ redrive = {} }: PipelineSettings): number | undefined {
  const parsed = redriveSchema.safeParse(redrive);
  if (!parsed.success) return undefined;
  const marginSeconds = Math.ceil(REDRIVE_END_MARGIN_MS / 1000);
  return Math.ceil(parsed.data.runBudgetSeconds) + marginSeconds + ANSWER_MARGIN_SECONDS;
}

/** Undefined while a channel is invalid. Where a secret comes from says nothing about times. */
export function parsedChannels(settings: PipelineSettings): ChannelsConfig | undefined {
  const referenced = Object.entries(settings.channels).map(
    ([name, channel]) => [name, withReferences(name, channel, () => PLACEHOLDER_ARN)] as const,
  );
  return channelsSchema.safeParse(withoutTokens(Object.fromEntries(referenced))).data;
}
